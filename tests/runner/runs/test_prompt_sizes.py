"""Prompts that do not fit into a server's context are reported before the run."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from records.shapes.registry import ModelEntry
from runner.evals.discovery import discover
from runner.runs import launch
from runner.runs.launch import find_length_warning
from runner.runs.plan import RunPlan
from tests.runner.conftest import write_prose_suite
from tests.runner.models.conftest import make_model
from tests.runner.runs.planned import plan_run

pytestmark = pytest.mark.unit

SERVER = "http://127.0.0.1:9/v1"


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    """A run of two evals at a self-hosted server, with long guidelines."""
    write_prose_suite(tmp_path, 2)
    return plan_run(make_model(SERVER), discover(tmp_path).evals, "Write it well. " * 1000)


def _make_answer(length: int | None) -> Callable[[object, str], int | None]:
    """Return an answer of a server with a context of ``length`` tokens."""

    def answer_length(entry: object, address: str) -> int | None:
        assert isinstance(entry, ModelEntry)
        assert address == SERVER
        return length

    return answer_length


def test_prompts_that_are_too_long_are_reported(
    plan: RunPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report has the context, the longest prompt and the number of prompts that do not fit."""
    monkeypatch.setattr(launch, "find_context_length", _make_answer(2048))
    warning = find_length_warning(plan)
    assert warning is not None
    assert warning.startswith("2 of 2 prompts do not fit into the context of local/scripted")
    assert "2,048 tokens" in warning
    assert find_length_warning(replace(plan, guidelines=None)) is None


@pytest.mark.parametrize("length", [None, 1_000_000])
def test_prompts_that_fit_or_are_unknown_are_not_reported(
    plan: RunPlan, monkeypatch: pytest.MonkeyPatch, length: int | None
) -> None:
    """There is no warning for prompts that fit, or for a server that reports no context."""
    monkeypatch.setattr(launch, "find_context_length", _make_answer(length))
    assert find_length_warning(plan) is None


@pytest.mark.parametrize(
    ("fields", "variable", "asked"),
    [
        ({}, None, SERVER),
        ({"litellm_id": "ollama/tiny", "api_base": None}, None, "http://127.0.0.1:11434"),
        (
            {"litellm_id": "openai/tiny", "api_base": None},
            "http://192.168.0.7:8000/v1",
            "http://192.168.0.7:8000/v1",
        ),
        ({"litellm_id": "openai/tiny", "api_base": None}, "https://gateway.example.org/v1", None),
        ({"litellm_id": "openai/tiny", "api_base": None}, None, None),
    ],
)
def test_only_a_server_of_ones_own_is_asked(
    plan: RunPlan,
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, Any],
    variable: str | None,
    asked: str | None,
) -> None:
    """Only a server at an address of this network, from an entry or a variable, is asked."""
    monkeypatch.delenv("OLLAMA_API_BASE", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    if variable is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", variable)
    addresses: list[str] = []

    def note_address(_: object, address: str) -> None:
        addresses.append(address)

    monkeypatch.setattr(launch, "find_context_length", note_address)
    entry = make_model(SERVER).model_copy(update=fields)
    assert find_length_warning(replace(plan, entry=entry)) is None
    assert addresses == ([] if asked is None else [asked])
