"""The printed command of `leaderboard run` resumes it, and asks only for missing answers."""

import hashlib
import re
import subprocess
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.journal.entries import make_opening_entry
from records.shapes.attempt import FaultClass, Outcome
from runner.runs.record import reopen
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.conftest import Serve
from tests.records.reading import read_local_run
from tests.runner.conftest import FIRST_STEP_ONLY
from tests.support.warm_command import (
    ROOT,
    Ended,
    get_installed_program,
    make_command_environment,
    make_warm_program,
    start_server,
)

pytestmark = pytest.mark.integration

PROSE = {"text": "Prose, no files."}


def run_shell(line: str, *arguments: str, program: Path | None = None) -> Ended:
    """Run a line as a user would paste it, with the command on the path; ``arguments`` are $@.

    Without a ``program`` the command grades the first step alone.
    """
    folder = (program or make_warm_program(FIRST_STEP_ONLY)).parent
    return subprocess.run(
        ["bash", "-c", line, "bash", *arguments],
        cwd=ROOT,
        env=make_command_environment(PATH=f"{folder}:/usr/local/bin:/usr/bin:/bin"),
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE_S,
        check=False,
        pass_fds=[start_server().fileno()],
    )


def read_file_states(folder: Path) -> dict[str, tuple[str, int]]:
    """Return digest and time of change of every file."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.night
def test_the_line_that_is_printed_goes_on_and_does_no_more_than_is_left(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """Pasted into a shell it asks for the missing answer; pasted again, for no answer."""
    refused = {"match": "<1>", "steps": [{"kind": "status", "status": 400}], "then": PROSE}
    provider = serve({"rules": [refused], "default": PROSE})
    data, guidelines = tmp_path / "my $data", tmp_path / "my guide v1.2.md"
    guidelines.write_text("Write well.\n")
    begun = run_shell(
        'leaderboard run "$@"',
        *("-m", "openai/it's", "--api-base", provider.address, "--guidelines", str(guidelines)),
        *("--evals", str(suite), "--data", str(data), "--graders", "1"),
    )
    assert begun.returncode == 3, begun.stderr
    assert sorted(provider.list_asked()) == [0, 1, 2]
    first = read_local_run(data)
    (line,) = re.findall(r"^leaderboard run --resume .*$", begun.stdout, re.MULTILINE)

    program = get_installed_program("a user's shell finds the program by its path")
    pasted = run_shell(line, program=program)
    assert pasted.returncode == 0, pasted.stderr
    assert provider.list_asked()[3:] == [1]
    run = read_local_run(data)
    assert (run.run_id, run.experiment, run.status) == (first.run_id, first.experiment, "completed")
    assert {attempt.outcome for attempt in run.attempts} == {Outcome.FAILED}
    failed = [candidate for candidate in first.attempts if candidate.outcome is Outcome.FAILED]
    assert [candidate for candidate in run.attempts if candidate in failed] == failed

    before = read_file_states(data)
    again = run_shell(line)
    assert again.returncode == 0, again.stderr
    assert "nothing is left to do" in again.stdout
    assert read_file_states(data) == before
    assert len(provider.list_asked()) == 4


def test_a_reply_that_was_cut_off_is_asked_for_again(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """A resume never makes a provider's fault the model's; the cost of the cut reply is kept."""
    cut = {
        "text": "# Files\n## convex/a.ts\n```ts\nexport",
        "finish": "length",
        "usage": {"prompt_tokens": 7000, "completion_tokens": 200, "total_tokens": 7200},
    }
    rule = {"match": "<0>", "steps": [cut], "then": PROSE}
    provider = serve({"rules": [rule], "default": PROSE})
    data = tmp_path / "data"
    data.mkdir()
    (data / "models.toml").write_text(
        'schema_version = 1\n[[models]]\nslug = "maker/m"\nname = "M"\nprovider = "Maker"\n'
        f'litellm_id = "openai/m"\napi_base = "{provider.address}"\n'
        "limits = { max_output_tokens = 4096 }\nprice = { input = 1, output = 10 }\n"
    )
    options = ["--evals", str(suite), "--data", str(data), "--graders", "1"]
    begun = run_shell('leaderboard run "$@"', "-m", "maker/m", "-f", "000-task", *options)
    assert begun.returncode == 3, begun.stderr
    (attempt,) = read_local_run(data).attempts
    assert attempt.fault is not None
    assert attempt.fault.kind is FaultClass.TRUNCATED_BY_SERVER
    resumed = run_shell('leaderboard run "$@"', "--resume", read_local_run(data).run_id, *options)
    assert resumed.returncode == 0, resumed.stderr
    assert provider.list_asked() == [0, 0]
    (attempt,) = read_local_run(data).attempts
    assert attempt.outcome is Outcome.FAILED
    assert attempt.reason is not None
    assert "middle" not in attempt.reason
    assert attempt.generation is not None
    assert attempt.generation.finish_reason == "stop"


def test_options_that_contradict_a_resume_are_named() -> None:
    """Each contradicting option is named in the error."""
    contradicting = [
        *("-m", "x", "-f", "x", "-c", "x", "-e", "x", "--samples", "2", "--failed"),
    ]
    ended = run_shell('leaderboard run "$@"', "--resume", "abc", *contradicting)
    assert ended.returncode == 2
    last = ended.stderr.splitlines()[-1]
    options = "--model --filter --category --experiment --samples --failed"
    assert set(options.split()) <= set(last.replace(",", "").split())


def test_a_damaged_line_is_set_aside_and_the_run_goes_on(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """The resume names the repair, which lists the lost answer; only that is asked for again."""
    refused = {"match": "<1>", "steps": [{"kind": "status", "status": 400}], "then": PROSE}
    provider = serve({"rules": [refused], "default": PROSE})
    data = tmp_path / "data"
    folders = ["--evals", str(suite), "--data", str(data)]
    more = ["--api-base", provider.address, "--graders", "1"]
    assert run_shell('leaderboard run "$@"', "-m", "openai/m", *folders, *more).returncode == 3
    run = read_local_run(data)
    journal = reopen(DataFolder(data).local, run, make_opening_entry(run))
    lines = journal.read_bytes().splitlines(keepends=True)
    answer = b'{"entry":"generated","eval":"000-fundamentals/002-task"'
    (lost,) = (number for number, line in enumerate(lines) if line.startswith(answer))
    lines[lost] = b"#" + lines[lost]
    journal.write_bytes(b"".join(lines))

    refusal = run_shell('leaderboard run "$@"', "--resume", run.run_id, *folders, *more)
    assert refusal.returncode == 2
    (cure,) = re.findall(r"`(leaderboard check --repair \w+)`", refusal.stderr)
    repaired = run_shell(f'{cure} "$@"', "--data", str(data))
    assert repaired.returncode == 0, repaired.stderr
    assert "an answer of 000-fundamentals/002-task sample 1, to be asked for" in repaired.stdout
    assert "goes on with 2 attempts to ask for and 0 to grade" in repaired.stdout
    resumed = run_shell('leaderboard run "$@"', "--resume", run.run_id, *folders, *more)
    assert resumed.returncode == 0, resumed.stderr
    assert sorted(provider.list_asked()[3:]) == [1, 2]
    checked = run_shell('leaderboard check "$@"', "--data", str(data))
    assert checked.stdout.count(f"{run.run_id}.damaged") == 1
