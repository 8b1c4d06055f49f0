"""The names that users may write for a model, and the models that come with the benchmark."""

from pathlib import Path

import pytest

from records.reader import read_registry
from records.shapes.registry import ModelEntry
from runner.errors import BadSelectionError, UnknownModelError
from runner.models.costs import find_mapped_facts, find_rates
from runner.models.registry import (
    describe_unlisted,
    keep_slug,
    refuse_shared_slugs,
    resolve_model,
)
from runner.runs.plan import make_asked_model

pytestmark = pytest.mark.unit

SHIPPED = read_registry(Path(__file__).parents[3] / "data" / "models.toml")


@pytest.mark.integration(reason="the import of litellm takes seconds")
@pytest.mark.parametrize("entry", SHIPPED.models, ids=lambda entry: entry.slug)
def test_litellm_knows_each_shipped_model(entry: ModelEntry) -> None:
    """The installed map has the model's price and no lower limit than the registry."""
    facts = find_mapped_facts(entry.litellm_id)
    assert facts["mode"] == "chat"
    assert find_rates(entry) is not None
    assert entry.limits.max_output_tokens is not None
    map_limit = facts.get("max_output_tokens") or facts["max_input_tokens"]
    assert entry.limits.max_output_tokens <= map_limit


def test_a_slug_and_a_litellm_id_mean_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slug and an id mean the same model in any upper and lower case."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted")
    entry = SHIPPED.models[0]
    assert resolve_model(entry.slug, SHIPPED) == entry
    assert resolve_model(entry.slug.upper(), SHIPPED) == entry
    assert resolve_model(entry.litellm_id, SHIPPED) == entry


@pytest.mark.integration
def test_any_litellm_id_can_be_asked_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slug is made from the id, with a digest as a slash was replaced; the key is known."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "planted")
    entry = resolve_model("openrouter/meta-llama/llama-4-maverick", SHIPPED)
    assert entry.slug == "openrouter/meta-llama-llama-4-maverick-945322"
    assert entry.litellm_id == "openrouter/meta-llama/llama-4-maverick"
    assert entry.api_key_env == "OPENROUTER_API_KEY"


def test_a_local_server_is_sent_no_other_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_API_KEY is for OpenAI alone, also where a local server speaks its protocol."""
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    monkeypatch.delenv("LEADERBOARD_API_KEY", raising=False)
    entry = resolve_model("openai/Qwen3-8B.gguf", SHIPPED, api_base="http://127.0.0.1:8080/v1")
    assert entry.slug == "local/qwen3-8b.gguf"
    assert entry.litellm_id == "openai/Qwen3-8B.gguf"
    assert entry.api_key_env is None
    assert find_rates(entry) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("openai/\u6a21\u578b\u7532", "openai/\u6a21\u578b\u4e59"),
        ("acme@1", "acme-1"),
        ("Qwen/Qwen3-8B", "Qwen-Qwen3-8B"),
        ("base q4", "base-q4"),
    ],
)
def test_models_of_a_server_with_like_names_stay_apart(first: str, second: str) -> None:
    """Letters that no slug has are replaced, and a digest keeps two models from one history."""
    server = "http://127.0.0.1:8080/v1"
    entries = [resolve_model(name, SHIPPED, api_base=server) for name in (first, second)]
    assert entries[0].slug != entries[1].slug
    refuse_shared_slugs(entries)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("anthropic/claude-opus-5.6", "; close to it is anthropic/claude-opus-5.5"),
        ("openrouter/zzz/qqq", "is not in models.toml, and is asked by its litellm id"),
    ],
)
def test_a_model_without_an_entry_is_named(name: str, words: str) -> None:
    """A misspelt name may be another model's id, and would be paid for unawares."""
    notice = describe_unlisted(name, SHIPPED)
    assert notice is not None
    assert notice.startswith(f"{name} is not in models.toml")
    assert notice.endswith(words)


@pytest.mark.parametrize("name", ["oracle", "baseline/stub", SHIPPED.models[0].slug])
def test_a_known_model_gets_no_notice(name: str) -> None:
    """Baselines and entries are what they seem."""
    assert describe_unlisted(name, SHIPPED) is None


def test_a_run_of_an_earlier_version_keeps_its_slug() -> None:
    """It goes on as the same model; an entry of the registry is never called by another slug."""
    entry = resolve_model("a b", SHIPPED, api_base="http://127.0.0.1:8080/v1")
    then = make_asked_model(entry.model_copy(update={"slug": "local/a-b"}))
    assert keep_slug(entry, then, SHIPPED).slug == "local/a-b"
    assert keep_slug(entry, then.model_copy(update={"litellm_id": "openai/c"}), SHIPPED) == entry
    shipped = SHIPPED.models[0]
    renamed = make_asked_model(shipped).model_copy(update={"slug": f"{shipped.slug}-old"})
    assert keep_slug(shipped, renamed, SHIPPED) == shipped


def test_models_that_differ_only_in_capitals_are_not_asked_together() -> None:
    """They would be one model in all records, and may be two on the server."""
    server = "http://127.0.0.1:8080/v1"
    entries = [resolve_model(name, SHIPPED, api_base=server) for name in ("Tiny", "tiny")]
    with pytest.raises(BadSelectionError, match=r"openai/Tiny and openai/tiny .* local/tiny"):
        refuse_shared_slugs(entries)


@pytest.mark.parametrize("name", ["antropic/claude-opus-5.5", "claude-opus-5.5"])
def test_an_unknown_model_comes_with_close_matches(name: str) -> None:
    """The error for a typing mistake names the probable model."""
    with pytest.raises(UnknownModelError, match=r"did you mean .*anthropic/claude-opus-5\.5"):
        resolve_model(name, SHIPPED)


def test_long_requests_have_the_price_of_long_requests() -> None:
    """Tiers of the map are ordered, and never cheaper than the tiers below them."""
    tiered = [rates for entry in SHIPPED.models if (rates := find_rates(entry)) and len(rates) > 1]
    assert tiered
    for rates in tiered:
        assert [rate.above for rate in rates] == sorted(rate.above for rate in rates)
        assert rates[-1].input >= rates[0].input
