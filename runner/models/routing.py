"""The warning about gateways, which route the requests to a model to hosts of their choice."""

from typing import Final

from records.shapes.registry import ModelEntry

_GATEWAY: Final = "openrouter"
_PIN: Final = "provider"
"""OpenRouter's parameter for the hosts that may answer."""


def find_routing_warning(model: ModelEntry | str) -> str | None:
    """Return a warning if a gateway may choose another host for each request; else None."""
    if isinstance(model, str) or model.litellm_id.partition("/")[0] != _GATEWAY:
        return None
    extra = model.parameters.get("extra_body")
    if model.parameters.get(_PIN) or (isinstance(extra, dict) and extra.get(_PIN)):
        return None
    return (
        f"{model.slug}: OpenRouter chooses the host of each request, and hosts differ in precision "
        'and context; pin one with --set \'provider={"order": ["HOST"], "allow_fallbacks": false}\''
    )
