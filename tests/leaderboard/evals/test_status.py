"""`leaderboard evals status`: the user's own runs together, and the command to go on."""

import json
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
from runner.runs.plan import make_experiment_setup
from runner.suite.mint import make_benchmark
from tests.leaderboard.commanding import Terminal
from tests.records import examples
from tests.runner.conftest import write_prose_suite
from tests.runner.runs.test_carry_over import FAILED, NOT_RUN, PASSED, make_run_on_day
from tests.runner.small_suite import write_suite
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A suite of three evals, and records of a model, a stopped run and a shipped baseline."""
    root, folder = tmp_path_factory.mktemp("suite"), tmp_path_factory.mktemp("data")
    write_prose_suite(root, 3)
    suite, data = discover(root), DataFolder(folder)
    first, second, third = (evaluation.name for evaluation in suite.evals)
    same = {
        "benchmark_version": make_benchmark(suite).version,
        "experiment": make_experiment_setup(suite, None, None).make_experiment(),
    }
    shipped = make_run_on_day(
        0, {first: FAILED, second: FAILED, third: FAILED}, "baseline/stub", **same
    )
    write_run(data, examples.with_model(shipped, kind="baseline", litellm_id=None))
    write_run(data, make_run_on_day(1, {first: PASSED}, "aaa/published", **same))
    write_run(data.local, make_run_on_day(2, {first: PASSED, second: FAILED}, "local/mine", **same))
    write_run(
        data.local, make_run_on_day(3, {second: NOT_RUN, third: NOT_RUN}, "local/mine", **same)
    )
    write_run(data.local, make_run_on_day(4, {first: NOT_RUN}, "local/new", **same))
    return root, folder


def run_status(places: tuple[Path, Path], *arguments: str, inside: bool = True) -> str:
    """Return the output of the command; with ``inside`` the folders come after ``status``."""
    where = ["--evals", str(places[0]), "--data", str(places[1])]
    parts = ["status", *where] if inside else [*where, "status"]
    ended = run_command("evals", *parts, *arguments, code=0)
    return ended.stdout


def test_own_runs_stand_first_and_shipped_baselines_only_where_asked(
    places: tuple[Path, Path],
) -> None:
    """Baselines fail by design: 140 of their lines would hide the user's own three."""
    output = run_status(places)
    assert output.index("local/mine default") < output.index("aaa/published default")
    assert "baseline/stub" not in output
    assert "baseline/stub default: 0 of 3 passed" in run_status(places, "-m", "stub")


def test_runs_are_reported_together_and_can_go_on(
    places: tuple[Path, Path],
) -> None:
    """The stopped run takes nothing away; the command to go on has a line of its own."""
    output = run_status(places, "-m", "local/mine", inside=False)
    assert "local/mine default: 1 of 2 passed, 1 eval not run yet" in output
    assert "run dddddddd has 2 attempts left" in output
    root, folder = places
    hint = f"leaderboard run --resume dddddddd --api-base URL --evals {root} --data {folder}"
    assert [line for line in output.splitlines() if line.endswith(hint)]


def test_the_last_line_sums_up_all_that_is_shown(places: tuple[Path, Path]) -> None:
    """The last line of a thousand is the most visible line, so it is the summary."""
    *_, last = run_status(places).splitlines()
    assert last == (
        "In all, 3 models under 1 experiment: 2 of 3 passed, 6 evals not run yet; "
        "3 attempts left in 2 runs"
    )
    *_, last = run_status(places, "-m", "local/mine").splitlines()
    assert last == (
        "In all, 1 model under 1 experiment: 1 of 2 passed, 1 eval not run yet; "
        "2 attempts left in 1 run"
    )


def test_where_nothing_ran_nothing_is_reported_to_have_failed(places: tuple[Path, Path]) -> None:
    """0 of 0, or of 3, would read like a verdict."""
    output = run_status(places, "-m", "local/new", "--failed")
    assert "local/new default: 3 evals not run yet" in output
    assert "passed" not in output
    assert "not_run" not in output


def test_rows_can_be_chosen_as_in_run(places: tuple[Path, Path]) -> None:
    """-m, -f, --level, -e and --failed choose rows, for people and machines alike."""
    rows = json.loads(
        run_status(places, "-m", "local/mine,aaa/published", "-f", "000-task", "--json")
    )
    assert [(row["model"], row["outcome"]) for row in rows] == [
        ("local/mine", "passed"),
        ("aaa/published", "passed"),
    ]
    assert json.loads(run_status(places, "-e", "no_guidelines", "--json")) == []
    shown = json.loads(run_status(places, "--level", "standard", "--level", "hard", "--json"))
    assert shown == json.loads(run_status(places, "--json"))
    refused = run_command("evals", "list", "--evals", places[0], "--level", "basic", code=2)
    assert refused.stdout == ""
    assert "no eval is of level basic" in refused.stderr
    failed = json.loads(run_status(places, "--failed", "--json"))
    assert [(row["model"], row["eval"][-8:]) for row in failed] == [("local/mine", "001-task")]


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


@pytest.mark.unit
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


@pytest.mark.unit
def test_failures_are_shown_and_run_again(
    keys: PipeInput, menu: Callable[[], Menu], tmp_path: Path
) -> None:
    """The menu lists failures with reasons, and runs the chosen evals by the model's own name."""
    suite = discover(tmp_path / "evals")
    failed, passed = suite.evals
    run = examples.make_run(
        benchmark_version=make_benchmark(suite).version,
        planned=(failed.name, passed.name),
        attempts=(
            examples.make_attempt(failed.name, outcome=Outcome.FAILED),
            examples.make_attempt(passed.name),
        ),
    )
    local = DataFolder(tmp_path / "data").local
    write_run(local, examples.with_model(run, slug="maker/small"))
    keys.send_text(DOWN + DOWN + ENTER)  # run the failures again
    keys.send_text(ENTER + ENTER)  # the only history; all its failures are chosen
    keys.send_text(ENTER + ENTER + "y")
    chosen = menu().choose() or []
    assert chosen[:6] == ["-m", "maker/small", "-f", f"^({failed.name})$", "-e", "default"]


@pytest.mark.unit
@pytest.mark.parametrize("before", ["", ENTER, ENTER + ENTER, ENTER + ENTER + SPACE + ENTER])
def test_one_ctrl_c_leaves_at_any_question(
    before: str, keys: PipeInput, menu: Callable[[], Menu]
) -> None:
    """A single Ctrl-C ends all questions, not only the current question."""
    keys.send_text(before + CONTROL_C)
    assert menu().choose() is None


@pytest.mark.unit
def test_nothing_runs_that_was_not_agreed_to(keys: PipeInput, menu: Callable[[], Menu]) -> None:
    """The last question is asked with the cost in sight; no means no."""
    keys.send_text(ENTER * 2 + SPACE + ENTER * 2 + SPACE + ENTER * 3 + "n")
    assert menu().choose() is None


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


@pytest.mark.unit
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
