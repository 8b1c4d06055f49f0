"""The end of a run on the terminal: its cost, its hosts, and a command that can go on."""

import json
import shlex
from pathlib import Path
from subprocess import PIPE

import click
import pytest

from leaderboard.runs.run import choose_watcher
from tests.leaderboard.conftest import Serve
from tests.runner.conftest import FIRST_STEP_ONLY, SlowProvider
from tests.support.warm_command import Argument, WarmCommand

pytestmark = pytest.mark.integration

EVALS = 3
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100}
ANSWER = {"text": "Prose, no files.", "usage": USAGE}


@pytest.fixture
def provider(serve: Serve) -> SlowProvider:
    """A provider that reports 100 tokens for each of its answers, which cost ten cents."""
    return serve({"default": ANSWER})


def run_leaderboard(*arguments: Argument) -> tuple[int, str]:
    """Run the command, which grades the first step alone; return its exit code and output."""
    with WarmCommand(arguments, stdout=PIPE, before=FIRST_STEP_ONLY) as running:
        output, _ = running.communicate()
        return running.wait(), output


def ask(provider: SlowProvider, suite: Path, data: Path, *more: str) -> tuple[int, str]:
    """Ask for a thousand tokens at most, which cost a dollar, one request at a time."""
    return run_leaderboard(
        *("run", "-m", "openai/scripted", "--api-base", provider.address, "--concurrency", "1"),
        *("--price", "0/1000", "--max-tokens", "1000", "--evals", suite, "--data", data, *more),
    )


def test_a_budget_below_the_first_request_is_reported_and_the_hint_suffices(
    provider: SlowProvider, suite: Path, tmp_path: Path
) -> None:
    """No model is asked; the printed command asks for all answers."""
    data = tmp_path / "data"
    code, output = ask(provider, suite, data, "--budget", "0.05")
    assert code == 3
    assert "the first request may cost $1.00, the budget is $0.05" in output
    assert "is spent" not in output
    assert provider.list_asked() == []

    hint = shlex.split(output.partition("Go on with:\n")[2].splitlines()[0])
    assert hint[hint.index("--budget") + 1] == "3.00"
    assert run_leaderboard(*hint[hint.index("run") :])[0] == 0
    assert len(provider.list_asked()) == EVALS


def test_a_spent_budget_is_reported_though_the_command_is_quiet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With `-q` the reason of an early stop is on standard error, and no progress is."""
    with click.Context(click.Command("leaderboard")) as context:
        context.params["quiet"] = True
        watcher = choose_watcher()
    watcher.report_event("another request at once")
    watcher.report_stop("budget spent", "the budget of $1.00 is spent")
    assert capsys.readouterr() == ("", "the budget of $1.00 is spent\n")


def test_a_budget_that_is_used_up_is_raised_by_the_hint_for_the_rest(
    provider: SlowProvider, suite: Path, tmp_path: Path
) -> None:
    """The money spent before counts; a resume of the run's own budget needs the option, too."""
    data = tmp_path / "data"
    _, output = ask(provider, suite, data, "--budget", "1.1")
    assert len(provider.list_asked()) == 2
    assert "the budget of $1.10 is spent: $0.20 went" in output
    assert "--budget 1.20" in output
    hint = shlex.split(output.partition("Go on with:\n")[2].splitlines()[0])
    position = hint.index("--budget")
    code, as_it_was = run_leaderboard(*hint[hint.index("run") : position], *hint[position + 2 :])
    assert code == 3
    assert "--budget 1.20" in as_it_was
    assert len(provider.list_asked()) == 2
    assert run_leaderboard(*hint[hint.index("run") :])[0] == 0


def test_the_end_shows_the_cost_of_failed_tries(suite: Path, serve: Serve, tmp_path: Path) -> None:
    """A stream that broke off may have cost money, though the next try answered."""
    broken = {"kind": "end_midway", "repeat": 50}
    provider = serve({"rules": [{"match": "", "steps": [broken], "then": ANSWER}]})
    code, output = ask(provider, suite, tmp_path / "data")
    _, rows = ask(provider, suite, tmp_path / "json", "--json")
    assert code == 0
    assert "$0.30, failed tries $1.00 at most" in output
    (row,) = json.loads(rows)
    assert row["cost_usd"] == pytest.approx(0.3)
    assert row["failed_tries_usd"] == 0


def _make_reply(host: str) -> dict[str, object]:
    piece = {
        "id": "x",
        "object": "chat.completion.chunk",
        "provider": host,
        "system_fingerprint": f"fp_{host}",
        "choices": [{"index": 0, "delta": {"content": "Prose."}, "finish_reason": "stop"}],
        "usage": USAGE,
    }
    return {"kind": "raw", "raw": [f"data: {json.dumps(piece)}\n\n", "data: [DONE]\n\n"]}


def test_a_run_of_two_hosts_is_reported_at_its_end(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """A gateway passed the requests on to hosts that may serve the model differently."""
    rule = {"match": "", "steps": [_make_reply("DeepInfra")], "then": _make_reply("Together")}
    provider = serve({"rules": [rule]})
    code, output = ask(provider, suite, tmp_path / "data")
    _, rows = ask(provider, suite, tmp_path / "json", "--json")
    assert code == 0
    assert "Answers come from 2 hosts: Together (2), DeepInfra (1)" in output
    assert "2 builds of the server by its fingerprint: fp_Together (2)" in output
    (row,) = json.loads(rows)
    assert row["hosts"] == {"Together": 3}
    assert row["fingerprints"] == {"fp_Together": 3}


def test_a_prompt_that_the_server_cut_has_no_verdict(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """The exit code is 3; the output has the counted tokens and the command that goes on."""
    usage = {"prompt_tokens": 40, "completion_tokens": 30, "total_tokens": 70}
    provider = serve({"default": {**ANSWER, "usage": usage}})
    code, output = ask(provider, suite, tmp_path / "data")
    assert code == 3
    assert "prompt cut by server" in output
    assert "the server counted 40 tokens of a prompt that has about" in output
    assert "Go on with:" in output


@pytest.mark.integration(reason="three commands, each of which opens what grades")
def test_an_ablation_proposes_no_budget_that_was_too_small(
    provider: SlowProvider, suite: Path, tmp_path: Path
) -> None:
    """The proposed budget pays for all remaining answers, at the start and at a resume."""
    data = tmp_path / "data"
    code, output = run_leaderboard(
        *("ablate", "-m", "openai/scripted", "--api-base", provider.address, "--concurrency", "1"),
        *("--price", "0/1000", "--max-tokens", "1000", "--evals", suite, "--data", data),
        *("--budget", "0.05"),
    )
    assert code == 3
    assert provider.list_asked() == []
    for budget in ("0.01", "1.2"):
        hint = parse_hint(output)
        position = hint.index("--budget") + 1
        assert float(hint[position]) == pytest.approx(2 * EVALS)
        code, output = run_leaderboard(
            *hint[hint.index("ablate") : position], budget, *hint[position + 1 :]
        )
        assert code == 3
    assert 0 < len(provider.list_asked()) < 2 * EVALS
    hint = parse_hint(output)
    assert float(hint[hint.index("--budget") + 1]) > 1.2
    assert run_leaderboard(*hint[hint.index("ablate") :])[0] == 0
    assert len(provider.list_asked()) == 2 * EVALS


def parse_hint(output: str) -> list[str]:
    """Return the words of the command for going on."""
    return shlex.split(output.partition("Go on with:\n")[2].splitlines()[0])
