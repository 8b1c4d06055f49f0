"""A resumed run is the same run, with one budget; every change that makes it another is named."""

import os
import signal
from pathlib import Path

import pytest

from records.errors import RunInUseError
from records.files.data_folder import DataFolder
from records.journal.journal import Journal
from records.shapes.run import Run, Withdrawal
from runner.errors import CannotResumeError, MissingKeyError
from runner.evals.discovery import discover
from runner.runs.plan import Destination, RunScope, RunSettings, make_experiment_setup, plan_runs
from runner.runs.resume import plan_resumed
from tests.records import examples
from tests.records.reading import read_local_run
from tests.runner.conftest import EVALS, Host, Serve, SlowProvider
from tests.runner.runs.planned import begin_run

pytestmark = pytest.mark.integration
MODELS = """\
schema_version = 1
[[models]]
slug = "maker/m-high"
name = "M, high"
provider = "Maker"
litellm_id = "openai/m"
api_key_env = "MAKER_API_KEY"
parameters = { reasoning_effort = "high" }
limits = { max_output_tokens = 8000 }
[[models]]
slug = "maker/m-low"
name = "M, low"
provider = "Maker"
litellm_id = "openai/m"
api_key_env = "MAKER_API_KEY"
parameters = { reasoning_effort = "low" }
limits = { max_output_tokens = 1000 }
[[models]]
slug = "local/own"
name = "Own"
provider = "local"
litellm_id = "openai/own"
api_base = "http://127.0.0.1:1/v1"
"""
SERVER = "http://127.0.0.1:9/v1"


@pytest.fixture
def destination(prose_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Destination:
    """A data folder with a registry, for a small suite; the models' key is set."""
    monkeypatch.setenv("MAKER_API_KEY", "a-key-of-the-maker")
    data = DataFolder(tmp_path / "data")
    data.root.mkdir()
    data.models_file.write_text(MODELS)
    return Destination(discover(prose_suite), data)


def begin_model_run(
    destination: Destination,
    model: str,
    *,
    api_base: str | None = None,
    guidelines: Path | None = None,
) -> Run:
    """Begin a run of ``model`` and return it; nobody was asked yet."""
    settings = RunSettings(models=[model], api_base=api_base)
    experiment = make_experiment_setup(destination.suite, None, guidelines)
    scope = RunScope(destination, [experiment], destination.suite.evals)
    (plan,) = plan_runs(settings, scope)
    begin_run(plan.run, destination.folder)
    return plan.run


def change_registry(destination: Destination, old: str, new: str) -> None:
    """Change the registry."""
    text = MODELS.replace(old, new)
    assert text != MODELS
    destination.data.models_file.write_text(text)


@pytest.mark.parametrize("slug", ["maker/m-high", "maker/m-low"])
def test_of_two_entries_of_one_id_the_run_s_own_is_asked(
    destination: Destination, slug: str
) -> None:
    """The slug decides: the first entry with the same litellm id is not used in its place."""
    run = begin_model_run(destination, slug)
    (plan,) = plan_resumed(run.run_id[:8], destination, RunSettings()).plans
    assert plan.entry is not None
    assert plan.entry.slug == slug
    assert plan.entry.parameters == run.model.parameters
    assert plan.run.model.max_output_tokens == run.model.max_output_tokens


@pytest.mark.parametrize(
    ("slug", "old", "new", "named"),
    [
        ("maker/m-low", '"low" }', '"none" }', "parameters"),
        ("maker/m-low", "1000", "2000", "max_output_tokens"),
        ("maker/m-low", "limits = { max_output_tokens = 1000 }", "", "max_output_tokens"),
        ("local/own", '"openai/own"', '"openai/other"', "litellm_id"),
        ("local/own", "127.0.0.1:1/", "127.0.0.1:2/", "at another address"),
        ("local/own", 'api_base = "http://127.0.0.1:1/v1"', "", "at another address"),
        ("maker/m-low", 'slug = "maker/m-low"', 'slug = "maker/m-new"', "is no model of"),
    ],
)
def test_an_entry_that_changed_is_refused_by_its_field(
    destination: Destination, slug: str, old: str, new: str, named: str
) -> None:
    """The message names field and file; without a change the run is resumed."""
    run = begin_model_run(destination, slug)
    assert plan_resumed(run.run_id, destination, RunSettings()).plans
    change_registry(destination, old, new)
    with pytest.raises(CannotResumeError, match=named) as refused:
        plan_resumed(run.run_id, destination, RunSettings())
    assert str(destination.data.models_file) in str(refused.value)


def test_a_server_given_by_address_must_be_given_again(
    destination: Destination, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its address a run is never resumed at a provider whose key happens to be set."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-openai")
    run = begin_model_run(destination, "openai/served", api_base=SERVER)
    for base, message in ((None, "--api-base"), ("http://127.0.0.1:10/v1", "another address")):
        with pytest.raises(CannotResumeError, match=message):
            plan_resumed(run.run_id, destination, RunSettings(api_base=base))
    (plan,) = plan_resumed(run.run_id, destination, RunSettings(api_base=SERVER)).plans
    assert plan.entry is not None
    assert (plan.entry.api_base, plan.entry.api_key_env) == (SERVER, None)


def test_a_model_of_the_registry_is_not_sent_elsewhere(
    destination: Destination, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--api-base beside such a model is refused, and so is a variable that litellm would obey."""
    run = begin_model_run(destination, "maker/m-low")
    with pytest.raises(CannotResumeError, match="leave --api-base out"):
        plan_resumed(run.run_id, destination, RunSettings(api_base=SERVER))
    monkeypatch.setenv("OPENAI_BASE_URL", SERVER)
    with pytest.raises(CannotResumeError, match=r"provider's own address: .* or unset") as refused:
        plan_resumed(run.run_id, destination, RunSettings())
    assert "--api-base" not in str(refused.value)
    redirected = begin_model_run(destination, "maker/m-low")
    assert redirected.model.origin is not None
    assert plan_resumed(redirected.run_id, destination, RunSettings()).plans
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(CannotResumeError, match="another address"):
        plan_resumed(redirected.run_id, destination, RunSettings())


def test_a_missing_key_is_named_only_where_nothing_else_is_wrong(
    destination: Destination, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key does not help where the model itself would be another."""
    run = begin_model_run(destination, "maker/m-low")
    monkeypatch.delenv("MAKER_API_KEY")
    with pytest.raises(MissingKeyError, match="MAKER_API_KEY"):
        plan_resumed(run.run_id, destination, RunSettings())
    change_registry(destination, "1000", "2000")
    with pytest.raises(CannotResumeError, match="max_output_tokens"):
        plan_resumed(run.run_id, destination, RunSettings())


@pytest.mark.parametrize(
    ("settings", "given"),
    [
        (RunSettings(backend="local"), "give --backend embedded"),
        (RunSettings(sandbox="none"), "give --sandbox bwrap"),
    ],
)
def test_answers_of_one_run_are_graded_alike(
    destination: Destination, settings: RunSettings, given: str
) -> None:
    """A resume must give the backend and sandbox options of the record again."""
    run = begin_model_run(destination, "maker/m-low")
    with pytest.raises(CannotResumeError, match=given):
        plan_resumed(run.run_id, destination, settings)


def test_a_record_cannot_turn_the_jail_off(destination: Destination) -> None:
    """A record without a jail, as a stranger's may be, does not turn off the jail of a resume."""
    run = begin_model_run(destination, "maker/m-low")
    begin_run(examples.with_harness(run, sandbox="none"), destination.folder)
    with pytest.raises(CannotResumeError, match="give --sandbox none"):
        plan_resumed(run.run_id, destination, RunSettings())
    assert plan_resumed(run.run_id, destination, RunSettings(sandbox="none")).plans


def test_packages_that_npm_installed_cannot_be_had_again(destination: Destination) -> None:
    """A run whose answers were graded with --install npm is not resumed with linked packages."""
    run = begin_model_run(destination, "maker/m-low")
    begin_run(examples.with_harness(run, install="npm"), destination.folder)
    with pytest.raises(CannotResumeError, match="--install npm"):
        plan_resumed(run.run_id, destination, RunSettings())


def test_guidelines_of_its_own_are_given_again(destination: Destination, tmp_path: Path) -> None:
    """The same text is accepted from any path; missing, other or excess files are refused."""
    text = tmp_path / "my guide v1.2.md"
    text.write_text("Write well.\n")
    own, plain = (
        begin_model_run(destination, "maker/m-low", guidelines=text),
        begin_model_run(destination, "maker/m-low"),
    )
    assert own.experiment.name == "my-guide-v1-2"
    with pytest.raises(CannotResumeError, match="with --guidelines"):
        plan_resumed(own.run_id, destination, RunSettings())
    with pytest.raises(CannotResumeError, match="leave --guidelines out"):
        plan_resumed(plain.run_id, destination, RunSettings(guidelines=text))
    moved = text.rename(tmp_path / "moved.md")
    assert plan_resumed(own.run_id, destination, RunSettings(guidelines=moved)).plans
    moved.write_text("Write better.\n")
    with pytest.raises(CannotResumeError, match="other guidelines"):
        plan_resumed(own.run_id, destination, RunSettings(guidelines=moved))


OTHERS: dict[str, dict[str, object]] = {
    "withdrawn": {"withdrawn": Withdrawal(by="us", reason="a bad day")},
    "published by others": {"provenance": examples.make_imported()},
    "belongs to benchmark version": {"benchmark_version": "0123456789ab"},
}


@pytest.mark.parametrize("named", OTHERS)
def test_a_run_that_cannot_go_on_is_refused(destination: Destination, named: str) -> None:
    """Withdrawn runs, runs of others and runs of another suite stay as they are."""
    run = begin_model_run(destination, "maker/m-low")
    begin_run(run.model_copy(update=OTHERS[named]), destination.folder)
    with pytest.raises(CannotResumeError, match=named):
        plan_resumed(run.run_id, destination, RunSettings())


def test_a_run_in_use_is_reported_before_anything_begins(destination: Destination) -> None:
    """The second of two processes gets the error at once."""
    run = begin_model_run(destination, "maker/m-low")
    journal = destination.folder.get_journal_file(*run.key)
    with Journal.open(journal), pytest.raises(RunInUseError, match="another process"):
        plan_resumed(run.run_id, destination, RunSettings())


def test_a_published_run_is_found_without_publish(destination: Destination) -> None:
    """A run goes on where it was recorded."""
    published = destination._replace(publish=True)
    run = begin_model_run(destination, "maker/m-low")
    destination.folder.get_journal_file(*run.key).unlink()
    destination.folder.get_run_file(*run.key).unlink()
    begin_run(run, published.folder)
    assert plan_resumed(run.run_id, destination, RunSettings()).destination == published


ALLOWED = 1000
"""The most tokens of a reply, which cost a dollar; the provider reports no token counts."""


@pytest.fixture
def silent_biller(serve: Serve) -> SlowProvider:
    """A provider that reports no usage, and so may bill the full limit of each request."""
    slow = {"text": "Prose, no files.", "delay_s": 0.2, "report_usage": False}
    return serve({"default": slow})


@pytest.mark.more
@pytest.mark.parametrize(
    "host",
    ["first step", pytest.param("all steps", marks=pytest.mark.night)],
    indirect=True,
)
def test_no_more_is_asked_than_the_budget_pays_for_through_kills_and_resumes(
    prose_suite: Path, silent_biller: SlowProvider, host: Host, tmp_path: Path
) -> None:
    """Cut off requests count, the record keeps the budget, and a larger budget resumes the run."""
    data = DataFolder(tmp_path / "data")
    options = [
        *("--api-base", silent_biller.address, "--price", "0/1000", "--max-tokens", str(ALLOWED)),
        *("--evals", str(prose_suite), "--data", str(data.root), "--graders", "1"),
        *("--concurrency", "4"),
    ]
    child = host.start(["run", "-m", "openai/scripted", "--budget", "6", *options])
    silent_biller.wait_until_asked(2)
    os.kill(child, signal.SIGKILL)
    host.wait()
    run = read_local_run(data.root)
    assert run.budget_usd == 6
    assert run.model.max_output_tokens == ALLOWED

    child = host.start(["run", "--resume", run.run_id, *options])
    silent_biller.wait_until_asked(4)
    os.kill(child, signal.SIGKILL)
    host.wait()
    host.start(["run", "--resume", run.run_id, *options])
    assert host.wait() == 3
    assert 4 <= len(silent_biller.list_asked()) <= 6
    assert read_local_run(data.root).status == "aborted"

    host.start(["run", "--resume", run.run_id, "--budget", "50", *options])
    assert host.wait() == 0
    resumed = read_local_run(data.root)
    assert resumed.status == "completed"
    assert resumed.budget_usd == 50
    assert len(resumed.attempts) == EVALS


def test_the_reply_that_used_the_budget_up_is_kept(
    prose_suite: Path, silent_biller: SlowProvider, host: Host, tmp_path: Path
) -> None:
    """The reply stays, though its tokens are still being counted when the money runs out."""
    data = DataFolder(tmp_path / "data")
    options = [
        *("--api-base", silent_biller.address, "--price", "0/1000", "--max-tokens", str(ALLOWED)),
        *("--evals", str(prose_suite), "--data", str(data.root), "--concurrency", "1"),
    ]
    host.start(["run", "-m", "openai/scripted", "--budget", "3", *options])
    assert host.wait() == 3
    assert len(silent_biller.list_asked()) == 3
    host.start(["run", "--resume", read_local_run(data.root).run_id, "--budget", "50", *options])
    assert host.wait() == 0
    assert sorted(silent_biller.list_asked()) == list(range(EVALS))
