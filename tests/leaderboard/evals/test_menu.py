"""The menu: keys pressed in a terminal become a command that can be pasted."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from leaderboard.runs.menu import Menu
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.writer import write_run
from runner.evals.discovery import discover
from runner.suite.mint import make_benchmark
from tests.leaderboard.commanding import Terminal
from tests.records import examples
from tests.runner.small_suite import write_suite

pytestmark = pytest.mark.unit

UP, DOWN, ENTER, SPACE, CONTROL_C = "\x1b[A", "\x1b[B", "\r", " ", "\x03"
MODELS = """\
schema_version = 1

[[models]]
slug = "maker/small"
name = "Small"
provider = "Maker"
litellm_id = "openai/small"
price = { input = 1.0, output = 4.0 }
limits = { max_output_tokens = 1000 }
"""


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    """A keyboard, with a terminal that drops its output."""
    with create_pipe_input() as keyboard, create_app_session(keyboard, DummyOutput()):
        yield keyboard


@pytest.fixture
def menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Menu]:
    """The menu over a suite of two evals, one model with a price, and nothing run."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    suite = discover(write_suite(tmp_path / "evals"))
    data = tmp_path / "data"
    data.mkdir()
    (data / "models.toml").write_text(MODELS)
    return lambda: Menu(suite, DataFolder(data), ["--data", "a folder"])


def test_evals_are_found_by_typing(
    keys: PipeInput, menu: Callable[[], Menu], capsys: pytest.CaptureFixture[str]
) -> None:
    """Letters narrow the list down; the agreed command names model, evals and budget."""
    keys.send_text(DOWN + ENTER)  # single evals
    keys.send_text(ENTER)  # of the registry
    keys.send_text(SPACE + ENTER)  # its first model
    keys.send_text(DOWN + ENTER)  # no_guidelines
    keys.send_text("streams" + SPACE + ENTER)
    keys.send_text("\x7f2" + ENTER)  # samples
    keys.send_text("0.50" + ENTER)  # budget
    keys.send_text("y")
    assert menu().choose() == [
        *("-m", "maker/small"),
        *("-f", "^(002-queries/007-streams)$"),
        *("-e", "no_guidelines"),
        *("--samples", "2"),
        *("--budget", "0.50"),
        *("--data", "a folder"),
    ]
    output = capsys.readouterr().out
    assert "2 attempts: at most $0.0" in output
    assert "-f '^(002-queries/007-streams)$'" in output
    assert "--data 'a folder'" in output


def test_failures_are_shown_and_run_again(
    keys: PipeInput, menu: Callable[[], Menu], tmp_path: Path
) -> None:
    """The menu lists failures with reasons, and runs the chosen evals by the model's own name."""
    suite = discover(tmp_path / "evals")
    failed, passed = suite.evals
    run = examples.make_run()
    attempts = (
        examples.make_attempt(failed.name, outcome=Outcome.FAILED),
        examples.make_attempt(passed.name),
    )
    run = run.model_copy(
        update={
            "benchmark_version": make_benchmark(suite).version,
            "planned": (failed.name, passed.name),
            "attempts": attempts,
            "model": run.model.model_copy(update={"slug": "maker/small"}),
        }
    )
    write_run(DataFolder(tmp_path / "data").local, run)
    keys.send_text(DOWN + DOWN + ENTER)  # run the failures again
    keys.send_text(ENTER + ENTER)  # the only history; all its failures are chosen
    keys.send_text(ENTER + ENTER + "y")
    chosen = menu().choose() or []
    assert chosen[:6] == ["-m", "maker/small", "-f", f"^({failed.name})$", "-e", "default"]


@pytest.mark.parametrize("before", ["", ENTER, ENTER + ENTER, ENTER + ENTER + SPACE + ENTER])
def test_one_ctrl_c_leaves_at_any_question(
    before: str, keys: PipeInput, menu: Callable[[], Menu]
) -> None:
    """A single Ctrl-C ends all questions, not only the current question."""
    keys.send_text(before + CONTROL_C)
    assert menu().choose() is None


def test_nothing_runs_that_was_not_agreed_to(keys: PipeInput, menu: Callable[[], Menu]) -> None:
    """The last question is asked with the cost in sight; no means no."""
    keys.send_text(ENTER * 2 + SPACE + ENTER * 2 + SPACE + ENTER * 3 + "n")
    assert menu().choose() is None


@pytest.mark.integration
def test_a_narrow_terminal_shows_every_choice_whole(tmp_path: Path) -> None:
    """Without a registry the first question offers baselines, in whole lines."""
    suite, data = write_suite(tmp_path / "evals"), tmp_path / "a-folder-of-data-that-lies-elsewhere"
    data.mkdir()
    with Terminal(["evals", "--evals", str(suite), "--data", str(data)], columns=40) as screen:
        screen.wait_for("What to do?")
        screen.type(ENTER)
        screen.wait_for("A server of yours: llama.cpp")
        screen.type(ENTER)
        screen.wait_for("baseline/stub")
        screen.type(CONTROL_C)
        screen.wait_for_end()
        drawn = "".join(screen.text.split())
    listed = f"Baselines; {data}/models.toml lists no model"
    for line in (listed, "A server of yours: llama.cpp, Ollama, vLLM"):
        assert "".join(line.split()) in drawn
    assert "baseline/oracle·baseline,nokey,free" in drawn


def test_the_registry_that_was_read_is_named(menu: Callable[[], Menu], tmp_path: Path) -> None:
    """The user's own models, in the local registry, are named with their file."""
    data = DataFolder(tmp_path / "data")
    shared = f"Models that {data.models_file} lists, and baselines"
    assert menu().named_models == shared
    data.local.root.mkdir()
    data.local.models_file.write_text(MODELS.replace("maker/small", "maker/own"))
    both = f"{data.models_file} or {data.local.models_file}"
    assert menu().named_models == f"Models that {both} lists, and baselines"
    data.models_file.unlink()
    data.local.models_file.unlink()
    assert menu().named_models == f"Baselines; {data.models_file} lists no model"
