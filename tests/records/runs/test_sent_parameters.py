"""Parameters in bodies of requests, compared with the requested parameters."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.runs.sent_parameters import (
    find_added_parameters,
    find_changed_parameters,
    find_limit,
    parse_sent_parameters,
)

pytestmark = pytest.mark.unit

NAMES = st.text(st.characters(categories=["Ll", "Lu"]), min_size=1, max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
BODIES = st.dictionaries(
    NAMES,
    st.recursive(
        SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner), max_leaves=10
    ),
)


@given(BODIES)
def test_any_body_is_read(body: dict[str, Any]) -> None:
    """Each value has one kind, and a body with the requested values has no change."""
    sent = parse_sent_parameters(json.dumps(body).encode())
    assert all(not isinstance(value, list | dict) for value in sent.values())
    flat = {path: value for path, value in sent.items() if "." not in path}
    assert list(find_changed_parameters(flat, sent)) == []


@given(BODIES, st.text("abc", min_size=3))
def test_no_text_of_the_prompt_is_a_parameter(body: dict[str, Any], prompt: str) -> None:
    """The place of a text in the body does not matter."""
    whole = {**body, "odd": [{"text": f"before {prompt} after"}], "place": {"text": prompt}}
    values = parse_sent_parameters(json.dumps(whole).encode(), prompt).values()
    assert not any(prompt in value for value in values if isinstance(value, str))


@pytest.mark.parametrize("body", [b"[]", b"", b"1", b"\xff", b"a=1&b=2"])
def test_a_body_that_is_no_object_has_no_parameters(body: bytes) -> None:
    """A form, an empty body and other JSON are refused with an error."""
    with pytest.raises(ValueError, match=r"."):
        parse_sent_parameters(body)


@pytest.mark.parametrize(
    ("name", "asked", "sent"),
    [
        ("temperature", 1, {"temperature": 1.0}),
        ("temperature", 1, {"generationConfig.temperature": 1.0}),
        ("top_p", 0.5, {"generationConfig.topP": 0.5}),
        ("stop", ["a", "b"], {"stop_sequences": '["a", "b"]'}),
        ("stop", "a", {"stop_sequences": '["a"]'}),
        ("max_tokens", 7, {"options.num_predict": 7}),
        ("max_completion_tokens", 7, {"inferenceConfig.maxTokens": 7}),
        ("reasoning_effort", "high", {"reasoning.effort": "high"}),
        ("reasoning_effort", "high", {"thinkingConfig.thinkingLevel": "HIGH"}),
        ("reasoning_effort", "none", {"thinking.type": "disabled"}),
        ("reasoning_effort", "none", {"thinkingConfig.thinkingBudget": 0}),
        ("reasoning_effort", "disable", {"enable_thinking": False}),
        ("provider", {"order": ["a"]}, {"provider.order": '["a"]'}),
        ("extra_body", {"provider": {"only": ["a"]}}, {"provider.only": '["a"]'}),
        ("thinking", {"type": "enabled"}, {"additional.thinking.type": "enabled"}),
        ("seed", None, {}),
        ("api_version", "1", {}),
        ("vertex_project", "mine", {}),
    ],
)
def test_a_parameter_is_found_by_every_name(name: str, asked: Any, sent: dict[str, Any]) -> None:  # noqa: ANN401
    """Each protocol has its own name and place for it."""
    assert list(find_changed_parameters({name: asked}, sent)) == []
    assert find_added_parameters({name: asked}, {**sent, "other": 1}).keys() >= {"other"}


@pytest.mark.parametrize(
    ("name", "asked", "sent", "message"),
    [
        ("temperature", 0.2, {}, "temperature is asked for as 0.2, and nothing is sent"),
        ("temperature", 0.2, {"temperature": 1}, "asked for as 0.2, and 1 is sent"),
        ("temperature", True, {"temperature": 1}, "asked for as true, and 1 is sent"),
        ("seed", "7", {"seed": 7}, "asked for as 7, and 7 is sent"),
        ("reasoning_effort", "none", {}, "asked for as none, and nothing is sent"),
        ("reasoning_effort", "high", {"thinking.budget_tokens": 4096}, "thinking.budget_tokens"),
        ("reasoning_effort", "none", {"thinking.type": "enabled"}, "thinking.type = enabled"),
        ("max_tokens", 9000, {"max_tokens": 4096}, "asked for as 9000, and 4096 is sent"),
        ("provider", {"order": ["a"]}, {}, 'provider.order is asked for as \\["a"\\], and nothing'),
    ],
)
def test_a_change_is_reported_with_both_values(
    name: str,
    asked: Any,  # noqa: ANN401 - any kind of value
    sent: dict[str, Any],
    message: str,
) -> None:
    """A value of another kind is another value, and a budget is not an effort."""
    (change,) = find_changed_parameters({name: asked}, sent)
    assert message.replace("\\", "") in str(change)


def test_the_limit_is_read_by_every_name() -> None:
    """The limit is unknown without a value, or with a value that is no number."""
    assert find_limit({"generationConfig.maxOutputTokens": 5}) == 5
    assert find_limit({"max_tokens": "many"}) is None
    assert find_limit({}) is None
