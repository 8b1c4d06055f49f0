import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from records.archives.archive import Message, write_archive
from records.errors import InvalidRecordError, MissingRecordError, RunInUseError
from records.files.plain_files import is_locked
from records.journal.entries import Asking, Generated, Graded, Opened
from records.journal.journal import Journal, lock_journal, read
from records.shapes.attempt import AttemptKey, CostBasis, Fault, FaultClass, Outcome
from tests.records import examples
from tests.records.archives.reading import read_attempt
from tests.records.examples import create_journal

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
PLAN = Opened(run=examples.make_run(planned_only=True))
FIRST, SECOND, THIRD = (AttemptKey(examples.make_eval_name(number), 1) for number in range(3))


def make_generated(place: AttemptKey, reply: str | None = "# Files") -> Generated:
    """Return the stage of a model's answer; no reply means the provider failed."""
    fault = Fault(kind=FaultClass.PROVIDER_ERROR, evidence="503")
    return Generated(
        eval=place.eval,
        sample=place.sample,
        messages=(Message(role="user", content="Write it."),),
        reply=reply,
        generation=None if reply is None else examples.make_generation(),
        fault=fault if reply is None else None,
    )


def make_graded(place: AttemptKey, outcome: Outcome = Outcome.PASSED) -> Graded:
    """Return the stage of a verdict."""
    attempt = examples.make_attempt(place.eval, place.sample, outcome)
    return Graded(attempt=attempt, files={"convex/a.ts": "é"}, logs={"tests": "8 passed"})


def fill_journal(path: Path) -> list[Generated | Graded]:
    """Write a journal of three stages and return them."""
    entries = [make_generated(SECOND), make_graded(SECOND), make_generated(FIRST)]
    with create_journal(path, PLAN) as journal:
        for entry in entries:
            journal.append(entry)
    return entries


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a journal that is not there yet."""
    return tmp_path / "run.journal.jsonl"


def test_a_run_goes_on_where_it_stopped(path: Path) -> None:
    """Verdicts, and replies that wait for a verdict, are there after the journal is reopened."""
    entries = fill_journal(path)

    with Journal.open(path) as journal:
        assert journal.header == PLAN
        assert journal.attempts == {SECOND: examples.make_attempt(SECOND.eval)}
        assert journal.find_generation(FIRST) == entries[2]
        assert journal.find_generation(THIRD) is None
        journal.append(make_graded(FIRST))

    state = read(path)
    assert [attempt.eval for attempt in state.attempts.values()] == [FIRST.eval, SECOND.eval]
    artifacts = state.read_attempt_artifacts()
    assert [(each.eval, each.sample) for each in artifacts] == [FIRST, SECOND]
    assert examples.list_ungraded(state) == []


def test_cut_at_any_byte_it_keeps_every_whole_line(tmp_path: Path) -> None:
    """A torn last line is dropped, cut off when the journal is opened, and nothing else is lost."""
    whole = tmp_path / "whole.jsonl"
    fill_journal(whole)
    data = whole.read_bytes()
    ends = [number + 1 for number, byte in enumerate(data) if byte == ord("\n")]
    path = tmp_path / "cut.jsonl"
    near_ends = {end + step for end in ends for step in range(-3, 4)}
    for size in sorted(
        {*near_ends, *range(ends[0], len(data), 23)} & {*range(ends[0], len(data) + 1)}
    ):
        path.write_bytes(data[:size])
        whole_lines = sum(end <= size for end in ends)

        state = read(path)

        assert state.end == ends[whole_lines - 1]
        assert len(state.attempts) == (whole_lines >= 3)
        assert (state.find_generation(FIRST) is not None) == (whole_lines == 4)
        if size % 5 == 0:
            with Journal.open(path) as journal:
                journal.append(make_graded(THIRD))
            assert THIRD in read(path).attempts


def test_cut_inside_the_first_line_it_names_the_remedy(path: Path) -> None:
    """The message has the repair; the first line is written whole, so no run began without it."""
    fill_journal(path)
    first = path.read_bytes().splitlines()[0]
    for size in (0, 1, len(first) // 2, len(first)):
        path.write_bytes(first[:size])
        with pytest.raises(InvalidRecordError, match="line 1: does not open a run"):
            read(path)


@pytest.mark.parametrize("rest", [b"\0" * 512, b"\0" * 511 + b"\n", b'{"entry":"gra\n'])
def test_a_loss_of_power_leaves_a_torn_line(path: Path, rest: bytes) -> None:
    """File systems may extend a file before its data arrives."""
    fill_journal(path)
    whole = path.read_bytes()
    path.write_bytes(whole + rest)

    assert read(path).end == len(whole)
    Journal.open(path).close()
    assert path.read_bytes() == whole


@pytest.mark.parametrize("broken", [b"{}\n", b"junk\n", b'{"entry":"graded"}\n', b"\0\0\n"])
def test_damage_in_the_middle_is_an_error(path: Path, broken: bytes) -> None:
    """Only a last line can be torn by a crash; other damage has another cause."""
    fill_journal(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], broken, *lines[1:]]))

    with pytest.raises(InvalidRecordError, match="at byte"):
        read(path)


def test_a_new_generation_puts_the_earlier_verdict_aside(path: Path) -> None:
    """After a provider's fault the model is asked again, and the last answer counts."""
    with create_journal(path, PLAN) as journal:
        journal.append(make_generated(FIRST, reply=None))
        journal.append(make_graded(FIRST, Outcome.INFRASTRUCTURE))
        assert FIRST in journal.list_unanswered()
        journal.append(make_generated(FIRST))
        assert journal.attempts == {}
        assert examples.list_ungraded(read(path)) == [FIRST]
        journal.append(make_graded(FIRST))
        assert [a.outcome for a in journal.attempts.values()] == [Outcome.PASSED]


def test_unplanned_attempts_are_refused(path: Path) -> None:
    """A journal belongs to one run; a refused entry leaves no trace."""
    with create_journal(path, PLAN) as journal:
        size = path.stat().st_size
        for key in (AttemptKey("000-category/014-eval", 1), AttemptKey(FIRST.eval, 2)):
            with pytest.raises(InvalidRecordError, match="was not planned"):
                journal.append(make_generated(key))
    assert path.stat().st_size == size


def test_one_process_writes_at_a_time(path: Path, tmp_path: Path) -> None:
    """A second writer gets an error; a reader gets none; the lock goes with its holder."""
    with create_journal(path, PLAN):
        with pytest.raises(RunInUseError, match="another process"):
            Journal.open(path)
        with pytest.raises(FileExistsError, match="resume it"):
            create_journal(path, PLAN)
        assert read(path).attempts == {}
    Journal.open(path).close()
    with pytest.raises(MissingRecordError, match="no such file"):
        Journal.open(tmp_path / "gone")


def test_threads_may_append_at_once(path: Path) -> None:
    """Large entries from several threads never mix."""
    plan = Opened(run=examples.make_run(evals=40, planned_only=True))
    keys = [AttemptKey(examples.make_eval_name(number), 1) for number in range(40)]
    entries = [make_generated(key, key.eval * 3000) for key in keys]
    with create_journal(path, plan) as journal, ThreadPoolExecutor(8) as pool:
        list(pool.map(journal.append, entries))

    state = read(path)
    assert examples.list_ungraded(state) == keys
    for key in keys:
        entry = state.find_generation(key)
        assert entry is not None
        assert entry.reply == key.eval * 3000


@pytest.mark.integration
def test_large_replies_stay_on_the_disk(path: Path) -> None:
    """A hundred replies of 2 MB are read back without being in memory together."""
    reader = (
        "import resource, sys; from pathlib import Path; from records.journal.journal import read\n"
        "from tests.records.examples import list_ungraded\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "ungraded = list_ungraded(read(Path(sys.argv[1])))\n"
        "print(len(ungraded), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    plan = Opened(run=examples.make_run(evals=30, planned_only=True))
    with create_journal(path, plan) as journal:
        for number in range(30):
            journal.append(
                make_generated(AttemptKey(examples.make_eval_name(number), 1), "x" * 2_000_000)
            )

    output = subprocess.check_output([sys.executable, "-c", reader, str(path)], text=True)

    count, grown_kib = map(int, output.split())
    assert count == 30
    assert grown_kib < 25_000


def test_the_cost_of_a_run_is_known_from_its_journal(tmp_path: Path) -> None:
    """The cost has replies, failed tries, and requests without any reply."""

    def make_asking(place: AttemptKey, usd: float) -> Asking:
        return Asking(eval=place.eval, sample=place.sample, at_most_usd=usd)

    reported = examples.make_generation().model_copy(
        update={"cost_usd": 0.25, "cost_basis": CostBasis.REPORTED}
    )
    unreported = reported.model_copy(update={"cost_usd": None, "cost_basis": CostBasis.UNKNOWN})
    path = tmp_path / "run.journal.jsonl"
    with create_journal(path, PLAN) as journal:
        for entry in (
            *(make_asking(FIRST, 1.0), make_asking(FIRST, 1.0)),
            make_generated(FIRST).model_copy(
                update={"generation": reported, "failed_tries_usd": 0.5}
            ),
            *(make_asking(SECOND, 2.0), make_asking(SECOND, 2.0)),
            make_generated(SECOND).model_copy(
                update={"generation": unreported, "failed_tries_usd": 0.0}
            ),
            make_asking(THIRD, 8.0),
        ):
            journal.append(entry)
        assert journal.find_unsettled_cost(THIRD) == 8.0
        assert journal.find_unsettled_cost(FIRST) == 0.0
    assert read(path).spent_usd == 0.75 + 4.0 + 8.0


def test_text_that_utf8_cannot_hold_is_mended(path: Path) -> None:
    """A provider's JSON may hold half a surrogate pair; the run must not die of it."""
    with create_journal(path, PLAN) as journal:
        journal.append(make_generated(FIRST, json.loads('"a\\ud800b\\u0000"')))
        entry = journal.find_generation(FIRST)

    assert entry is not None
    assert entry.reply == "a?b\0"


def test_the_archive_of_a_run_comes_from_its_journal(path: Path, tmp_path: Path) -> None:
    """Messages and reply come from the generation, files and logs from the verdict."""
    fill_journal(path)
    archive = tmp_path / "run.zip"

    write_archive(archive, read(path).read_attempt_artifacts())

    artifact = read_attempt(archive, *SECOND)
    assert artifact.messages == (Message(role="user", content="Write it."),)
    assert (artifact.reply, artifact.files, artifact.logs) == (
        "# Files",
        {"convex/a.ts": "é"},
        {"tests": "8 passed"},
    )


MAKING = """
import sys, time
from pathlib import Path
from records.journal.journal import Journal
from tests.records.journal.test_journal import FIRST, PLAN, make_generated

def slowly():
    print("begun", flush=True)
    sys.stdin.readline()
    yield make_generated(FIRST)

Journal.write_whole(Path(sys.argv[1]), PLAN, slowly())
print("done", flush=True)
"""


@pytest.mark.integration
def test_two_that_make_a_journal_at_once_make_one(path: Path) -> None:
    """The second waits for the first, finds its journal, and does not replace it."""
    first = subprocess.Popen(
        [sys.executable, "-c", MAKING, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdin is not None
    assert first.stdout is not None
    with first, ThreadPoolExecutor(1) as pool:
        assert first.stdout.readline() == "begun\n"
        second = pool.submit(Journal.write_whole, path, PLAN, [])
        first.stdin.write("\n")
        first.stdin.flush()
        assert first.stdout.readline() == "done\n"
        with pytest.raises(FileExistsError):
            second.result()
    assert examples.list_ungraded(read(path)) == [FIRST]


@pytest.mark.integration
def test_a_journal_that_was_finished_while_it_was_opened_is_not_written_to(path: Path) -> None:
    """Lines that are appended to a file without a name would be lost without a word."""
    fill_journal(path)
    program = (
        "import sys; from pathlib import Path; from records.journal.journal import Journal\n"
        "with Journal.open(Path(sys.argv[1])):\n"
        "    print('open', flush=True); sys.stdin.readline(); Path(sys.argv[1]).unlink()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdout.readline()
        assert is_locked(path)
        with pytest.raises(RunInUseError), lock_journal(path):
            pass
        other.stdin.write("\n")
        other.stdin.flush()
    with pytest.raises(MissingRecordError):
        Journal.open(path)
