"""The names that users may write for a model, its terms, and the models of the benchmark."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.reader import read_models, read_registry
from records.shapes.registry import ModelEntry, Price, Registry
from runner.errors import BadSelectionError, UnknownModelError
from runner.models.costs import UNKNOWN_LIMIT, Budget, bound_output, find_mapped_facts, find_rates
from runner.models.registry import (
    OURS,
    Terms,
    describe_unlisted,
    keep_slug,
    parse_terms,
    refuse_shared_slugs,
    resolve_model,
)
from runner.runs.plan import make_asked_model
from tests.runner.models.asking import ask_provider, make_entry
from tests.runner.models.provider import Step

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


NOBODY = Registry(schema_version=1, models=())
SERVER = "http://127.0.0.1:8080/v1"


def test_terms_become_part_of_the_model_that_is_asked() -> None:
    """The model gets the limit, parameters of their own types, and the price."""
    terms = parse_terms(512, ["temperature=0.2", "seed=7", "reasoning_effort=low"], "0.5/1.5")
    entry = resolve_model("openai/tiny", NOBODY, api_base=SERVER, terms=terms)
    assert entry.parameters == {"temperature": 0.2, "seed": 7, "reasoning_effort": "low"}
    assert entry.output_limit == 512
    assert entry.price == Price(input=0.5, output=1.5)


@pytest.mark.parametrize("name", sorted(OURS))
def test_settings_cannot_choose_who_is_asked_and_how(name: str) -> None:
    """The address, the key and the number of replies cannot be set."""
    with pytest.raises(BadSelectionError, match=name):
        parse_terms(None, [f"{name}=1"], None)


@pytest.mark.parametrize(
    "text",
    [
        "temperature",
        "=1",
        "Temperature=1",
        "no-log=true",
        "a b=1",
        "stop=[1",
        'a={"b": 1',
        "provider={order: [a]}",
        'a={"b": [NaN]}',
        'a={"b": 1e999}',
        "seed=NaN",
        "seed=Infinity",
        "seed=1e999",
        "max_tokens=many",
        "max_tokens=0",
        "max_completion_tokens=true",
    ],
)
def test_values_that_cannot_be_sent_are_refused(text: str) -> None:
    """The message names the option."""
    with pytest.raises(BadSelectionError, match="--set"):
        parse_terms(None, [text], None)


@pytest.mark.parametrize(
    ("limit", "settings"),
    [
        (5, ["max_tokens=6"]),
        (None, ["max_tokens=6", "max_completion_tokens=6"]),
        (None, ["seed=1", "seed=2"]),
    ],
)
def test_contradictions_are_refused(limit: int | None, settings: list[str]) -> None:
    """The program cannot know which of two values was meant."""
    with pytest.raises(BadSelectionError, match="twice"):
        parse_terms(limit, settings, None)


@pytest.mark.parametrize("text", ["5", "1/2/3", "-1/2", "nan/1", "1..2/3", "./.", "inf/1", "/"])
def test_a_price_is_two_numbers_of_dollars(text: str) -> None:
    """Any other text is refused with an example."""
    with pytest.raises(BadSelectionError, match=r"0\.5/1\.5"):
        parse_terms(None, [], text)


@given(st.text(max_size=40))
def test_any_text_is_a_setting_or_refused(text: str) -> None:
    """Any text becomes a value that JSON can carry, or an error message."""
    try:
        terms = parse_terms(None, [f"key={text}"], None)
    except BadSelectionError:
        return
    json.dumps(terms.parameters["key"], allow_nan=False)


def test_a_model_with_an_entry_is_asked_by_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of one slug would else be of several models; the message names the file to edit."""
    monkeypatch.setenv("A_KEY", "planted")
    registry = Registry(schema_version=1, models=(make_entry(api_key_env="A_KEY"),))
    assert resolve_model("a/b", registry, terms=Terms()).slug == "a/b"
    with pytest.raises(BadSelectionError, match=r"data/local/models\.toml"):
        resolve_model("a/b", registry, terms=Terms(max_tokens=5))


def _find_limit(entry: ModelEntry) -> int | None:
    return bound_output(entry).output_limit


@pytest.mark.integration(reason="the import of litellm takes seconds")
def test_under_a_budget_a_model_has_a_limit() -> None:
    """The limit is the model's own, else the map's, else a guess; a foreign server gets a guess."""
    assert _find_limit(make_entry(parameters={"max_completion_tokens": 9})) == 9
    assert _find_limit(make_entry(limits={"max_output_tokens": 10})) == 10
    assert _find_limit(make_entry(parameters={"max_tokens": None})) == UNKNOWN_LIMIT
    assert _find_limit(make_entry(parameters={"max_tokens": "5"})) == UNKNOWN_LIMIT
    entry = make_entry(litellm_id="openai/gpt-4o-mini")
    assert _find_limit(entry) == 16_384
    assert _find_limit(make_entry(litellm_id="nobody/knows")) == UNKNOWN_LIMIT
    served = entry.model_copy(update={"api_base": SERVER})
    assert _find_limit(served) == UNKNOWN_LIMIT


@pytest.mark.integration
def test_under_a_budget_the_limit_is_sent() -> None:
    """The provider gets the limit for which money was set aside."""
    price = {"input": 0, "output": 1}
    limits = {"max_output_tokens": None}
    _, provider = ask_provider(Step(), limits=limits, price=price, budget=Budget(1.0))
    assert provider.requests[0]["max_tokens"] == UNKNOWN_LIMIT
    _, provider = ask_provider(Step(), limits=limits, price=price)
    assert "max_tokens" not in provider.requests[0]


ENTRY = """
[[models]]
slug = "{slug}"
name = "One"
provider = "Me"
litellm_id = "openai/one"
"""


def test_entries_of_ones_own_stand_beside_the_shared_ones(tmp_path: Path) -> None:
    """Both files are read where either exists; a slug in both is refused by file and slug."""
    data = DataFolder(tmp_path)
    assert read_models(data).models == ()
    data.local.root.mkdir()
    data.local.models_file.write_text("schema_version = 1\n" + ENTRY.format(slug="me/one"))
    assert [entry.slug for entry in read_models(data).models] == ["me/one"]
    data.models_file.write_text("schema_version = 1\n" + ENTRY.format(slug="me/two"))
    assert [entry.slug for entry in read_models(data).models] == ["me/two", "me/one"]
    data.models_file.write_text("schema_version = 1\n" + ENTRY.format(slug="me/one"))
    with pytest.raises(InvalidRecordError, match=r"local/models\.toml.*me/one") as refused:
        read_models(data)
    assert refused.value.path == data.local.models_file
