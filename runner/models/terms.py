"""The options for a model that is given by its id: output limit, parameters, price."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from pydantic import JsonValue, ValidationError

from records.files.problems import describe_first_problem
from records.shapes.registry import LIMIT_PARAMETERS, ModelEntry, Price
from runner.errors import BadTermsError

OURS: Final = frozenset(
    {
        "api_base",
        "api_key",
        "api_version",
        "base_url",
        "callbacks",
        "client",
        "custom_llm_provider",
        "default_headers",
        "drop_params",
        "extra_body",
        "extra_headers",
        "fallbacks",
        "functions",
        "headers",
        "input_cost_per_token",
        "max_retries",
        "messages",
        "metadata",
        "mock_response",
        "model",
        "n",
        "num_retries",
        "organization",
        "output_cost_per_token",
        "request_timeout",
        "stream",
        "stream_options",
        "timeout",
        "tools",
    }
)
"""Parameters that no option may set: they decide the receiver, the protocol or the messages."""

_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")
_PRICE: Final = re.compile(r"([0-9.]+)/([0-9.]+)")


@dataclass(frozen=True, slots=True)
class Terms:
    """The options of a command for models without an entry; each is optional."""

    max_tokens: int | None = None
    """The most tokens of a reply, reasoning included."""
    parameters: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Parameters that are sent with every request."""
    price: Price | None = None
    """Dollars per million tokens."""

    @property
    def unsaid(self) -> bool:
        """True if no option was given."""
        return self.max_tokens is None and not self.parameters and self.price is None

    def apply_to(self, entry: ModelEntry) -> ModelEntry:
        """Return ``entry`` with these options."""
        if self.unsaid:
            return entry
        fields = dict(entry)
        fields["parameters"] = {**entry.parameters, **self.parameters}
        if "reasoning_effort" in self.parameters:
            fields["effort"] = self.parameters["reasoning_effort"]
        if self.max_tokens is not None:
            changed = {"max_output_tokens": self.max_tokens}
            fields["limits"] = entry.limits.model_copy(update=changed)
        if self.price is not None:
            fields["price"] = self.price
        try:
            return ModelEntry.model_validate(fields)
        except ValidationError as error:
            raise BadTermsError(f"--set: {describe_first_problem(error)}") from error


def parse_terms(max_tokens: int | None, settings: Sequence[str], price: str | None) -> Terms:
    """Return the terms given by ``--max-tokens``, each ``--set KEY=VALUE``, ``--price IN/OUT``.

    Raises:
        BadTermsError: an option has an invalid value, or contradicts another option.
    """
    pairs = [_parse_setting(text) for text in settings]
    names = [name for name, _ in pairs]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise BadTermsError(f"--set {repeated[0]} is given twice: which of them?")
    limiting = LIMIT_PARAMETERS & {*names}
    if len(limiting) + (max_tokens is not None) > 1:
        raise BadTermsError("the limit on a reply is given twice: give --max-tokens alone")
    return Terms(max_tokens, dict(pairs), None if price is None else _parse_price(price))


def _parse_setting(text: str) -> tuple[str, JsonValue]:
    name, equals, written = text.partition("=")
    if not equals or not _KEY.fullmatch(name):
        raise BadTermsError(f"--set {text}: write KEY=VALUE, such as temperature=0.2")
    if name in OURS:
        raise BadTermsError(f"--set {name}: is not for a command to set")
    value = _parse_value(name, written)
    if name in LIMIT_PARAMETERS and (
        not isinstance(value, int) or isinstance(value, bool) or value < 1
    ):
        raise BadTermsError(f"--set {text}: give a number of tokens, such as {name}=16384")
    return name, value


def _parse_value(name: str, written: str) -> JsonValue:
    """Return the value of JSON text; text that is not JSON is returned unchanged."""
    try:
        value = cast("JsonValue", json.loads(written))
    except (ValueError, RecursionError) as error:
        if written.lstrip()[:1] in {"{", "["}:
            raise BadTermsError(f"--set {name}: {written} is no JSON: {error}") from error
        return written
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise BadTermsError(f"--set {name}: {written} is no number that could be sent") from error
    return value


def _parse_price(text: str) -> Price:
    prices = _PRICE.fullmatch(text)
    try:
        if prices:
            return Price(input=float(prices[1]), output=float(prices[2]))
    except ValueError:  # two points in a number; pydantic's error is a ValueError, too
        pass
    raise BadTermsError(
        f"--price {text}: write dollars per million tokens of input and output, such as 0.5/1.5"
    )
