"""The table of finish reasons: every word of the documents, and no other."""

import ast
import importlib.util
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.runs.finish_reasons import CALLS, End, end_by

pytestmark = pytest.mark.unit

DOCUMENTED: Mapping[str, Mapping[End, str]] = {
    "OpenAI, chat": {
        End.MODEL: "stop tool_calls function_call",
        End.LIMIT: "length",
        End.FILTER: "content_filter",
    },
    "OpenAI, responses": {
        End.MODEL: "completed",
        End.LIMIT: "max_output_tokens",
        End.FILTER: "content_filter",
        End.SERVER: "incomplete failed cancelled in_progress queued",
    },
    "Anthropic": {
        End.MODEL: "end_turn stop_sequence tool_use",
        End.LIMIT: "max_tokens",
        End.SERVER: "pause_turn",
        End.CONTEXT: "compaction model_context_window_exceeded",
        End.FILTER: "refusal",
    },
    "Google": {
        End.MODEL: "STOP",
        End.LIMIT: "MAX_TOKENS",
        End.FILTER: "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII",
        End.SERVER: "OTHER FINISH_REASON_UNSPECIFIED MALFORMED_FUNCTION_CALL "
        "MALFORMED_RESPONSE UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE",
    },
    "Mistral": {
        End.MODEL: "stop",
        End.CONTEXT: "model_length",
        End.SERVER: "error",
    },
    "DeepSeek": {
        End.SERVER: "insufficient_system_resource",
    },
    "Z.ai": {
        End.FILTER: "sensitive",
        End.SERVER: "network_error",
    },
    "Cohere": {
        End.MODEL: "COMPLETE STOP_SEQUENCE TOOL_CALL",
        End.LIMIT: "MAX_TOKENS",
        End.SERVER: "ERROR USER_CANCEL",
        End.CONTEXT: "ERROR_LIMIT",
        End.FILTER: "ERROR_TOXIC",
    },
    "Bedrock": {
        End.FILTER: "guardrail_intervened content_filtered",
    },
    "vLLM and SGLang": {
        End.SERVER: "abort",
    },
    "Ollama": {
        End.SERVER: "load unload",
    },
    "Hugging Face": {
        End.MODEL: "eos_token eos",
    },
    "watsonx": {
        End.SERVER: "not_finished cancelled time_limit",
        End.LIMIT: "token_limit",
    },
}
"""The words in the documents of each maker, separated by blanks."""


@pytest.mark.parametrize(
    ("word", "end"),
    [
        pytest.param(word, end, id=f"{maker} {word}")
        for maker, words in DOCUMENTED.items()
        for end, words_of_end in words.items()
        for word in words_of_end.split()
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
