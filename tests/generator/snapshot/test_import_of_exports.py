"""Files for Every Eval Ever that this program wrote come back whole through its own importer."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.files.data_folder import DataFolder
from records.shapes.attempt import JUDGED, Attempt, Fault, FaultClass, Generation, Outcome
from records.shapes.base import Record
from tests.generator.snapshot.test_every_eval_ever import export_run, make_record, verdicts
from tests.records.examples import make_attempt, make_eval_name
from tests.runner.published_results.results import import_files, read_benchmarks, read_runs

pytestmark = pytest.mark.unit

WORDS = st.lists(st.text("abcXYZ().,:'", min_size=1, max_size=9), min_size=1, max_size=4).map(
    " ".join
)
"""Texts of one line, of which no character is shown in another way."""


class Facts(Record):
    """The facts of an attempt that an export has."""

    eval: str
    sample: int
    outcome: Outcome
    failed_step: str | None
    reason: str | None
    fault: Fault | None
    generation: Generation | None


def select_facts(name: str, made: Attempt) -> Facts:
    """Return the facts of an attempt, without those of a reply that got no verdict."""
    reply = made.generation if made.outcome in JUDGED else None
    return Facts(
        eval=name,
        sample=made.sample,
        outcome=made.outcome,
        failed_step=made.failed_step,
        reason=made.reason,
        fault=made.fault,
        generation=reply and reply.model_copy(update={"dialect": None}),
    )


@st.composite
def attempts(draw: st.DrawFn) -> Attempt:
    """Draw an attempt with any end."""
    made = draw(verdicts())
    if made.reason is not None:
        made = made.model_copy(update={"reason": draw(WORDS)})
    if made.generation is not None and made.generation.finish_reason is not None:
        reply = made.generation.model_copy(update={"finish_reason": draw(WORDS)})
        made = made.model_copy(update={"generation": reply})
    if draw(st.booleans()):
        return made
    kind = draw(st.none() | st.sampled_from(list(FaultClass)))
    return make_attempt(
        make_eval_name(draw(st.integers(0, 20))),
        made.sample,
        Outcome.NOT_RUN if kind is None else Outcome.INFRASTRUCTURE,
        steps=None,
        tests=None,
        fault=None if kind is None else Fault(kind=kind, evidence=draw(WORDS)),
        generation=None,
    )


# An example writes files, and reads them with all checks of an import.
@settings(max_examples=settings().max_examples // 5 or 1)
@given(
    st.lists(
        attempts(), min_size=1, max_size=6, unique_by=lambda made: (made.eval, made.sample)
    ).filter(lambda made: any(attempt.outcome in JUDGED for attempt in made))
)
def test_out_and_in_again_nothing_is_lost(made: list[Attempt]) -> None:
    """Ends, steps, reasons, faults, repetitions and replies are those of the record."""
    documents = export_run(make_record(*made))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.json").write_bytes(documents.aggregate)
        (folder / "run_samples.jsonl").write_bytes(documents.samples)
        data = DataFolder(folder / "data")
        import_files(data, folder / "run.json", folder / "run_samples.jsonl")
        (run,), (benchmark,) = read_runs(data), read_benchmarks(data)
    names = {name: f"{texts.title}".split()[-1] for name, texts in benchmark.evals.items()}
    came = {
        (names[each.eval], each.sample): select_facts(names[each.eval], each)
        for each in run.attempts
    }
    for each in made:
        assert came.pop((each.eval, each.sample)) == select_facts(each.eval, each)
    assert {facts.outcome for facts in came.values()} <= {Outcome.NOT_RUN}
