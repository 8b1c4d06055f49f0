"""One id of each mode of litellm's map is asked, or refused with the mode by name."""

import json
from typing import Any, Final

import pytest

from records.shapes.registry import Registry
from runner.errors import NotAskableError
from runner.models.registry import ASKED, resolve_model
from runner.models.requests.lazy_litellm import load_litellm
from tests.runner.models.conftest import ask_provider
from tests.runner.models.provider import Step
from tests.runner.models.requests.test_responses import make_responses_step

pytestmark = pytest.mark.integration

NOBODY: Final = Registry(schema_version=1, models=())
PATTERN: Final = "sample_spec"
"""The entry of the map that explains the others."""


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """Import litellm before the first test, whose time would include the import."""
    load_litellm()


def make_completion_step() -> Step:
    """Answer as the API for completions of text does."""
    pieces: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "text": "Hello there.", "finish_reason": None}]},
        {"choices": [{"index": 0, "text": "", "finish_reason": "stop"}]},
    ]
    common = {"id": "cmpl", "object": "text_completion", "created": 1, "model": "really"}
    lines = [f"data: {json.dumps(common | piece)}\n\n" for piece in pieces]
    return Step(kind="raw", raw=tuple(line.encode() for line in [*lines, "data: [DONE]\n\n"]))


def group_ids_by_mode() -> dict[str, list[str]]:
    """Return the ids of the map that a command takes, by their modes."""
    library = load_litellm()
    providers = {str(getattr(p, "value", p)) for p in library.provider_list}
    ids: dict[str, list[str]] = {}
    for name, facts in library.model_cost.items():
        provider = facts.get("litellm_provider")
        whole = name if name.partition("/")[0] in providers else f"{provider}/{name}"
        if name != PATTERN and whole.partition("/")[0] in providers and len(whole) <= 190:
            ids.setdefault(facts.get("mode") or "", []).append(whole)
    ids.pop("", None)
    return ids


def test_every_mode_that_is_not_asked_is_refused_by_name() -> None:
    """Three ids of each of these modes end before any request, also where no key is set."""
    ids = group_ids_by_mode()
    assert ids.keys() > ASKED
    for mode in ids.keys() - ASKED:
        for litellm_id in ids[mode][:3]:
            with pytest.raises(NotAskableError, match=f"mode {mode}"):
                resolve_model(litellm_id, NOBODY)


@pytest.mark.parametrize(
    ("litellm_id", "step"),
    [
        ("openai/gpt-6.1-sol", Step(text="Hello there.")),
        ("openai/gpt-5.3-codex", make_responses_step()),
        ("text-completion-openai/gpt-3.5-turbo-instruct", make_completion_step()),
    ],
)
def test_an_id_of_each_mode_that_is_asked_answers(litellm_id: str, step: Step) -> None:
    """The model answers at a server that speaks the protocol of its mode."""
    modes = {mode for mode, ids in group_ids_by_mode().items() if litellm_id in ids}
    assert modes
    assert modes <= ASKED
    result, provider = ask_provider(step, litellm_id=litellm_id)
    assert result.reply == "Hello there."
    assert len(provider.requests) == 1


@pytest.mark.parametrize("litellm_id", ["chatgpt/gpt-6-sol", "github_copilot/gpt-5.3-codex"])
def test_an_id_behind_a_login_is_refused_by_its_mode(litellm_id: str) -> None:
    """A login would wait for a person."""
    with pytest.raises(NotAskableError, match=r"\(mode responses\) needs a login"):
        resolve_model(litellm_id, NOBODY)


def test_a_model_of_ones_own_server_may_have_any_name() -> None:
    """The map describes the provider's model of that name."""
    entry = resolve_model("openai/dall-e-3", NOBODY, api_base="http://127.0.0.1:8080/v1")
    assert entry.litellm_id == "openai/dall-e-3"
