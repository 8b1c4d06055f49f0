"""Prices of tokens from the price map of litellm, read without importing litellm.

`generator.sources.compute_program_digest` covers the version of each installed package, so a build
after an upgrade reads the map again.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from records.shapes.registry import DescribedModel, ModelEntry, select_facts

_FILE = "model_prices_and_context_window_backup.json"
_MILLION = 1_000_000


class TokenPrice(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float


class PriceMap(NamedTuple):
    """The price map of litellm: facts about models, by litellm's names."""

    version: str
    """The version of litellm; empty without a map."""
    models: Mapping[str, Mapping[str, Any]]

    def find_price(self, model: DescribedModel | None) -> TokenPrice | None:
        """Return the price of a model's tokens, in its cheapest tier; None if it is not known.

        A price in models.toml has precedence over the map.
        """
        if not isinstance(model, ModelEntry):
            return None
        if model.price is not None:
            return TokenPrice(float(model.price.input), float(model.price.output))
        facts = select_facts(self.models, model.litellm_id)
        read, written = facts.get("input_cost_per_token"), facts.get("output_cost_per_token")
        if not isinstance(read, int | float) or not isinstance(written, int | float):
            return None
        return TokenPrice(read * _MILLION, written * _MILLION)

    def find_context(self, model: DescribedModel | None) -> int | None:
        """Return the most tokens that a model reads at once; None if it is not known."""
        if not isinstance(model, ModelEntry):
            return None
        tokens = select_facts(self.models, model.litellm_id).get("max_input_tokens")
        return tokens if isinstance(tokens, int) else None


NO_PRICES = PriceMap("", {})
"""A map without prices."""


@cache
def read_prices() -> PriceMap:
    """Return the price map of the installed litellm; an empty map without litellm or its map."""
    spec = find_spec("litellm")
    file = Path(spec.origin).parent / _FILE if spec and spec.origin else None
    if file is None or not file.exists():
        return NO_PRICES
    return PriceMap(version("litellm"), json.loads(file.read_bytes()))
