"""The way from a journal to a record and back, and the facts that survive it."""

from pathlib import Path

import pytest

from records.archives.archive import Archive, Message
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.journal.entries import Generated, Graded, Opened, make_opening_entry
from records.journal.journal import Journal, read
from records.reader import read_run
from records.shapes.attempt import (
    Attempt,
    AttemptKey,
    Fault,
    FaultClass,
    Generation,
    Outcome,
    StepName,
    make_attempt,
)
from runner.evals.discovery import Eval, discover
from runner.runs.plan import RunPlan
from runner.runs.record import explain_reason, finish, reopen
from tests.records import examples
from tests.runner.runs.planned import plan_run

pytestmark = pytest.mark.unit
ROOT = Path(__file__).parents[3]


@pytest.fixture
def plan() -> RunPlan:
    """A run of a baseline over the three first evals of the suite."""
    return plan_run("baseline/stub", discover(ROOT / "evals").evals[:3])


def make_graded_attempt(evaluation: Eval, outcome: Outcome) -> Attempt:
    """An attempt as grading leaves it."""
    facts: dict[str, object] = {"steps": (), "graded_at": examples.NOON}
    if outcome is Outcome.FAILED:
        facts |= {"failed_step": StepName.DEPLOY, "reason": "it does not deploy"}
    elif outcome is Outcome.INFRASTRUCTURE:
        facts["fault"] = Fault(kind=FaultClass.BACKEND, evidence="the backend was away")
    return make_attempt(evaluation.name, 1, outcome, **facts)


def write_journal(plan: RunPlan, folder: DataFolder, outcomes: list[Outcome | None]) -> Path:
    """Write a journal in which each eval was asked, and judged where an outcome is given."""
    path = folder.get_journal_file(*plan.run.key)
    with examples.create_journal(path, Opened(run=plan.run)) as journal:
        for evaluation, outcome in zip(plan.evals.values(), outcomes, strict=True):
            journal.append(
                Generated(
                    eval=evaluation.name,
                    sample=1,
                    messages=(Message(role="user", content="Write it."),),
                    reply=f"The reply to {evaluation.name}.",
                    generation=None,
                    fault=None,
                )
            )
            if outcome is not None:
                files = {"package.json": "{}\n"}
                graded = Graded(
                    attempt=make_graded_attempt(evaluation, outcome), files=files, logs={}
                )
                journal.append(graded)
    return path


def test_a_judged_run_becomes_a_record_and_its_journal_goes(plan: RunPlan, tmp_path: Path) -> None:
    """The record is complete, the archive holds the written files, and the journal is gone."""
    folder = DataFolder(tmp_path)
    journal = write_journal(plan, folder, [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED])
    run = finish(folder, journal)
    assert run.status == "completed"
    assert read_run(folder.get_run_file(*run.key)) == run
    assert not journal.exists()
    with Archive(folder.get_artifact_file(*run.key)) as archive:
        assert archive.read(run.planned[0], 1).reply == f"The reply to {run.planned[0]}."


def test_unjudged_attempts_are_not_run_and_the_journal_stays(plan: RunPlan, tmp_path: Path) -> None:
    """An aborted run lists the missing verdicts; the finished reply stays for a resume."""
    folder = DataFolder(tmp_path)
    journal = write_journal(plan, folder, [Outcome.PASSED, None, None])
    run = finish(folder, journal)
    assert run.status == "aborted"
    assert [recorded.outcome for recorded in run.attempts] == [
        Outcome.PASSED,
        Outcome.NOT_RUN,
        Outcome.NOT_RUN,
    ]
    assert len(examples.list_ungraded(read(journal))) == 2


def test_a_finished_run_reopens_with_verdicts_and_replies(plan: RunPlan, tmp_path: Path) -> None:
    """Resuming a run with infrastructure attempts keeps verdicts and asks for no reply again."""
    folder = DataFolder(tmp_path)
    written = write_journal(plan, folder, [Outcome.PASSED, Outcome.INFRASTRUCTURE, Outcome.FAILED])
    run = finish(folder, written)
    path = reopen(folder, run, make_opening_entry(run))
    with Journal.open(path) as journal:
        assert [settled.outcome for settled in journal.attempts.values()] == [
            Outcome.PASSED,
            Outcome.INFRASTRUCTURE,
            Outcome.FAILED,
        ]
        generated = journal.find_generation(AttemptKey(run.planned[1], 1))
        assert generated is not None
        assert generated.reply == f"The reply to {run.planned[1]}."
    assert finish(folder, path).attempts == run.attempts


def test_a_fault_of_the_provider_is_kept_beside_a_reply_that_was_cut(
    plan: RunPlan, tmp_path: Path
) -> None:
    """A reply that the provider cut off was not graded: a resume must ask, not grade the part."""
    folder = DataFolder(tmp_path)
    first, *_ = plan.evals.values()
    cut = Fault(kind=FaultClass.TRUNCATED_BY_SERVER, evidence="it ended at 200 of 4096 tokens")
    unjudged = make_graded_attempt(first, Outcome.INFRASTRUCTURE)
    run = finish(folder, write_journal(plan, folder, [Outcome.PASSED] * 3))
    cut_short = unjudged.model_copy(update={"fault": cut, "steps": None})
    run = run.model_copy(update={"attempts": (cut_short, *run.attempts[1:])})
    path = reopen(folder, run, make_opening_entry(run))
    with Journal.open(path) as journal:
        generated = journal.find_generation(AttemptKey(first.name, 1))
        assert generated is not None
        assert (generated.reply, generated.fault) == (f"The reply to {first.name}.", cut)


def test_a_journal_made_anew_is_whole_or_not_there(plan: RunPlan, tmp_path: Path) -> None:
    """Where an archive cannot be read to its end, no part of a journal is left for a resume."""
    folder = DataFolder(tmp_path)
    run = finish(folder, write_journal(plan, folder, [Outcome.PASSED] * 3))
    stranger = run.attempts[2].model_copy(update={"sample": 9})
    with pytest.raises(RecordsError):
        reopen(
            folder,
            run.model_copy(update={"attempts": (*run.attempts, stranger)}),
            make_opening_entry(run),
        )
    record = folder.get_run_file(*run.key)
    assert list(record.parent.iterdir()) == [record]


def test_the_cost_of_an_answer_without_a_verdict_is_in_the_record(
    plan: RunPlan, tmp_path: Path
) -> None:
    """A run that is stopped before grading has paid all the same; resuming counts the cost once."""
    folder = DataFolder(tmp_path)
    path = write_journal(plan, folder, [Outcome.PASSED, None, None])
    second, third = plan.run.planned[1:]
    answers = [
        Generated(
            eval=name,
            sample=1,
            messages=(),
            reply=reply,
            generation=examples.make_generation(0.25) if reply else None,
            fault=None if reply else Fault(kind=FaultClass.PROVIDER_ERROR, evidence="HTTP 503"),
            failed_tries_usd=0.5,
        )
        for name, reply in ((second, "The reply."), (third, None))
    ]
    with Journal.open(path) as journal:
        for entry in answers:
            journal.append(entry)
    run = finish(folder, path)
    assert [recorded.outcome for recorded in run.attempts[1:]] == [Outcome.NOT_RUN, Outcome.NOT_RUN]
    assert run.attempts[1].generation == answers[0].generation
    assert (run.totals.cost_usd, run.totals.failed_tries_usd) == (0.25, 1.0)
    with Journal.open(path) as journal:
        journal.append(Graded(attempt=judge_answer(answers[0]), files={}, logs={}))
    assert finish(folder, path).totals.cost_usd == 0.25


def judge_answer(asked: Generated) -> Attempt:
    """The verdict on an answer: failed, with the cost of the answer."""
    costs = {"generation": asked.generation, "failed_tries_usd": asked.failed_tries_usd}
    return make_attempt(asked.eval, asked.sample, Outcome.FAILED, **costs)


def test_failed_tries_and_budget_outlive_finishing_and_reopening(
    plan: RunPlan, tmp_path: Path
) -> None:
    """The cost of failed tries, and the limit over the whole run, are there after a resume."""
    folder = DataFolder(tmp_path)
    limited = RunPlan(
        plan.run.model_copy(update={"budget_usd": 5.0}), plan.entry, plan.evals, plan.guidelines
    )
    path = write_journal(limited, folder, [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED])
    with Journal.open(path) as journal:
        entry = journal.find_generation(AttemptKey(plan.run.planned[0], 1))
        assert entry is not None
        entry = entry.model_copy(
            update={"failed_tries_usd": 0.5, "generation": examples.make_generation(0.25)}
        )
        journal.append(entry)
        journal.append(Graded(attempt=judge_answer(entry), files={}, logs={}))
    run = finish(folder, path)
    again = reopen(folder, run, make_opening_entry(run))
    reopened = read(again).find_generation(AttemptKey(plan.run.planned[0], 1))
    assert reopened is not None
    assert (reopened.failed_tries_usd, reopened.generation) == (0.5, examples.make_generation(0.25))
    finished = finish(folder, again)
    assert (finished.budget_usd, finished.totals) == (5.0, run.totals)
    assert finished == run


def test_finishing_twice_changes_no_byte(plan: RunPlan, tmp_path: Path) -> None:
    """A process killed before its journal was gone leaves a record that the next finish keeps."""
    folder = DataFolder(tmp_path)
    path = write_journal(plan, folder, [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED])
    journal = path.read_bytes()
    run = finish(folder, path)
    files = [folder.get_run_file(*run.key)]
    files.append(folder.get_artifact_file(*run.key))
    before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    path.write_bytes(journal)
    assert finish(folder, path) == run
    assert not path.exists()
    assert [(file.read_bytes(), file.stat().st_mtime_ns) for file in files] == before


NO_FILE = "the reply holds no file"
FILESYSTEM = StepName.FILESYSTEM


def make_ended_generation(finish_reason: str | None) -> Generation:
    """Return facts of a reply with this finish reason."""
    return examples.make_generation(finish_reason=finish_reason)


LIMIT = "; the reply was cut at its limit of 150 tokens"
CALLS = ": the model calls tools, of which none was offered"


@pytest.mark.parametrize(
    ("word", "reply", "step", "limit", "added"),
    [
        *((word, "Sure!", FILESYSTEM, 150, LIMIT) for word in ("length", "max_tokens")),
        ("MAX_TOKENS", "Sure!", FILESYSTEM, 150, LIMIT),
        ("stop", "Sure!", FILESYSTEM, 150, ""),
        (None, "Sure!", FILESYSTEM, 150, ""),
        ("length", "Sure!", StepName.TESTS, 150, ""),
        ("length", "Sure!", FILESYSTEM, None, ""),
        ("tool_calls", " ", FILESYSTEM, 150, CALLS),
        ("tool_calls", "Sure!", FILESYSTEM, 150, ""),
    ],
)
def test_the_end_of_a_reply_is_named_where_it_is_the_cause(
    word: str | None, reply: str, step: StepName, limit: int | None, added: str
) -> None:
    """A limit that cut nothing, files that were read, and calls beside a text explain nothing."""
    generation = make_ended_generation(word)
    assert explain_reason(NO_FILE, step, reply, generation, limit) == f"{NO_FILE}{added}"


def test_baselines_and_passes_have_nothing_to_explain() -> None:
    """A baseline has no request, and a passed attempt has no reason."""
    assert explain_reason(NO_FILE, FILESYSTEM, "", None, None) == NO_FILE
    assert explain_reason(None, None, "# Files", make_ended_generation("length"), 150) is None
