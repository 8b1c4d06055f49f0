"""The terms that a command may set for a model that is given by its id."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.reader import read_models
from records.shapes.registry import ModelEntry, Price, Registry
from runner.errors import BadSelectionError
from runner.models.costs import UNKNOWN_LIMIT, Budget, bound_output
from runner.models.registry import OURS, Terms, parse_terms, resolve_model
from tests.runner.models.conftest import ask_provider
from tests.runner.models.provider import Step

pytestmark = pytest.mark.unit

NOBODY = Registry(schema_version=1, models=())
SERVER = "http://127.0.0.1:8080/v1"


def _make_entry(**fields: object) -> ModelEntry:
    defaults: dict[str, object] = {"slug": "a/b", "name": "B", "provider": "A", "litellm_id": "a/b"}
    return ModelEntry.model_validate(defaults | fields)


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
    registry = Registry(schema_version=1, models=(_make_entry(api_key_env="A_KEY"),))
    assert resolve_model("a/b", registry, terms=Terms()).slug == "a/b"
    with pytest.raises(BadSelectionError, match=r"data/local/models\.toml"):
        resolve_model("a/b", registry, terms=Terms(max_tokens=5))


def _find_limit(entry: ModelEntry) -> int | None:
    return bound_output(entry).output_limit


@pytest.mark.integration(reason="the import of litellm takes seconds")
def test_under_a_budget_a_model_has_a_limit() -> None:
    """The limit is the model's own, else the map's, else a guess; a foreign server gets a guess."""
    assert _find_limit(_make_entry(parameters={"max_completion_tokens": 9})) == 9
    assert _find_limit(_make_entry(limits={"max_output_tokens": 10})) == 10
    assert _find_limit(_make_entry(parameters={"max_tokens": None})) == UNKNOWN_LIMIT
    assert _find_limit(_make_entry(parameters={"max_tokens": "5"})) == UNKNOWN_LIMIT
    entry = _make_entry(litellm_id="openai/gpt-4o-mini")
    assert _find_limit(entry) == 16_384
    assert _find_limit(_make_entry(litellm_id="nobody/knows")) == UNKNOWN_LIMIT
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
