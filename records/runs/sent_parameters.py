"""Comparison of the parameters in the body of a request with the wanted parameters."""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, cast

from pydantic import JsonValue

from records.shapes.attempt import SentValue
from records.shapes.registry import LIMIT_PARAMETERS

EFFORT = "reasoning_effort"

_NEVER = frozenset(
    {"messages", "contents", "system", "systeminstruction", "model", "stream", "streamoptions"}
)
"""Parts of a body that are not parameters, with their names as `_simplify_name` returns them."""

_OTHER_NAMES: Mapping[str, frozenset[str]] = {
    EFFORT: frozenset({"effort", "thinkinglevel"}),
    "stop": frozenset({"stopsequences"}),
    "seed": frozenset({"randomseed"}),
    "n": frozenset({"candidatecount", "numgenerations"}),
    **dict.fromkeys(
        LIMIT_PARAMETERS,
        frozenset(
            {
                "maxtokens",
                "maxcompletiontokens",
                "maxoutputtokens",
                "maxnewtokens",
                "maxtokenstosample",
                "maxgenlen",
                "maxtokencount",
                "numpredict",
            }
        ),
    ),
}
"""Names of parameters in protocols other than OpenAI's, as `_simplify_name` returns them."""

_REASONING = frozenset({"thinking", "thinkingconfig", "reasoning", "enablethinking"})
"""Parts of a body that set reasoning without an effort; their names as `_simplify_name` returns."""

_OFF = frozenset({"none", "disable", "disabled", "off", "false", "0"})

_OF_LITELLM = frozenset(
    """
    additional_drop_params allowed_openai_params api_version base_model base_url cache caching
    custom_llm_provider drop_params extra_headers headers input_cost_per_token metadata
    mock_response num_retries organization output_cost_per_token project_id region_name
    request_timeout space_id stream_timeout tenant_id timeout
    """.split()  # noqa: SIM905 - words are read better without quotes
)
_OF_LITELLM_BEGIN = ("aws_", "azure_", "databricks_", "oci_", "vertex_", "watsonx_")
"""Beginnings of parameters for litellm itself, as above. Bodies of requests never have them."""


class ChangedParameter(NamedTuple):
    """A parameter whose sent value differs from its wanted value."""

    name: str
    asked: object
    sent: object
    """The sent value; None if no value is sent."""

    def __str__(self) -> str:
        """Return a clause with both values."""
        sent = "nothing" if self.sent is None else _as_text(self.sent)
        return f"{self.name} is asked for as {_as_text(self.asked)}, and {sent} is sent"


def parse_sent_parameters(body: bytes, *prompt: str) -> dict[str, SentValue]:
    """Return the parameters in ``body`` by dotted path; a list is returned as JSON.

    Values with a text of ``prompt``, the model's name and the options of streaming are left out.

    Raises:
        ValueError: the body is not a JSON object.
    """
    fields: object = json.loads(body)
    if not isinstance(fields, dict):
        raise ValueError("the body of the request is no JSON object")  # noqa: TRY004 - as json's own
    return dict(_list_leaves(cast("dict[str, JsonValue]", fields), prompt))


def find_limit(sent: Mapping[str, SentValue]) -> int | None:
    """Return the limit on output tokens in ``sent``; None if there is none."""
    values = select_sent_values("max_tokens", None, sent).values()
    limits = [value for value in values if _is_number(value)]
    return max((int(cast("float", limit)) for limit in limits), default=None)


def find_changed_parameters(
    asked: Mapping[str, JsonValue], sent: Mapping[str, SentValue]
) -> Iterator[ChangedParameter]:
    """Yield each parameter of ``asked`` that is missing or different in ``sent``.

    A parameter whose wanted value is null is not to be sent, and is not compared.
    """
    for name, value in asked.items():
        if value is None or name in _OF_LITELLM or name.startswith(_OF_LITELLM_BEGIN):
            continue
        if isinstance(value, dict):
            for whole, leaf in _list_leaves(value, (), _begin_path(name)):
                values = [each for sent_path, each in sent.items() if _ends(sent_path, (whole,))]
                yield from _find_change(whole, leaf, values, sent)
            continue
        values = list(select_sent_values(name, value, sent).values())
        yield from _find_change(name, value, values, sent)


def select_sent_values(
    name: str, asked: JsonValue, sent: Mapping[str, SentValue]
) -> dict[str, SentValue]:
    """Return the values in ``sent`` for the parameter ``name``, by dotted path."""
    if isinstance(asked, dict):
        own = {path for path, _ in _list_leaves(asked, (), _begin_path(name))}
        return {path: value for path, value in sent.items() if _ends(path, own)}
    names = {_simplify_name(name), *_OTHER_NAMES.get(name, ())}
    return {
        path: value
        for path, value in sent.items()
        if _simplify_name(path.rpartition(".")[2]) in names
    }


def find_added_parameters(
    asked: Mapping[str, JsonValue], sent: Mapping[str, SentValue]
) -> dict[str, SentValue]:
    """Return the parameters in ``sent`` that are neither in ``asked`` nor a limit on replies."""
    requested = set(select_sent_values("max_tokens", None, sent))
    for name, value in asked.items():
        requested |= select_sent_values(name, value, sent).keys()
    return {path: value for path, value in sent.items() if path not in requested}


def _ends(path: str, endings: Collection[str]) -> bool:
    """Return whether ``path`` is one of ``endings``, or ends with one of them inside an object."""
    return any(path == end or path.endswith(f".{end}") for end in endings)


def _find_change(
    name: str, asked: JsonValue, values: list[SentValue], sent: Mapping[str, SentValue]
) -> Iterator[ChangedParameter]:
    """Yield the difference of a wanted value from the sent ``values``, if there is any.

    In a body that has no effort by name, reasoning that is switched off is equal to the effort
    ``none``. A budget of tokens, or reasoning that is switched on, is not equal to any effort.
    """
    if values or name != EFFORT:
        if not any(_is_equal(asked, value) for value in values):
            yield ChangedParameter(name, asked, values[0] if values else None)
        return
    values_by_path = {
        path: value
        for path, value in sent.items()
        if any(_simplify_name(part) in _REASONING for part in path.split("."))
    }
    switched_off = any(str(value).lower() in _OFF for value in values_by_path.values())
    if str(asked).lower() not in _OFF or not switched_off:
        effort = ", ".join(f"{path} = {_as_text(value)}" for path, value in values_by_path.items())
        yield ChangedParameter(EFFORT, asked, effort or None)


def _list_leaves(
    fields: Mapping[str, JsonValue], prompt: tuple[str, ...], above: str = ""
) -> Iterator[tuple[str, SentValue]]:
    for name, value in fields.items():
        path = f"{above}{name}"
        if _simplify_name(name) in _NEVER:
            continue
        if isinstance(value, dict):
            yield from _list_leaves(value, prompt, f"{path}.")
        elif not any(text in json.dumps(value) for text in prompt):
            yield path, json.dumps(value) if isinstance(value, list) else value


def _begin_path(name: str) -> str:
    return "" if name == "extra_body" else f"{name}."


def _simplify_name(name: str) -> str:
    """Return a name without capitals and joining characters, which differ between protocols."""
    return name.replace("_", "").replace("-", "").lower()


def _is_equal(asked: JsonValue, sent: SentValue) -> bool:
    if isinstance(asked, list):
        return sent == json.dumps(asked)
    if isinstance(asked, str) and isinstance(sent, str):
        # A protocol may write words in capitals, or one word as a list of words.
        return sent.lower() == asked.lower() or sent == json.dumps([asked])
    same_kind = type(asked) is type(sent) or (_is_number(asked) and _is_number(sent))
    return same_kind and asked == sent


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
