"""Facts of requests in records: parameters as they were sent, and the hosts that answered."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.runs import sent_parameters
from records.runs.hosts import HOST, count_answers, describe_host_mixture, format_name_counts
from records.shapes.attempt import Attempt
from tests.records.examples import make_attempt, make_eval_name, make_generation

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
    sent = sent_parameters.parse_sent_parameters(json.dumps(body).encode())
    assert all(not isinstance(value, list | dict) for value in sent.values())
    flat = {path: value for path, value in sent.items() if "." not in path}
    assert list(sent_parameters.find_changed_parameters(flat, sent)) == []


@given(BODIES, st.text("abc", min_size=3))
def test_no_text_of_the_prompt_is_a_parameter(body: dict[str, Any], prompt: str) -> None:
    """The place of a text in the body does not matter."""
    whole = {**body, "odd": [{"text": f"before {prompt} after"}], "place": {"text": prompt}}
    values = sent_parameters.parse_sent_parameters(json.dumps(whole).encode(), prompt).values()
    assert not any(prompt in value for value in values if isinstance(value, str))


@pytest.mark.parametrize("body", [b"[]", b"", b"1", b"\xff", b"a=1&b=2"])
def test_a_body_that_is_no_object_has_no_parameters(body: bytes) -> None:
    """A form, an empty body and other JSON are refused with an error."""
    with pytest.raises(ValueError, match=r"."):
        sent_parameters.parse_sent_parameters(body)


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
    assert list(sent_parameters.find_changed_parameters({name: asked}, sent)) == []
    assert sent_parameters.find_added_parameters({name: asked}, {**sent, "other": 1}).keys() >= {
        "other"
    }


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
    (change,) = sent_parameters.find_changed_parameters({name: asked}, sent)
    assert message.replace("\\", "") in str(change)


def test_the_limit_is_read_by_every_name() -> None:
    """The limit is unknown without a value, or with a value that is no number."""
    assert sent_parameters.find_limit({"generationConfig.maxOutputTokens": 5}) == 5
    assert sent_parameters.find_limit({"max_tokens": "many"}) is None
    assert sent_parameters.find_limit({}) is None


def make_answered_attempts(*names: tuple[str | None, str | None]) -> list[Attempt]:
    """Return attempts whose replies name such hosts and fingerprints."""
    return [
        make_attempt(make_eval_name(number)).model_copy(
            update={
                "generation": make_generation().model_copy(
                    update={"served_by": host, "system_fingerprint": fingerprint}
                )
            }
        )
        for number, (host, fingerprint) in enumerate(names)
    ]


def test_a_run_of_several_hosts_is_reported_with_its_hosts() -> None:
    """Each host has the number of its answers, the most frequent first."""
    attempts = make_answered_attempts(("Together", None), ("DeepInfra", None), ("DeepInfra", None))
    assert (
        describe_host_mixture(attempts) == "Answers come from 2 hosts: DeepInfra (2), Together (1)"
    )


def test_a_changing_fingerprint_is_reported_too() -> None:
    """A host may change weights and settings in the middle of a run."""
    attempts = make_answered_attempts(("DeepInfra", "fp_q4"), ("DeepInfra", "fp_bf16"))
    assert describe_host_mixture(attempts) == (
        "Answers come from 2 builds of the server by its fingerprint: fp_bf16 (1), fp_q4 (1)"
    )


@pytest.mark.parametrize(
    "names",
    [
        [("DeepInfra", "fp_q4"), ("DeepInfra", "fp_q4")],
        [("DeepInfra", None), (None, None)],
        [(None, None)],
        [],
    ],
)
def test_one_host_or_none_is_no_mixture(names: list[tuple[str | None, str | None]]) -> None:
    """An answer without a name proves no second host."""
    assert describe_host_mixture(make_answered_attempts(*names)) is None


def test_a_name_of_hostile_length_is_cut_and_a_long_list_ends() -> None:
    """A provider may choose any names."""
    attempts = make_answered_attempts(
        *((f"{'x' * 500}\n{number}", None) for number in range(5)), ("a", None)
    )
    counts = count_answers(attempts, HOST)
    assert len(format_name_counts(counts)) < 500
    assert format_name_counts(counts).endswith("and 1 more")
