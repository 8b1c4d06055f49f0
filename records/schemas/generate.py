"""Generates the description of the data format from the records: JSON Schemas and a page.

``python -m records.schemas.generate`` writes them into ``docs/``; with ``--check`` it only reports
whether they are current.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from records.archives.archive import AttemptArtifact
from records.journal.entries import Asking, Generated, Graded, Opened
from records.schemas.documented import DocumentedSchema
from records.schemas.schema_page import Node, sections
from records.sessions.audit import Audit
from records.sessions.comparison import ComparisonJudgement, ModelComparison
from records.sessions.dataset import DatasetVersion
from records.sessions.labels import LabelEvent
from records.sessions.opinions import SessionOpinions
from records.sessions.session import Session
from records.shapes.base import Record
from records.shapes.registry import Registry
from records.shapes.report import Report
from records.shapes.run import Run
from records.shapes.trial import GuidelinesTrial
from records.suites.benchmark import Benchmark
from records.suites.suite_description import SuiteDescription
from records.writer import write_atomically


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of record and where it lies."""

    name: str
    place: str
    model: type[Record]
    about: str


KINDS: Final = (
    Kind(
        "run",
        "data/runs/{provider}/{model}/{run_id}.json",
        Run,
        "One run with every attempt. Indented JSON, each attempt on one line.",
    ),
    Kind(
        "benchmark",
        "data/benchmarks/{version}.json",
        Benchmark,
        "One benchmark version. Scores are comparable only within one.",
    ),
    Kind(
        "suite",
        "data/suites/{version}.json",
        SuiteDescription,
        "The texts of a benchmark version whose suite is kept elsewhere, so that pages show tasks "
        "without the suite's folder. `leaderboard suite import` writes it.",
    ),
    Kind(
        "registry",
        "data/models.toml",
        Registry,
        "The models that can be asked by their slug. TOML.",
    ),
    Kind(
        "report",
        "data/reports/{provider}/{model}/{run_id[:8]}_{YYYY-MM-DD}.md",
        Report,
        "An analysis of one run: YAML front matter between two lines of `---`, then markdown "
        "(`text`). Aliases and names that stand twice are refused.",
    ),
    Kind(
        "trial",
        "data/trials/{trial_id}.json",
        GuidelinesTrial,
        "Runs that send models several editions of the guidelines, in turns: what `leaderboard "
        "ablate` and `leaderboard guidelines check` make. Each run has a record of its own.",
    ),
    Kind(
        "session",
        "data/local/sessions/{session_id}.json, once published also at data/sessions",
        Session,
        "One recorded conversation and its labels, which keep the names they have in exports. The "
        "published copy has the same id, and secrets are taken out of it.",
    ),
    Kind(
        "label",
        "data/local/sessions/{session_id}.labels.jsonl, a line; at data/sessions once published",
        LabelEvent,
        "The log of a session's labels: one JSON object a line, appended and never rewritten. A "
        "torn last line was never acknowledged and is dropped.",
    ),
    Kind(
        "audit",
        "data/audits/{audit_id}.json",
        Audit,
        "Attempts drawn at random, to be judged by people who do not see the grader's verdict. "
        "What they judge stands in the label logs of the sessions.",
    ),
    Kind(
        "comparison",
        "data/local/comparisons/{comparison_id}.json",
        ModelComparison,
        "The prompts of golden sessions put to models, with answers, costs and scores: what "
        "`leaderboard session compare` makes. Written anew after each answer, whole or not at all.",
    ),
    Kind(
        "dataset",
        "data/local/datasets/{name}.json",
        DatasetVersion,
        "A version of a dataset: sessions with the digests of their transcripts and with their "
        "labels, as `leaderboard session version create` found them. It is never written again.",
    ),
    Kind(
        "judgement",
        "data/local/comparisons/{comparison_id}.judgements.jsonl, a line",
        ComparisonJudgement,
        "What people judged of pairs of answers of a comparison without seeing names: one JSON "
        "object a line, appended and never rewritten. A torn last line is dropped.",
    ),
    Kind(
        "opinions",
        "data/local/opinions/{opinions_id}.json",
        SessionOpinions,
        "The status that models would give sessions: what `leaderboard session judge` makes. No "
        "label comes of it. Written anew after each answer, whole or not at all.",
    ),
    Kind(
        "artifact",
        "data/artifacts/{provider}/{model}/{run_id}.zip",
        AttemptArtifact,
        "What the attempts of a run wrote, a folder `<category>/<eval>/<sample>/` for each: "
        "`messages.json`, `reply.txt`, `files/<path>`, `logs/<step>.txt`. The digest of an attempt "
        "is SHA-256 over its members sorted by name: for each the name, then the content, each "
        "preceded by its length in bytes as 8 bytes, big-endian.",
    ),
    Kind(
        "journal-opened",
        "data/runs/{provider}/{model}/{run_id}.journal.jsonl, first line",
        Opened,
        "The journal of a run that is going: one JSON object a line, on the disk before anything "
        "else happens. A torn last line was never reported as finished and is dropped.",
    ),
    Kind(
        "journal-asking",
        "the same file, a line",
        Asking,
        "A request is about to go out, under a budget.",
    ),
    Kind(
        "journal-generated",
        "the same file, a line",
        Generated,
        "A model was asked, or its answer to an earlier run was carried over.",
    ),
    Kind("journal-graded", "the same file, a line", Graded, "An attempt was judged."),
)

_INTRODUCTION: Final = """\
# The data format

<!-- Generated by `python -m records.schemas.generate`. Change the records, not this page. -->

Everything in `data/` is read through one strict reader: a field that is not listed here is
refused, and the message names file, field and reason. Unknown is `null`, never 0. Times are UTC
in ISO 8601, durations seconds, money US dollars, digests SHA-256 in lower-case hexadecimal, text
UTF-8. A record of another `schema_version` than today's is refused, unless
`records/migrations.py` has a migration from it; there is none yet. The same tree under
`data/local/` holds development runs, which git ignores. `data/imports/` holds copies of what others
published, as it was read.

JSON Schemas of every kind are in [`schemas/`](schemas/). They say what one file may hold;
`leaderboard check` also compares files with each other: ids are unique, places agree with
contents, totals are the sums of their parts, artifacts have the digests that records promise,
answers that were carried over are those of the runs that they name, and no file lies where nothing
reads it. Development runs are looked at with the published ones.
"""


def generated_files() -> dict[str, str]:
    """Return the generated files by their path below ``docs/``."""
    schemas = {kind.name: _schema(kind) for kind in KINDS}
    files = {f"schemas/{name}.json": _json(schema) for name, schema in schemas.items()}
    return {**files, "data-format.md": _page(schemas)}


def outdated(docs: Path) -> list[Path]:
    """Return the generated files that are missing, not current, or no longer generated."""
    expected = generated_files()
    stale = [
        docs / name
        for name, text in expected.items()
        if not (docs / name).exists() or (docs / name).read_text(encoding="utf-8") != text
    ]
    names = {docs / name for name in expected}
    return stale + [path for path in sorted((docs / "schemas").glob("*")) if path not in names]


def write_docs(docs: Path) -> None:
    """Write the generated files below ``docs``."""
    for name, text in generated_files().items():
        write_atomically(docs / name, text.encode())


def main(arguments: list[str]) -> int:
    """Write the generated files, or with ``--check`` name the files that are not current."""
    docs = Path("docs")
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python -m records.schemas.generate [--check]\n")
        return 2
    if not arguments:
        write_docs(docs)
        return 0
    stale = outdated(docs)
    for path in stale:
        sys.stderr.write(f"{path} is not current: run `python -m records.schemas.generate`\n")
    return 1 if stale else 0


def _schema(kind: Kind) -> Node:
    schema = kind.model.model_json_schema(by_alias=True, schema_generator=DocumentedSchema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"{kind.place}. Generated by `python -m records.schemas.generate`.",
        **schema,
    }


def _json(schema: Node) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _page(schemas: Mapping[str, Node]) -> str:
    parts = [_INTRODUCTION]
    seen: set[str] = set()
    for kind in KINDS:
        parts += [f"## {kind.name}\n", f"`{kind.place}`\n", f"{kind.about}\n"]
        parts += sections(schemas[kind.name], seen)
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
