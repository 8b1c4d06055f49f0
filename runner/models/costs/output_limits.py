"""The limit on replies, reasoning included, that is sent if a budget has to be kept."""

from typing import Final

from records.shapes.registry import LIMIT_PARAMETERS, ModelEntry
from runner.errors import UnknownPriceError
from runner.models.costs.prices import find_mapped_facts

UNKNOWN_LIMIT: Final = 32_000
"""The limit in tokens for a model whose own output limit is unknown."""


def bound_output(entry: ModelEntry) -> ModelEntry:
    """Return ``entry`` with a limit on replies, which a budget needs to bound their cost.

    An entry without a limit gets the limit from litellm's map, else `UNKNOWN_LIMIT`.

    Raises:
        UnknownPriceError: the entry's dialect sends no limit.
    """
    if entry.dialect is not None and entry.dialect.limit == "none":
        raise UnknownPriceError(
            f"--budget needs a limit on replies, and the dialect of {entry.slug} sends none"
        )
    if entry.output_limit is not None:
        return entry
    mapped_limit: object = None
    if entry.api_base is None:  # the map has no facts about the user's own server
        mapped_limit = find_mapped_facts(entry.litellm_id).get("max_output_tokens")
    limit = mapped_limit if isinstance(mapped_limit, int) and mapped_limit > 0 else UNKNOWN_LIMIT
    parameters = {
        name: value for name, value in entry.parameters.items() if name not in LIMIT_PARAMETERS
    }
    limits = entry.limits.model_copy(update={"max_output_tokens": limit})
    return entry.model_copy(update={"limits": limits, "parameters": parameters})
