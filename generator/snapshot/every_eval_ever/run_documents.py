"""Both files of a run in the format of Every Eval Ever."""

import json
from hashlib import sha256
from typing import NamedTuple

from generator.facts.site_data import SiteBasics
from generator.facts.urls import is_in_every_eval_ever
from generator.read.summaries import RunSummary, Summaries
from generator.snapshot.every_eval_ever.aggregate import RunAggregate
from generator.snapshot.every_eval_ever.identity import RunIdentity, build_run_identity
from generator.snapshot.every_eval_ever.samples import format_sample_lines
from records.shapes.run import Run


class RunDocuments(NamedTuple):
    """The files of a run."""

    identity: RunIdentity
    aggregate: bytes
    """Its scores, as JSON."""
    samples: bytes
    """Its attempts, JSON on each line."""


def run_documents(
    basics: SiteBasics, summaries: Summaries, run: RunSummary, record: Run
) -> RunDocuments | None:
    """Return both files of a run; None if the run was withdrawn or no attempt has a verdict.

    Of ``summaries`` the benchmark versions and the registry of models are read, not the runs.
    """
    if not is_in_every_eval_ever(run):
        return None
    identity = build_run_identity(basics.settings.title, record)
    benchmark = summaries.benchmarks.get(record.benchmark_version)
    lines = list(format_sample_lines(basics.settings, identity, run, record, benchmark))
    samples = "".join(f"{line}\n" for line in lines).encode()
    aggregate = RunAggregate(basics, summaries, identity, run, record)
    document = aggregate.build_document(sha256(samples).hexdigest(), len(lines))
    # On one line: indented, JSON is written by Python's own encoder, which takes ten times as long.
    text = json.dumps(document, ensure_ascii=False)
    return RunDocuments(identity, f"{text}\n".encode(), samples)
