"""`leaderboard run` lists the parameters of requests before any model is asked."""

import json
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.leaderboard.commanding import serve_provider
from tests.runner.conftest import FIRST_STEP_ONLY
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration

FILTER = "000-fundamentals/000-"
ENTRY = """\
schema_version = 1

[[models]]
slug = "google/argon-none"
name = "Argon without reasoning"
provider = "Google"
litellm_id = "gemini/gemini-4-argon"
api_key_env = "GEMINI_API_KEY"
parameters = { reasoning_effort = "none" }
"""


def run_one_eval(data: Path, *arguments: str, code: int | None = None, **variables: str) -> Ended:
    """Run the command over one eval with an environment that holds no other key.

    Answers fail at the first step.
    """
    command_line = ("run", *arguments, "-f", FILTER, "--data", data)
    return run_command(*command_line, variables=variables, before=FIRST_STEP_ONLY, code=code)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one model, whose effort is not sent as requested."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "models.toml").write_text(ENTRY)
    return folder


def test_a_changed_effort_ends_the_command_with_both_values(data: Path) -> None:
    """The exit code is 2 with one line, by `--plan` as well; nothing is recorded."""
    for more in ([], ["--plan"]):
        ended = run_one_eval(
            data, "-m", "google/argon-none", *more, GEMINI_API_KEY="not-a-key", code=2
        )
        last = ended.stderr.strip().splitlines()[-1]
        assert "reasoning_effort is asked for as none, and low is sent" in last
        assert "--allow-changed-parameters" in last
    assert not list(data.rglob("runs/**/*.json"))


def test_a_plan_needs_no_key(data: Path) -> None:
    """The cost and the request of a run are known without a key."""
    planned = run_one_eval(
        data, "-m", "google/argon-none", "--plan", "--allow-changed-parameters", code=0
    )
    assert "google/argon-none default: 1 attempt," in planned.stdout
    assert "a key" in run_one_eval(data, "-m", "google/argon-none").stderr


def test_a_plan_knows_that_a_local_server_costs_nothing(data: Path) -> None:
    """A local server costs nothing, also before it runs."""
    server = ("-m", "openai/tiny", "--api-base", "http://127.0.0.1:1/v1", "--plan")
    assert "costs nothing but time" in run_one_eval(data, *server).stdout
    priced = run_one_eval(data, *server, "--price", "1/2", "--max-tokens", "100").stdout
    assert "at most $" in priced
    elsewhere = ("-m", "openai/tiny", "--api-base", "https://models.example.org/v1", "--plan")
    assert "no price known" in run_one_eval(data, *elsewhere).stdout
    (row,) = json.loads(run_one_eval(data, *server, "--json").stdout)
    assert row["most_usd"] == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["-m", "openai/text-embedding-3-small"], "mode embedding"),
        (["-m", "github_copilot/gpt-5.3-codex"], "needs a login"),
        (["-m", "openai/gpt-6.1-sol-x", "--set", "temperature={0.2"], "is no JSON"),
        (["-m", "zai/glm-5.3-x", "--set", "reasoning_effort=high"], "does not take"),
        (["-m", "oracle", "--set", "nonsense"], "nonsense"),
        (["-m", "oracle", "--price", "cheap", "--plan"], "cheap"),
    ],
)
def test_models_that_cannot_be_asked_end_the_command_at_the_start(
    data: Path, arguments: list[str], named: str
) -> None:
    """One line names the cause, before anything is asked."""
    keys = {"OPENAI_API_KEY": "not-a-key", "ZAI_API_KEY": "not-a-key"}
    ended = run_one_eval(data, *arguments, **keys, code=2)
    assert named in ended.stderr.strip().splitlines()[-1]
    assert "Traceback" not in ended.stderr


def test_a_routed_model_without_a_host_is_warned_of(data: Path) -> None:
    """A model with a pinned host gets no warning."""
    routed = ("-m", "openrouter/qwen/qwen3-coder", "--plan")
    ended = run_one_eval(data, *routed, code=0)
    assert "OpenRouter chooses the host of each request" in ended.stderr
    pinned = run_one_eval(data, *routed, "--set", 'provider={"order": ["one"]}', code=0)
    assert "OpenRouter chooses" not in pinned.stderr


def test_a_record_has_the_sent_parameters_and_a_cut_reply_names_the_limit(
    data: Path, tmp_path: Path
) -> None:
    """The record has requested and sent parameters; the reason names the limit of the reply."""
    used = {"prompt_tokens": 2000, "completion_tokens": 150, "total_tokens": 2150}
    answer = {"kind": "answer", "text": "Half a ", "finish": "length", "usage": used}
    script = {"default": answer}
    with serve_provider(tmp_path, script) as address:
        server = ("-m", "openai/tiny", "--api-base", address)
        settings = ("--max-tokens", "150", "--set", "temperature=0.5")
        ended = run_one_eval(data, *server, *settings, "-e", "no_guidelines")
    assert ended.returncode == 0, ended.stderr
    (path,) = DataFolder(data).local.root.rglob("runs/**/*.json")
    run = read_run(path)
    assert run.model.parameters == {"temperature": 0.5}
    assert run.model.sent == {"temperature": 0.5, "max_tokens": 150}
    (attempt,) = run.attempts
    assert attempt.reason is not None
    assert attempt.reason.endswith("; the reply was cut at its limit of 150 tokens")
