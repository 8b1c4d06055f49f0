"""Generator of the description of the data format: JSON Schemas and ``docs/data-format.md``.

``python -m records.schemas.generate`` writes these files below ``docs/``. With ``--check`` it only
reports files that are not current.
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
from records.schemas.schema_page import Node, format_sections
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
    """A kind of record, with the path of its files."""

    name: str
    place: str
    model: type[Record]
    about: str
    """The description in ``docs/data-format.md``."""


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
        "(`text`). Aliases and repeated names are refused.",
    ),
    Kind(
        "trial",
        "data/trials/{trial_id}.json",
        GuidelinesTrial,
        "Runs that send models several editions of the guidelines, in turns. `leaderboard ablate` "
        "and `leaderboard guidelines check` make it. Each run has a record of its own.",
    ),
    Kind(
        "session",
        "data/local/sessions/{session_id}.json, once published also at data/sessions",
        Session,
        "One recorded conversation and its labels, which have the same names in exports. The "
        "published copy has the same id, and secrets are removed from it.",
    ),
    Kind(
        "label",
        "data/local/sessions/{session_id}.labels.jsonl, a line; at data/sessions once published",
        LabelEvent,
        "The log of a session's labels: one JSON object on each line, appended and never "
        "rewritten. An incomplete last line was never acknowledged and is ignored.",
    ),
    Kind(
        "audit",
        "data/audits/{audit_id}.json",
        Audit,
        "Attempts drawn at random, which people judge without seeing the grader's verdict. Their "
        "judgements are in the label logs of the sessions.",
    ),
    Kind(
        "comparison",
        "data/local/comparisons/{comparison_id}.json",
        ModelComparison,
        "Prompts of golden sessions, with the answers of several models, costs and scores. "
        "`leaderboard session compare` makes it, and replaces the whole file after each answer.",
    ),
    Kind(
        "dataset",
        "data/local/datasets/{name}.json",
        DatasetVersion,
        "A version of a dataset: sessions with the digests of their transcripts and with their "
        "labels at the time of `leaderboard session version create`. It never changes.",
    ),
    Kind(
        "judgement",
        "data/local/comparisons/{comparison_id}.judgements.jsonl, a line",
        ComparisonJudgement,
        "The log of judgements of people on pairs of answers in a comparison, without models' "
        "names: one JSON object on each line, appended and never rewritten. An incomplete last "
        "line is ignored.",
    ),
    Kind(
        "opinions",
        "data/local/opinions/{opinions_id}.json",
        SessionOpinions,
        "The statuses that models would give sessions, which never become labels. `leaderboard "
        "session judge` makes it, and replaces the whole file after each answer.",
    ),
    Kind(
        "artifact",
        "data/artifacts/{provider}/{model}/{run_id}.zip",
        AttemptArtifact,
        "The files of the attempts of a run. Each attempt has a folder "
        "`<category>/<eval>/<sample>/` with `messages.json`, `reply.txt`, `files/<path>` and "
        "`logs/<step>.txt`. The digest of an attempt is the SHA-256 of its members, sorted by "
        "name. Name and content of each member follow one another, each preceded by its length in "
        "bytes as 8 bytes, big-endian.",
    ),
    Kind(
        "journal-opened",
        "data/runs/{provider}/{model}/{run_id}.journal.jsonl, first line",
        Opened,
        "The journal of a run that is under way: one JSON object on each line. A line is on the "
        "disk before the run goes on. An incomplete last line was never reported as finished and "
        "is ignored.",
    ),
    Kind(
        "journal-asking",
        "the same file, a line",
        Asking,
        "A request is about to be sent, under a budget.",
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

All files in `data/` are read by one strict reader. It refuses a field that is not listed here, with
a message that names file, field and reason. An unknown value is `null`, never 0. Times are in UTC
and ISO 8601, durations in seconds, money in US dollars, digests SHA-256 in lower-case hexadecimal,
text in UTF-8. A record with another `schema_version` than today's is refused, unless
`records/migrations.py` has a migration from it; there is none yet. `data/local/` has the same tree
for development runs, which git ignores. `data/imports/` has unchanged copies of others'
publications.

JSON Schemas of all kinds are in [`schemas/`](schemas/). They describe single files.
`leaderboard check` also compares files with each other. Ids are unique, paths agree with contents,
and totals are the sums of their parts. Artifacts have the digests in their records, and answers
that were carried over are those of the runs that they name. There is no file that nothing reads.
Development runs are checked with the published runs.
"""


def generate_files() -> dict[str, str]:
    """Return the generated files by their path below ``docs/``."""
    schemas = {kind.name: _build_schema(kind) for kind in KINDS}
    files = {f"schemas/{name}.json": _format_json(schema) for name, schema in schemas.items()}
    return {**files, "data-format.md": _format_page(schemas)}


def find_outdated(docs: Path) -> list[Path]:
    """Return the paths below ``docs`` that are missing, not current, or no longer generated."""
    expected = generate_files()
    stale = [
        docs / name
        for name, text in expected.items()
        if not (docs / name).exists() or (docs / name).read_text(encoding="utf-8") != text
    ]
    names = {docs / name for name in expected}
    return stale + [path for path in sorted((docs / "schemas").glob("*")) if path not in names]


def write_docs(docs: Path) -> None:
    """Write the generated files below ``docs``."""
    for name, text in generate_files().items():
        write_atomically(docs / name, text.encode())


def main(arguments: list[str]) -> int:
    """Write the generated files, or with ``--check`` name those that are not; return a status."""
    docs = Path("docs")
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python -m records.schemas.generate [--check]\n")
        return 2
    if not arguments:
        write_docs(docs)
        return 0
    stale = find_outdated(docs)
    for path in stale:
        sys.stderr.write(f"{path} is not current: run `python -m records.schemas.generate`\n")
    return 1 if stale else 0


def _build_schema(kind: Kind) -> Node:
    schema = kind.model.model_json_schema(by_alias=True, schema_generator=DocumentedSchema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"{kind.place}. Generated by `python -m records.schemas.generate`.",
        **schema,
    }


def _format_json(schema: Node) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _format_page(schemas: Mapping[str, Node]) -> str:
    parts = [_INTRODUCTION]
    seen: set[str] = set()
    for kind in KINDS:
        parts += [f"## {kind.name}\n", f"`{kind.place}`\n", f"{kind.about}\n"]
        parts += format_sections(schemas[kind.name], seen)
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
