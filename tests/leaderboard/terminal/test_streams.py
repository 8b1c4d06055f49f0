"""Control sequences in output are shown as text, and a lost output ends no command."""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.leaderboard.commanding import PATIENCE_S, run_installed, serve_provider
from tests.records.reading import read_local_run
from tests.runner.conftest import EVALS, FIRST_STEP_ONLY
from tests.support.warm_command import (
    ROOT,
    Ended,
    get_installed_program,
    make_command_environment,
    make_warm_program,
    run_command,
    start_server,
)

pytestmark = pytest.mark.integration

HOSTILE = "\x1b]52;c;aGk=\x07\x1b[2J\x1b]0;owned\x07\rforged\b\b\x9b31m\u202egnp.exe\u2066\x00"
"""Text that writes the clipboard, clears the screen, sets a title and overwrites lines."""
OBEYED = "\x1b\x07\r\b\x9b\u202e\u2066\x00"


@pytest.fixture(scope="module")
def hostile_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A provider that refuses everything with an error full of escapes."""
    default = {"kind": "status", "status": 400, "body": HOSTILE}
    with serve_provider(tmp_path_factory.mktemp("hostile"), {"default": default}) as address:
        yield address


def run(*arguments: str, code: int | None = None) -> Ended:
    """Run the command; answers fail at the first step."""
    return run_command(*arguments, before=FIRST_STEP_ONLY, code=code)


def run_shell(line: str, program: Path | None = None) -> Ended:
    """Run a line of shell in which $L is the command; its exit code is that of the command."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=ROOT,
        env=make_command_environment(L=str(program or make_warm_program(FIRST_STEP_ONLY))),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        pass_fds=[start_server().fileno()],
    )


def assert_nothing_is_obeyed(text: str) -> None:
    """Check that no control character of a stranger is left."""
    assert not set(OBEYED) & set(text)


def test_evidence_of_a_provider_is_shown_in_every_command(
    prose_suite: Path, hostile_address: str, tmp_path: Path
) -> None:
    """run, evals status and check print an error's escapes as code points, each in one line."""
    folders = ["--evals", str(prose_suite), "--data", str(tmp_path / "data")]
    ended = run(
        "run", "-m", "openai/x", "--api-base", hostile_address, "-f", "000-task", *folders, code=3
    )
    status = run("evals", *folders, "status", "--failed")
    for result in (ended, status):
        assert "⟦U+001B⟧" in result.stdout
        assert "forged" in result.stdout
        assert_nothing_is_obeyed(result.stdout + result.stderr)


def test_a_record_cannot_forge_lines_of_check(tmp_path: Path) -> None:
    """A field name with newlines and escapes stays in the line that refuses it."""
    broken = tmp_path / "data" / "runs" / "a" / "b" / ("c" * 32 + ".json")
    broken.parent.mkdir(parents=True)
    broken.write_text('{"schema_version": 3, "\\u001b[2J\\ndata: all right": 1}')
    checked = run("check", "--data", str(tmp_path / "data"), code=1)
    assert_nothing_is_obeyed(checked.stdout)
    assert "data: all right" not in checked.stdout.splitlines()


def test_mistakes_repeat_typed_texts_escaped() -> None:
    """An argument with escapes is shown with visible escapes, in usage errors and in our own."""
    for arguments in (["check", f"--{HOSTILE[:-1]}"], ["run", "-m", f"nobody/{HOSTILE[:-1]}"]):
        ended = run(*arguments, code=2)
        assert_nothing_is_obeyed(ended.stderr)


def test_the_printing_program_is_shown() -> None:
    """The streams themselves do it, so print, warnings and tracebacks are no way around."""
    program = (
        "import sys, warnings\n"
        "from leaderboard.terminal.streams import Streams, say\n"
        "from leaderboard.terminal.error_messages import report_error\n"
        f"Streams()\nhostile = {HOSTILE!r}\n"
        "print(hostile)\nsay(hostile)\nsay(hostile, err=True)\nwarnings.warn(hostile)\n"
        "sys.exit(report_error(ValueError(hostile)))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 3
    assert ended.stdout.count("⟦U+001B⟧]52") == 2
    assert "ValueError" in ended.stderr
    assert "a bug in this program" in ended.stderr.splitlines()[-1]
    assert_nothing_is_obeyed(ended.stdout + ended.stderr)


def test_head_may_stop_reading() -> None:
    """`leaderboard evals list | head -1` prints one line, no complaint, and has not failed."""
    ended = run_shell(
        '"$L" evals list | head -1',
        get_installed_program("a shell's own pipe ends before its program does"),
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(ended.stdout.splitlines()) == 1


def test_a_run_goes_on_when_nobody_reads_it(prose_suite: Path, tmp_path: Path) -> None:
    """The reader leaves after the first line: every eval is still judged and recorded."""
    folders = f"--evals {prose_suite} --data {tmp_path / 'data'}"
    ended = run_shell(f'"$L" run -m baseline/empty {folders} | head -1')
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(read_local_run(tmp_path / "data").attempts) == EVALS


@pytest.mark.more
def test_a_closed_output_is_nobody_s_file(prose_suite: Path, tmp_path: Path) -> None:
    """With standard output closed from the start, no line ends up in a journal or record."""
    folders = f"--evals {prose_suite} --data {tmp_path / 'data'}"
    program = get_installed_program("Python itself starts without a standard output")
    ended = run_shell(f'"$L" run -m baseline/empty {folders} >&-', program)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert read_local_run(tmp_path / "data").status == "completed"


def test_an_output_that_is_full_is_reported_in_one_line() -> None:
    """The exit code is 2: the output is incomplete, and the user can fix that."""
    ended = run_shell('"$L" evals list > /dev/full')
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert "standard output: No space left on device" in line


@pytest.mark.parametrize("again", [False, pytest.param(True, marks=pytest.mark.night)])
def test_ascii_is_enough(
    prose_suite: Path, hostile_address: str, tmp_path: Path, *, again: bool
) -> None:
    """A terminal that knows ASCII only gets question marks, and a run there is recorded.

    By day the run is told of by `evals status`, at night made on that terminal, too.
    """
    folders = ["--evals", str(prose_suite), "--data", str(tmp_path / "data")]
    running = ("run", "-m", "openai/x", "--api-base", hostile_address, "-f", "000-task", *folders)
    run(*running, code=3)
    ended = run_installed(
        "Python reads the encoding of its streams when it starts",
        *(running if again else ("evals", *folders, "status", "--failed")),
        variables={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
    )
    assert ended.returncode == (3 if again else 0)
    assert ended.stdout.isascii()
    assert "?U+001B?" in ended.stdout
    assert len(list(DataFolder(tmp_path / "data").local.list_run_files())) == 1 + again


def test_a_full_disk_and_a_run_in_use_are_reported_in_one_line(
    prose_suite: Path, tmp_path: Path
) -> None:
    """Both faults end concurrent tasks with a line and exit code 2; the run can be resumed."""
    folders = ["--evals", str(prose_suite), "--data", str(tmp_path / "data")]
    # Python would write bytecode that ends at the limit, and fail to import it ever after.
    limit = "export PYTHONDONTWRITEBYTECODE=1; ulimit -S -f 12"
    program = get_installed_program(
        "the limit of a shell holds for the program and all that it starts"
    )
    limited = run_shell(f'{limit}; "$L" run -m baseline/stub {" ".join(folders)}', program)
    assert limited.returncode == 2
    (line,) = limited.stderr.splitlines()
    assert "File too large" in line
    (journal,) = DataFolder(tmp_path / "data").local.list_journal_files()
    with journal.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        ended = run("run", "--resume", journal.name[:8], *folders, code=2)
    (line,) = ended.stderr.splitlines()
    assert f"{journal}: another process" in line
    run("run", "--resume", journal.name[:8], *folders, code=0)
