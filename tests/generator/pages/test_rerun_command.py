"""The command on a run's page repeats the run: it is parsed, planned and compared."""

import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import pytest

from generator.pages.run import build_rerun_command
from leaderboard.commands.running import run_command
from records.files.data_folder import DataFolder
from runner.evals.discovery import Suite, discover
from runner.runs.plan import (
    Destination,
    RunPlan,
    RunScope,
    RunSettings,
    make_experiment_setup,
    plan_runs,
)
from tests.records.examples import make_imported
from tests.runner.conftest import write_prose_suite

pytestmark = pytest.mark.integration

REGISTRY = """\
schema_version = 1

[[models]]
slug = "maker/high"
name = "High"
provider = "Maker"
litellm_id = "openai/Maker-1"

[[models]]
slug = "maker/low"
name = "Low"
provider = "Maker"
litellm_id = "openai/Maker-1"
parameters = { temperature = 0 }

[[models]]
slug = "local/mine"
name = "Mine"
provider = "local"
litellm_id = "openai/Mine"
api_base = "http://127.0.0.1:9/v1"
"""


@pytest.fixture(scope="module")
def destination(tmp_path_factory: pytest.TempPathFactory) -> Destination:
    """A suite of two categories, and a registry in which two models share a litellm id."""
    root, data = tmp_path_factory.mktemp("again it's") / "suite", tmp_path_factory.mktemp("data")
    write_prose_suite(root, 4)
    (root / "000-fundamentals" / "003-task").rename(_make_category(root) / "000-other")
    (data / "models.toml").write_text(REGISTRY)
    return Destination(discover(root), DataFolder(data))


def _make_category(root: Path) -> Path:
    folder = root / "001-more"
    folder.mkdir()
    return folder


def plan_run(arguments: Sequence[str], destination: Destination) -> RunPlan:
    """Return the plan of `leaderboard run` with these arguments."""
    options = run_command.make_context("run", [*arguments]).params
    suite: Suite = destination.suite
    names = {field.name for field in fields(RunSettings)}
    settings = RunSettings(**{name: options[name] for name in names})
    experiment = make_experiment_setup(suite, settings.experiment, settings.guidelines)
    evals = suite.select(settings.pattern, settings.categories)
    (plan,) = plan_runs(settings, RunScope(destination, [experiment], evals))
    return plan


SERVER = "http://127.0.0.1:9/v1"
ORDERS = {
    "a model by its slug": ["-m", "maker/low"],
    "the first of its litellm id": ["-m", "openai/Maker-1"],
    "an entry with an address": ["-m", "local/mine", "-e", "no_guidelines"],
    "an id by hand": ["-m", "openai/GPT:4o", "--samples", "2"],
    "a model by address": ["-m", "openai/Qwen/Qwen3-8B", "--api-base", SERVER],
    "an address without a prefix": ["-m", "Smol LM's", "--api-base", SERVER, "-f", "^000"],
    "parameters by hand": [
        *("-m", "openai/GPT", "--max-tokens", "500", "--set", "temperature=0.2"),
        *("--set", "reasoning_effort=very high", "--set", 'stop="7"', "--set", "seed=null"),
    ],
    "a limit by its parameter": ["-m", "openai/GPT", "--set", "max_completion_tokens=512"],
    "one eval": ["-m", "stub", "-f", "001-task"],
    "some evals": ["-m", "baseline/stub", "-f", "00[12]-task"],
    "a category": ["-m", "oracle", "-c", "001-more", "-e", "no_guidelines"],
    "other guidelines": ["-m", "maker/high", "--guidelines", "FILE", "-e", "mine"],
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_same_again_is_the_same(
    name: str, destination: Destination, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Model, parameters, experiment, evals and samples are those of the run."""
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    mine = tmp_path / "my guidelines.md"
    mine.write_text("Be brief.")
    arguments = [str(mine) if part == "FILE" else part for part in ORDERS[name]]
    run = plan_run(arguments, destination).run
    slugs = {"maker/high", "maker/low", "local/mine"}
    evals = [suite_eval.name for suite_eval in destination.suite.evals]
    command_line = build_rerun_command(run, evals, registered=run.model.slug in slugs)
    assert command_line is not None
    program, subcommand, *again = shlex.split(command_line)
    assert (program, subcommand) == ("leaderboard", "run")
    filled = {"URL": SERVER, "FILE": str(mine)}
    assert ("URL" in again) == ("--api-base" in arguments)
    same = plan_run([filled.get(part, part) for part in again], destination).run
    assert same.model == run.model
    assert same.experiment == run.experiment
    assert same.planned == run.planned
    assert same.samples == run.samples


def test_a_whole_suite_needs_no_filter(destination: Destination) -> None:
    """The command leaves out the options that are defaults."""
    run = plan_run(["-m", "stub"], destination).run
    evals = [suite_eval.name for suite_eval in destination.suite.evals]
    assert build_rerun_command(run, evals, registered=False) == "leaderboard run -m baseline/stub"


def test_nothing_runs_an_import_again(destination: Destination) -> None:
    """A run of somebody else, by another program, has no command."""
    run = plan_run(["-m", "stub"], destination).run
    source = make_imported()
    theirs = run.model_copy(update={"provenance": source})
    assert build_rerun_command(theirs, run.planned, registered=True) is None
