"""Parameters that models are sent, by dry requests: nothing leaves, and no key is needed."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_models
from records.shapes.registry import Limits, ModelEntry, Registry
from runner.errors import ChangedParametersError, NotAskableError, RequestNotMadeError
from runner.models import sent
from runner.models.registry import ASKED, resolve_model
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.sent import make_dry_request
from tests.runner.models.asking import ask_provider, make_entry
from tests.runner.models.provider import Step
from tests.runner.models.requests.test_responses import make_responses_step

pytestmark = pytest.mark.integration
SHIPPED = {
    entry.slug: entry
    for entry in read_models(DataFolder(Path(__file__).parents[3] / "data")).models
}

BY_EFFORT: dict[str, dict[str, Any]] = {
    "anthropic/claude-opus-5.5": {"output_config.effort": "high", "thinking.type": "adaptive"},
    "anthropic/claude-sonnet-5.5": {"output_config.effort": "high", "thinking.type": "adaptive"},
    "anthropic/claude-haiku-5.5": {"output_config.effort": "high", "thinking.type": "adaptive"},
    "anthropic/claude-fable-5.1": {"output_config.effort": "high", "thinking.type": "adaptive"},
    "openai/gpt-6.1-sol": {"reasoning_effort": "high"},
    "openai/gpt-6-astra": {"reasoning_effort": "high"},
    "openai/gpt-6-luna": {"reasoning_effort": "high"},
    "google/gemini-4-argon": {"generationConfig.thinkingConfig.thinkingLevel": "high"},
    "google/gemini-3.8-flash": {"generationConfig.thinkingConfig.thinkingLevel": "high"},
    "xai/grok-4.7": {"reasoning_effort": "high"},
    "mistral/mistral-large-4": {"reasoning_effort": "high"},
    "moonshot/kimi-k3": {"reasoning_effort": "high"},
    "alibaba/qwen3.8-max": {"reasoning_effort": "high"},
}
"""Parts of the body with an effort of ``high``, for the models that take an effort."""

WITHOUT_EFFORT = frozenset({"deepseek/deepseek-v4-pro", "zai/glm-5.3", "minimax/minimax-m3"})

LIMITS = {
    "max_tokens",
    "max_completion_tokens",
    "generationConfig.max_output_tokens",
    "generationConfig.maxOutputTokens",
}


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """Import litellm before the first test, whose time would include the import."""
    load_litellm()


def make_shipped_entry(slug: str, **parameters: object) -> ModelEntry:
    """Return a model of the registry with these ``parameters``."""
    return ModelEntry.model_validate(dict(SHIPPED[slug]) | {"parameters": parameters})


def test_the_table_has_every_model_of_the_registry() -> None:
    """A new entry belongs in one of the two tables."""
    assert BY_EFFORT.keys() | WITHOUT_EFFORT == SHIPPED.keys()


@pytest.mark.parametrize("slug", sorted(SHIPPED))
def test_the_limit_of_each_model_is_sent(slug: str) -> None:
    """The limit has one name, as in the registry; no parameter is changed or dropped."""
    request = make_dry_request(SHIPPED[slug])
    assert request.entry == SHIPPED[slug]
    limits = [value for path, value in request.sent.items() if path in LIMITS]
    assert limits == [SHIPPED[slug].limits.max_output_tokens]


@pytest.mark.parametrize("slug", sorted(BY_EFFORT))
def test_an_effort_is_sent_as_it_is_asked_for(slug: str) -> None:
    """The effort has the name of the provider's protocol."""
    request = make_dry_request(make_shipped_entry(slug, reasoning_effort="high"))
    assert {**request.sent, **BY_EFFORT[slug]} == request.sent


@pytest.mark.parametrize(
    ("slug", "parameters", "reason"),
    [
        ("google/gemini-4-argon", {"reasoning_effort": "none"}, "none, and low is sent"),
        ("google/gemini-4-argon", {"reasoning_effort": "minimal"}, "minimal, and low is sent"),
        ("anthropic/claude-opus-5.5", {"reasoning_effort": "none"}, "none, and nothing is sent"),
        ("anthropic/claude-opus-5.5", {"reasoning_effort": "minimal"}, "minimal, and low is sent"),
        ("deepseek/deepseek-v4-pro", {"reasoning_effort": "low"}, "low, and thinking.type = en"),
        ("deepseek/deepseek-v4-pro", {"reasoning_effort": "high"}, "high, and thinking.type = en"),
        ("google/gemini-4-argon", {"thinking_budget": 5}, "thinking_budget .* 5, and nothing"),
    ],
)
def test_a_changed_parameter_is_refused_with_both_values(
    slug: str, parameters: dict[str, object], reason: str
) -> None:
    """The message has the requested value, the value that is sent, and the way out."""
    with pytest.raises(ChangedParametersError, match=reason) as refused:
        make_dry_request(make_shipped_entry(slug, **parameters))
    assert "--allow-changed-parameters" in str(refused.value)


def test_a_changed_parameter_may_be_allowed() -> None:
    """The parameter is recorded with the value that is sent."""
    request = make_dry_request(
        make_shipped_entry("google/gemini-4-argon", reasoning_effort="none"), allow_changed=True
    )
    assert request.entry.parameters == {"reasoning_effort": "none"}
    assert request.sent["generationConfig.thinkingConfig.thinkingLevel"] == "low"


@pytest.mark.parametrize(
    ("slug", "parameters"),
    [
        ("zai/glm-5.3", {"reasoning_effort": "high"}),
        ("minimax/minimax-m3", {"reasoning_effort": "high"}),
        ("anthropic/claude-opus-5.5", {"temperature": 0.2}),
        ("anthropic/claude-opus-5.5", {"seed": 7}),
        ("anthropic/claude-opus-5.5", {"verbosity": "low"}),
        ("openai/gpt-6.1-sol", {"temperature": 0.2}),
        ("openai/gpt-6.1-sol", {"reasoning_effort": "minimal"}),
        ("google/gemini-4-argon", {"reasoning_effort": "xhigh"}),
        ("google/gemini-4-argon", {"verbosity": "low"}),
    ],
)
@pytest.mark.parametrize("allow_changed", [False, True])
def test_an_unsupported_parameter_is_refused_in_litellms_words(
    slug: str, parameters: dict[str, object], *, allow_changed: bool
) -> None:
    """The error has no advice of litellm's, which no command can follow; the option is no help."""
    with pytest.raises(ChangedParametersError, match="does not take") as refused:
        make_dry_request(make_shipped_entry(slug, **parameters), allow_changed=allow_changed)
    assert next(iter(parameters)) in str(refused.value)
    assert "drop_params" not in str(refused.value)


def test_an_added_limit_is_the_limit() -> None:
    """Litellm limits replies of models of Anthropic's that its map lacks."""
    request = make_dry_request(make_entry("anthropic/claude-unknown-9"))
    assert request.sent["max_tokens"] == 4096
    assert request.entry.output_limit == 4096


def test_an_added_parameter_is_recorded() -> None:
    """The added parameter is not among the requested parameters."""
    request = make_dry_request(SHIPPED["google/gemini-4-argon"])
    assert request.sent["generationConfig.temperature"] == 1.0
    assert request.entry.parameters == {}


def test_no_prompt_is_among_the_parameters() -> None:
    """No part of a body in any protocol brings the prompt into the parameters."""
    for model_entry in (
        *SHIPPED.values(),
        make_entry("openai/gpt-5.3-codex"),
        make_entry("ollama/llama3"),
    ):
        written = json.dumps(dict(make_dry_request(model_entry).sent))
        assert sent.USER not in written
        assert sent.SYSTEM not in written


def test_a_nested_parameter_reaches_the_body() -> None:
    """OpenRouter gets the list of hosts that may answer."""
    pinned = {"order": ["one", "two"], "allow_fallbacks": False}
    request = make_dry_request(
        make_entry("openrouter/qwen/qwen3-coder", parameters={"provider": pinned})
    )
    assert request.sent["provider.order"] == '["one", "two"]'
    assert request.sent["provider.allow_fallbacks"] is False


@pytest.mark.parametrize("value", [0.2, 1, "x", True, [1, 2], {"deep": {"er": [1]}}])
def test_a_parameter_of_any_kind_is_sent_to_ones_own_server(value: object) -> None:
    """Litellm passes unknown parameters on to a server of the OpenAI protocol."""
    model_entry = make_entry(
        "openai/tiny", api_base="http://127.0.0.1:9/v1", parameters={"some_option": value}
    )
    assert any(path.startswith("some_option") for path in make_dry_request(model_entry).sent)


@pytest.mark.parametrize("name", ["reasoning_effort", "verbosity"])
def test_ones_own_server_gets_parameters_that_litellm_would_refuse(name: str) -> None:
    """Litellm would refuse by the model's name, which proves nothing about the server."""
    model_entry = make_entry(
        "openai/gpt-oss-20b", api_base="http://127.0.0.1:9/v1", parameters={name: "high"}
    )
    request = make_dry_request(model_entry)
    assert request.sent[name] == "high"
    assert not any("allowed" in path for path in request.sent)


def test_null_leaves_a_parameter_out() -> None:
    """A null parameter does not count as dropped."""
    request = make_dry_request(make_shipped_entry("openai/gpt-6.1-sol", reasoning_effort=None))
    assert "reasoning_effort" not in request.sent


def test_a_parameter_of_litellms_own_is_in_no_body() -> None:
    """Such a parameter sets the target of a request, and is not missed in the body."""
    model_entry = make_entry(
        "azure/gpt-6-astra",
        api_base="http://127.0.0.1:9",
        parameters={"api_version": "2026-01-01", "temperature": 1},
        limits=Limits(max_output_tokens=500),
    )
    assert "api_version" not in make_dry_request(model_entry).sent


@pytest.mark.parametrize(
    ("litellm_id", "reason"),
    [
        ("vertex_ai/gemini-2.5-pro", "google"),
        ("azure/gpt-4o", "base_url|api_base|AZURE"),
        ("openai/gpt-image-1", "mode image_generation"),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused(
    litellm_id: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error has the reason in one line, before any request."""
    for name in ("AZURE_API_BASE", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NotAskableError, match=reason) as refused:
        make_dry_request(make_entry(litellm_id, api_key_env=None))
    assert "\n" not in str(refused.value)
    assert "Traceback" not in str(refused.value)


def test_no_key_of_another_provider_goes_to_openai() -> None:
    """Litellm sends prompts of unknown providers there."""
    with pytest.raises(NotAskableError, match=r"would send prompt and key to api\.openai\.com"):
        make_dry_request(make_entry("ai21/j2-light"))


def test_a_mistake_of_a_program_is_no_mistake_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is infrastructure, with the words of the exception."""

    def raise_type_error(entry: ModelEntry, *_: object) -> None:
        raise TypeError(f"no option for {entry.name}")

    monkeypatch.setattr(sent, "make_request_options", raise_type_error)
    with pytest.raises(RequestNotMadeError, match="TypeError: no option for Broken"):
        make_dry_request(
            make_entry("openai/broken", name="Broken", api_base="http://127.0.0.1:9/v1")
        )


NOBODY = Registry(schema_version=1, models=())
PATTERN = "sample_spec"
"""The entry of the map that explains the others."""


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
