"""The table of finish reasons: every word of the documents, and no other."""

import ast
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.runs.finish_reasons import CALLS, End, end_by

pytestmark = pytest.mark.unit

DOCUMENTED: Final[Mapping[str, Mapping[str, End]]] = {
    "OpenAI, chat": {
        "stop": End.MODEL,
        "length": End.LIMIT,
        "tool_calls": End.MODEL,
        "function_call": End.MODEL,
        "content_filter": End.FILTER,
    },
    "OpenAI, responses": {
        "completed": End.MODEL,
        "max_output_tokens": End.LIMIT,
        "content_filter": End.FILTER,
        "incomplete": End.SERVER,
        "failed": End.SERVER,
        "cancelled": End.SERVER,
        "in_progress": End.SERVER,
        "queued": End.SERVER,
    },
    "Anthropic": {
        "end_turn": End.MODEL,
        "max_tokens": End.LIMIT,
        "stop_sequence": End.MODEL,
        "tool_use": End.MODEL,
        "pause_turn": End.SERVER,
        "compaction": End.CONTEXT,
        "refusal": End.FILTER,
        "model_context_window_exceeded": End.CONTEXT,
    },
    "Google": {
        "STOP": End.MODEL,
        "MAX_TOKENS": End.LIMIT,
        "SAFETY": End.FILTER,
        "RECITATION": End.FILTER,
        "LANGUAGE": End.FILTER,
        "BLOCKLIST": End.FILTER,
        "PROHIBITED_CONTENT": End.FILTER,
        "SPII": End.FILTER,
        "OTHER": End.SERVER,
        "FINISH_REASON_UNSPECIFIED": End.SERVER,
        "MALFORMED_FUNCTION_CALL": End.SERVER,
        "MALFORMED_RESPONSE": End.SERVER,
        "UNEXPECTED_TOOL_CALL": End.SERVER,
        "TOO_MANY_TOOL_CALLS": End.SERVER,
        "MISSING_THOUGHT_SIGNATURE": End.SERVER,
    },
    "Mistral": {"stop": End.MODEL, "model_length": End.CONTEXT, "error": End.SERVER},
    "DeepSeek": {"insufficient_system_resource": End.SERVER},
    "Z.ai": {"sensitive": End.FILTER, "network_error": End.SERVER},
    "Cohere": {
        "COMPLETE": End.MODEL,
        "STOP_SEQUENCE": End.MODEL,
        "TOOL_CALL": End.MODEL,
        "MAX_TOKENS": End.LIMIT,
        "ERROR": End.SERVER,
        "ERROR_LIMIT": End.CONTEXT,
        "ERROR_TOXIC": End.FILTER,
        "USER_CANCEL": End.SERVER,
    },
    "Bedrock": {"guardrail_intervened": End.FILTER, "content_filtered": End.FILTER},
    "vLLM and SGLang": {"abort": End.SERVER},
    "Ollama": {"load": End.SERVER, "unload": End.SERVER},
    "Hugging Face": {"eos_token": End.MODEL, "eos": End.MODEL},
    "watsonx": {
        "not_finished": End.SERVER,
        "cancelled": End.SERVER,
        "time_limit": End.SERVER,
        "token_limit": End.LIMIT,
    },
}


@pytest.mark.parametrize(
    ("word", "end"),
    [
        pytest.param(word, end, id=f"{maker} {word}")
        for maker, words in DOCUMENTED.items()
        for word, end in words.items()
    ],
)
def test_a_documented_word_has_its_row(word: str, end: End) -> None:
    """Case and the joining of parts do not matter."""
    first, *more = word.lower().split("_")
    camel = first + "".join(part.title() for part in more)
    for written in (word, word.upper(), word.lower(), word.replace("_", "-"), camel):
        assert end_by(written) is end


def _read_litellm_map() -> Mapping[str, str]:
    """Return the map from litellm's source: importing litellm takes seconds."""
    package = importlib.util.find_spec("litellm")
    assert package is not None
    assert package.origin is not None
    source = Path(package.origin).with_name("litellm_core_utils") / "core_helpers.py"
    for statement in ast.parse(source.read_text()).body:
        is_map = "_FINISH_REASON_MAP" in ast.unparse(statement).partition(" = ")[0]
        if is_map and isinstance(statement, ast.AnnAssign) and statement.value is not None:
            return ast.literal_eval(statement.value)
    raise AssertionError(f"{source} has no map of finish reasons")


def test_every_word_of_litellms_map_has_a_row() -> None:
    """An unknown word is "stop" to litellm; a word that it learns is to be added here."""
    words = _read_litellm_map()
    assert len(words) > 40
    unknown = [word for word in words if end_by(word) is End.UNKNOWN]
    assert unknown == []
    for word, translated in words.items():
        if end_by(word) is End.MODEL:
            assert translated in {"stop", "tool_calls", "function_call"}


@pytest.mark.parametrize(
    "word",
    [
        None,
        "",
        " ",
        "done",
        "finished",
        "ok",
        "blocked",
        "7",
        "true",
        '{"a": 1}',
        "\ufffd",
        "stopp",
    ],
)
def test_a_word_that_nobody_knows_is_neither_success_nor_failure(word: str | None) -> None:
    """No document explains the word, so even a word that looks good has no meaning."""
    assert end_by(word) is End.UNKNOWN


@given(st.text(max_size=30))
def test_an_invented_word_is_unknown(word: str) -> None:
    """Only words of the table have a meaning."""
    assert end_by(f"{word}, invented") is End.UNKNOWN


def test_calls_of_tools_are_ends_by_the_model() -> None:
    """A model that calls a tool has ended its reply itself."""
    assert {end_by(word) for word in CALLS} == {End.MODEL}
