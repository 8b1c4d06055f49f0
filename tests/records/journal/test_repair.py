"""A damaged line loses its own entry, and nothing else of the run."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records.archives.archive import compute_artifact_digest
from records.errors import InvalidRecordError, RecordsError, RunInUseError
from records.journal.entries import Generated, Graded, Opened, build_artifact, encode_entry
from records.journal.journal import Journal, read, repair
from records.shapes.attempt import AttemptKey
from tests.records import examples
from tests.records.journal.test_journal import PLAN, make_generated, make_graded

pytestmark = pytest.mark.unit

PLACES = [AttemptKey(examples.make_eval_name(number), 1) for number in range(3)]
FIRST, SECOND, THIRD = PLACES


def make_verdict(entry: Generated) -> Graded:
    """Return the verdict on an answer, with the digest of its artifact."""
    verdict = make_graded(entry.place)
    digest = compute_artifact_digest(build_artifact(entry, verdict))
    attempt = verdict.attempt.model_copy(update={"artifact": digest})
    return verdict.model_copy(update={"attempt": attempt})


def fill_journal(path: Path) -> list[bytes]:
    """Write the journal of a run with two verdicts and an answer that waits; return its lines."""
    answers = [make_generated(key, f"The answer to {key.eval}") for key in PLACES]
    with examples.create_journal(path, PLAN) as journal:
        for entry in (
            answers[0],
            make_verdict(answers[0]),
            answers[1],
            answers[2],
            make_verdict(answers[2]),
        ):
            journal.append(entry)
    return path.read_bytes().splitlines(keepends=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The place of the journal."""
    return tmp_path / "run.journal.jsonl"


def damage_line(path: Path, lines: list[bytes], number: int) -> bytes:
    """Damage a line, counted from 1; return it."""
    whole = lines[number - 1]
    broken = b"\0" + whole[1:]
    path.write_bytes(b"".join([*lines[: number - 1], broken, *lines[number:]]))
    return broken


def test_the_reader_names_the_command(path: Path) -> None:
    """The error on the damage names the command that repairs it."""
    damage_line(path, fill_journal(path), 3)
    with pytest.raises(InvalidRecordError, match="`leaderboard check --repair run`"):
        Journal.open(path)


def test_a_lost_verdict_is_reached_again(path: Path) -> None:
    """Its answer is there, so no model is asked."""
    lines = fill_journal(path)
    broken = damage_line(path, lines, 3)
    repaired = repair(path, None)
    (loss,) = repaired.losses
    assert (loss.number, loss.kind, loss.place) == (3, "graded", FIRST)
    assert repaired.aside.read_bytes() == broken
    assert (repaired.asked, repaired.graded) == ([], [FIRST, SECOND])
    state = read(path)
    assert examples.list_ungraded(state) == [FIRST, SECOND]
    assert THIRD in state.attempts


def test_a_lost_answer_takes_its_verdict_along(path: Path) -> None:
    """A verdict on a lost answer could not be checked by anybody."""
    lines = fill_journal(path)
    damage_line(path, lines, 2)
    repaired = repair(path, None)
    assert [(loss.number, loss.kind) for loss in repaired.losses] == [
        (2, "generated"),
        (3, "graded"),
    ]
    assert "judges an answer that is lost" in repaired.losses[1].reason
    assert repaired.asked == [FIRST]
    with Journal.open(path) as journal:
        assert journal.find_generation(FIRST) is None
        journal.append(make_generated(FIRST, "Once more."))


def test_a_verdict_is_not_laid_to_an_earlier_answer(path: Path) -> None:
    """The verdict on a lost last answer does not go to the earlier answer."""
    earlier, later = make_generated(FIRST, "The first."), make_generated(FIRST, "The second.")
    with examples.create_journal(path, PLAN) as journal:
        for entry in (earlier, later, make_verdict(later)):
            journal.append(entry)
    damage_line(path, path.read_bytes().splitlines(keepends=True), 3)
    repaired = repair(path, None)
    assert [loss.number for loss in repaired.losses] == [3, 4]
    assert FIRST in repaired.graded


def test_a_verdict_on_an_attempt_that_was_not_planned_is_named_as_such(path: Path) -> None:
    """Its loss is not laid to a lost answer, which nobody would find."""
    fill_journal(path)
    stray = make_graded(AttemptKey("900-other/000-eval", 1))
    path.write_bytes(path.read_bytes() + encode_entry(stray))
    (loss,) = repair(path, None).losses
    assert loss.reason == "900-other/000-eval sample 1 was not planned"


def test_the_first_line_comes_from_the_record(path: Path) -> None:
    """The record has the run's plan, too; without a record the plan is lost."""
    lines = fill_journal(path)
    damage_line(path, lines, 1)
    with pytest.raises(InvalidRecordError, match="delete this journal"):
        repair(path, None)
    repaired = repair(path, PLAN)
    assert [loss.kind for loss in repaired.losses] == ["opened"]
    assert path.read_bytes() == b"".join(lines)


def test_sound_lines_stay_unchanged(path: Path) -> None:
    """A journal without damage is not touched, and nothing is set aside."""
    lines = fill_journal(path)
    path.write_bytes(b"".join(lines) + b'{"entry":"gra')
    before = path.stat()
    repaired = repair(path, None)
    assert (repaired.losses, repaired.aside.exists()) == ([], False)
    assert path.stat() == before


def test_a_run_that_goes_on_is_left_alone(path: Path) -> None:
    """The process of the run would go on writing to the replaced file."""
    fill_journal(path)
    with Journal.open(path), pytest.raises(RunInUseError):
        repair(path, None)


def test_an_older_journal_is_not_taken_for_a_damaged_one(path: Path) -> None:
    """No line of it has today's shape: all lines would be set aside."""
    lines = fill_journal(path)
    old = lines[0].replace(b'"schema_version":3', b'"schema_version":2')
    path.write_bytes(b"".join([old, *lines[1:]]))
    for read_it in (lambda: repair(path, None), lambda: read(path)):
        with pytest.raises(RecordsError, match="earlier version"):
            read_it()
    assert path.read_bytes().startswith(old)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=40), st.integers(0, 40)),
        max_size=4,
    )
)
def test_the_rest_is_kept_in_any_case(path: Path, changes: list[tuple[float, bytes, int]]) -> None:
    """After any change of bytes the journal can be read; each line is kept in it or set aside."""
    path.unlink(missing_ok=True)
    path.with_name("run.damaged").unlink(missing_ok=True)
    lines = fill_journal(path)
    data = b"".join(lines)
    for share, put, instead_of in changes:
        at = int(share * len(data))
        data = data[:at] + put + data[at + instead_of :]
    path.write_bytes(data)
    repaired = repair(path, PLAN)
    state = read(path)
    assert state.header.run.run_id == PLAN.run.run_id
    remaining = [line + b"\n" for line in path.read_bytes().split(b"\n")]
    aside = repaired.aside.read_bytes() if repaired.losses else b""
    for line in data.split(b"\n")[1:-2]:
        assert line + b"\n" in remaining or line in aside
    assert len(repaired.losses) == len({loss.number for loss in repaired.losses})
    if not repaired.losses:
        assert not repaired.aside.exists()


def test_a_new_plan_takes_the_place_of_the_first_line_only(path: Path) -> None:
    """The journal has the higher budget, and every entry stays as it was."""
    lines = fill_journal(path)
    raised = Opened(run=PLAN.run.model_copy(update={"budget_usd": 10.0}))
    Journal.replan(path, raised)
    assert read(path).header == raised
    assert path.read_bytes().splitlines(keepends=True)[1:] == lines[1:]
    before = path.stat()
    Journal.replan(path, raised)
    assert path.stat() == before
