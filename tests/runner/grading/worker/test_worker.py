"""The grading worker reports every test, and a verdict never comes about by accident."""

import os
import signal
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from multiprocessing import Pipe
from pathlib import Path

import pytest

from records.shapes.attempt import FaultClass, Outcome
from runner.grading.worker.pool import GraderPool, Responder, WorkerReport
from runner.grading.worker.protocol import (
    GradingRequest,
    ServiceQuestion,
    ServiceReply,
    receive,
)
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)


@pytest.fixture(scope="module")
def pool() -> Iterator[GraderPool]:
    """Keep one worker warm for all tests here."""
    with GraderPool() as pool:
        yield pool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder for a grader."""
    return tmp_path


def answer_nothing(asks: ServiceQuestion) -> ServiceReply:
    """Return an empty reply to every question."""
    del asks
    return ServiceReply()


def grade(
    pool: GraderPool,
    folder: Path,
    grader: str,
    *,
    limit_s: float = 20,
    respond: Responder = answer_nothing,
) -> WorkerReport:
    """Run a grader over an answer of one file, without a deployment."""
    path = folder / "grader.py"
    path.write_text(textwrap.dedent(grader), "utf-8")
    request = GradingRequest(
        grader=str(path),
        deployment=None,
        rendering=None,
        files={"convex/notes.ts": "export const one = 1;"},
        time_limit_s=limit_s,
    )
    return pool.run(request, respond)


def list_outcomes(report: WorkerReport) -> list[tuple[str, str, str | None]]:
    """Return each test's name, outcome and message."""
    return [(test.name, test.outcome.value, test.message) for test in report.tests]


def test_each_test_is_reported_with_its_title_and_values(pool: GraderPool, folder: Path) -> None:
    """A failure has the line and the values compared; a title is the docstring's first line."""
    report = grade(
        pool,
        folder,
        TEXTS["each_test_is_reported_with_its_title_and_values"],
    )
    assert report.fault is None
    assert [test.title for test in report.tests] == [
        "The file can be read.",
        "Exports are right.",
        "test_many[1]",
        "test_many[2]",
    ]
    results = list_outcomes(report)
    assert [outcome for _, outcome, _ in results] == ["passed", "failed", "passed", "failed"]
    assert results[1][2] is not None
    assert results[1][2].startswith("grader.py:13: assert ['one'] == ['two']")
    assert results[3] == ("test_many[2]", "failed", "assert 2 == 1 (grader.py:17)")
    assert all(test.duration_s is not None for test in report.tests)


def test_an_error_in_a_test_is_a_failure(pool: GraderPool, folder: Path) -> None:
    """A returned value of a model may make a test raise any error: that is the model's failure."""
    report = grade(pool, folder, "def test_it():\n    None['page']\n")
    assert report.fault is None
    assert list_outcomes(report)[0][1:] == (
        "failed",
        "TypeError: 'NoneType' object is not subscriptable (grader.py:2)",
    )


@pytest.mark.parametrize(
    ("grader", "evidence"),
    [
        ("import nothing_of_this_name", "grader.py cannot be loaded"),
        ("def test_it(:", "grader.py cannot be loaded"),
        ("VALUE = 1", "holds no tests"),
        ("def test_it(no_such_fixture): pass", "no fixture is named no_such_fixture"),
        ("import pytest\ndef test_it(): pytest.skip('later')", "neither skip nor stop"),
        ("import pytest\npytest.skip('later', allow_module_level=True)", "grader.py"),
        ("import pytest\ndef test_it(): pytest.exit('enough')", "no verdict"),
        ("import pytest\n@pytest.mark.xfail\ndef test_it(): assert False", "neither skip nor stop"),
        ("def test_it(convex): pass", "no deployment"),
        ("import os\ndef test_it(): os._exit(0)", "worker died"),
        ("def test_one(): pass\ndef test_it(reference): pass", "no reference deployment"),
    ],
)
def test_a_fault_of_others_is_never_the_models_failure(
    pool: GraderPool, folder: Path, grader: str, evidence: str
) -> None:
    """A grader that cannot be loaded, is misused or dies gives no verdict."""
    report = grade(pool, folder, grader)
    assert report.fault is not None
    assert report.fault.kind is FaultClass.GRADER
    assert evidence in report.fault.evidence
    assert all(test.outcome is not Outcome.FAILED for test in report.tests)


def test_a_test_that_does_not_end_fails_in_time(pool: GraderPool, folder: Path) -> None:
    """The limit ends the current test, and later tests do not run."""
    report = grade(
        pool,
        folder,
        TEXTS["a_test_that_does_not_end_fails_in_time"],
        limit_s=1,
    )
    assert report.fault is None
    assert list_outcomes(report) == [
        ("test_quick", "passed", None),
        (
            "test_endless",
            "failed",
            "the test did not end within the time limit of 1 s for all tests (grader.py:6)",
        ),
        (
            "test_next",
            "failed",
            "the test was not reached within the time limit of 1 s for all tests",
        ),
    ]


def test_a_dead_worker_is_replaced(pool: GraderPool, folder: Path) -> None:
    """After the worker was killed the next grading gets a new worker."""
    grader = "import os\ndef test_it():\n    parent = os.getppid()\n    assert parent == 0"
    first = grade(pool, folder, grader).tests[0].message
    assert first is not None
    os.kill(int(first.split()[1]), signal.SIGKILL)
    second = grade(pool, folder, grader)
    assert second.fault is None
    assert second.tests[0].message != first


def test_an_error_of_the_service_is_not_the_workers(pool: GraderPool, folder: Path) -> None:
    """A full disk of the service, which deploys the reference, kills no worker of good health."""

    def fail(_: ServiceQuestion) -> ServiceReply:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        grade(pool, folder, "def test_it(reference): pass", respond=fail)


def test_many_gradings_run_at_once(pool: GraderPool, folder: Path) -> None:
    """Children of one worker do not wait for each other: each ends once all four have begun."""
    grader = f"""
        import os, time
        from pathlib import Path
        def test_it():
            place = Path({str(folder)!r})
            (place / f"{{os.getpid()}}.begun").touch()
            while len(list(place.glob("*.begun"))) < 4:
                time.sleep(0.01)
    """
    folders = [folder / str(n) for n in range(4)]
    for each in folders:
        each.mkdir()
    with ThreadPoolExecutor(4) as threads:
        reports = list(threads.map(grade, repeat(pool), folders, repeat(grader)))
    assert [list_outcomes(report) for report in reports] == [[("test_it", "passed", None)]] * 4


def test_graders_see_no_key_and_leave_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has a bare environment, and writes no bytecode beside a grader."""
    monkeypatch.setenv("ANY_API_KEY", "secret")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
    text = "import os\ndef test_it(): assert 'ANY_API_KEY' not in os.environ"
    with GraderPool() as pool:
        report = grade(pool, folder, text)
    assert list_outcomes(report) == [("test_it", "passed", None)]
    assert [path.name for path in folder.iterdir()] == ["grader.py"]


def test_checks_beside_the_grader_are_its_own(pool: GraderPool, folder: Path) -> None:
    """A grader may import check_*.py, whose assertions show values too."""
    (folder / "check_numbers.py").write_text("def even(n):\n    assert n % 2 == 0\n", "utf-8")
    report = grade(pool, folder, "from check_numbers import even\ndef test_it(): even(3)")
    message = list_outcomes(report)[0][2]
    assert message is not None
    assert "assert (3 % 2) == 0" in message


@pytest.mark.parametrize("part", [b"", b"\0\0\0\x64", b"\0\0\0\x64half of it"])
def test_a_message_that_stops_in_its_middle_ends_at_the_deadline(part: bytes) -> None:
    """The wait ends for each part of a message, its length included; the other side still lives."""
    ours, theirs = Pipe()
    with ours, theirs:
        os.write(theirs.fileno(), part)
        with pytest.raises(TimeoutError):
            receive(ours, time.monotonic() + 0.2)


def test_a_whole_message_is_read_after_the_deadline() -> None:
    """A late reader loses nothing that came in time; nothing at all is a timeout at once."""
    ours, theirs = Pipe()
    with ours, theirs:
        theirs.send_bytes(b"a message")
        assert receive(ours, time.monotonic() - 1) == b"a message"
        with pytest.raises(TimeoutError):
            receive(ours, time.monotonic() - 1)
