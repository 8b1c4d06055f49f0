"""Small data folders of unusual boards: one model, equal models, none ranked, unknown costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Final, Literal

from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Experiment, Run, Withdrawal
from records.suites.benchmark import Benchmark, EvalDigests
from records.writer import write_record, write_run
from tests.records import examples
from tests.site.corpus import HARM

SUITE: Final = Path(__file__).parents[3] / "evals"
VERSION: Final = "feedfacecafe"
IMPORTED: Final = "elsewhere-12-0123abcd"
LONG_NAME: Final = "An-exceedingly-long-model-name-without-a-space-" + "x" * 120
LONG_WORDS: Final = "Model of the long and winding name " * 5 + "9"
_EVALS: Final = 12
_DEFAULT: Final = "default"
_BARE: Final = "no_guidelines"


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of a board, with one run under each of its conditions."""

    slug: str
    name: str
    passed: int
    """Evals passed with the guidelines; two fewer without them."""
    conditions: Sequence[str] = (_DEFAULT, _BARE)
    cost: float | None = 0.25
    measured: bool = True
    """Whether cost, time and tokens of its attempts are known."""
    provider: str = "Maker"
    kind: Literal["llm", "baseline"] = "llm"
    evals: int = _EVALS
    """Evals that the run holds; fewer than the version's make it partial."""
    unjudged: int = 0
    withdrawn: bool = False
    imported: bool = False
    runs: int = 1
    corrected: int | None = None
    """Later count of the publisher."""


def list_eval_names() -> list[str]:
    """Return evals of the suite, some of every category."""
    names = [
        f"{path.parent.parent.name}/{path.parent.name}"
        for path in sorted(SUITE.glob("[0-9]*/00[01]-*/eval.toml"))
    ]
    return names[:_EVALS]


def write_entries(folder: DataFolder, entries: Sequence[Entry]) -> None:
    """Write the versions that the entries need, and their runs."""
    names = list_eval_names()
    for imported in sorted({entry.imported for entry in entries}):
        write_record(folder.benchmarks, _make_version(names, imported=imported))
    number = 0
    for entry in entries:
        for condition in entry.conditions:
            for _ in range(entry.runs):
                write_run(folder, _make_run(entry, condition, names, number))
                number += 1


def _make_version(names: Sequence[str], *, imported: bool) -> Benchmark:
    own = examples.make_benchmark(names, version=VERSION)
    if not imported:
        return own
    unknown = EvalDigests(task=None, grader=None, config=None)
    update = {
        "version": IMPORTED,
        "title": f"elsewhere · 2026-02 · {len(names)} evals",
        "evals": dict.fromkeys(names, unknown),
        "protocol": None,
        "system_prompt": None,
        "guidelines": None,
        "guidelines_tokens": None,
        "minted_at": None,
        "source": "owner/name@0123abcd:results",
    }
    return own.model_copy(update=update)


def _make_run(entry: Entry, condition: str, names: Sequence[str], number: int) -> Run:
    passed = entry.passed if condition == _DEFAULT else max(0, entry.passed - 2)
    planned = tuple(names[: entry.evals])
    attempts = tuple(
        _make_attempt(entry, name, passes=index < passed, judged=index >= entry.unjudged)
        for index, name in enumerate(planned)
    )
    run = examples.with_attempts(
        examples.make_run(f"{number:04d}" + "a" * 28),
        attempts,
        model=examples.make_model(
            entry.slug,
            name=entry.name,
            provider=entry.provider,
            litellm_id=None if entry.kind == "baseline" else entry.slug,
            kind=entry.kind,
        ),
        experiment=Experiment(
            name=condition, guidelines=examples.make_digest("f") if condition == _DEFAULT else None
        ),
        benchmark_version=IMPORTED if entry.imported else VERSION,
        date=date(2026, 11, 1) + timedelta(days=number),
        planned=planned,
    )
    update: dict[str, object] = {}
    if entry.withdrawn:
        update["withdrawn"] = Withdrawal(by="the maintainers", reason="a wrong limit of tokens")
    if entry.imported:
        update |= {
            "provenance": examples.make_imported(
                importer="convex_evals",
                source="owner/name@0123abcd:results.json",
                corrected_passed=entry.corrected,
            ),
            "harness": None,
        }
    return run.model_copy(update=update)


def _make_attempt(entry: Entry, name: str, *, passes: bool, judged: bool) -> Attempt:
    outcome = Outcome.PASSED if passes else Outcome.FAILED
    measured = entry.measured and entry.kind == "llm"
    return examples.make_attempt(
        name,
        outcome=outcome if judged else Outcome.INFRASTRUCTURE,
        generation=examples.make_generation(entry.cost) if measured else None,
    )


def _make_entry(letter: str, passed: int = 9) -> Entry:
    return Entry(f"maker/model-{letter.lower()}", f"Model {letter}", passed)


_A: Final = _make_entry("A")
_BASELINE: Final = Entry("baseline/empty", "Empty", 0, (_DEFAULT,), kind="baseline")

BOARDS: Final[Mapping[str, Sequence[Entry]]] = {
    "one-model": [_A],
    "one-model-repeated": [replace(_A, runs=3)],
    "one-model-with": [replace(_A, conditions=(_DEFAULT,))],
    "one-model-without": [replace(_A, conditions=(_BARE,))],
    "one-model-passes-none": [replace(_A, passed=0)],
    "one-model-passes-all": [replace(_A, passed=_EVALS, runs=3)],
    "one-model-and-a-baseline": [_A, _BASELINE],
    "two-equal": [_A, _make_entry("B")],
    "two-equal-free": [replace(_A, cost=0.0), replace(_make_entry("B"), cost=0.0)],
    "two-pass-none": [replace(_A, passed=0), _make_entry("B", 0)],
    "two-far-apart": [replace(_make_entry("A", 12), runs=3), replace(_make_entry("B", 1), runs=3)],
    "one-condition-each": [
        replace(_A, conditions=(_DEFAULT,)),
        replace(_make_entry("B"), conditions=(_BARE,)),
    ],
    "one-run-unjudged": [
        replace(_A, conditions=(_DEFAULT,)),
        replace(_A, conditions=(_BARE,), unjudged=1),
    ],
    "none-ranked-baseline": [_BASELINE],
    "three-baselines": [
        _BASELINE,
        replace(_BASELINE, slug="baseline/stub", name="Stub", passed=1),
        replace(_BASELINE, slug="baseline/oracle", name="Oracle", passed=_EVALS),
    ],
    "none-ranked-partial": [replace(_A, evals=5)],
    "none-ranked-unjudged": [replace(_A, unjudged=1, conditions=(_DEFAULT,)), _BASELINE],
    "none-ranked-withdrawn": [
        replace(_A, withdrawn=True),
        replace(_make_entry("B"), withdrawn=True),
    ],
    "imported": [
        replace(_A, imported=True, measured=False, corrected=11),
        replace(_make_entry("B"), imported=True, measured=False, conditions=(_DEFAULT,)),
    ],
    "imported-one": [replace(_A, imported=True, measured=False, conditions=(_DEFAULT,))],
    "imported-and-own": [
        replace(_A, imported=True, measured=False),
        replace(_make_entry("B"), imported=True, measured=False),
        _make_entry("C", 7),
    ],
    "no-costs": [replace(_A, cost=None), replace(_make_entry("B", 7), cost=None)],
    "one-cost-unknown": [_A, replace(_make_entry("B", 7), cost=None), _make_entry("C", 5)],
    "nothing-measured": [replace(_A, measured=False), replace(_make_entry("B"), measured=False)],
    "long-names": [
        replace(_A, name=LONG_NAME, provider="M" * 60),
        replace(_make_entry("B", 4), name=LONG_WORDS),
        _make_entry("C", 11),
    ],
    "hostile-names": [
        replace(_A, name=f"A {HARM}", provider=HARM),
        replace(_make_entry("B"), name=f"<b>{HARM}"),
    ],
}
"""Entries of each board, by its name."""


def write_board(folder: DataFolder, name: str) -> None:
    """Write the versions and runs of a board."""
    write_entries(folder, BOARDS[name])
