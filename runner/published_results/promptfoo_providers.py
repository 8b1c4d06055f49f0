"""Models behind the ids of promptfoo's providers, such as ``openrouter:openai/gpt-6``."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

_PROTOCOLS: Final = frozenset(
    {
        "chat",
        "completion",
        "converse",
        "feature-extraction",
        "live",
        "messages",
        "realtime",
        "responses",
        "sentence-similarity",
        "text-classification",
        "text-generation",
        "token-classification",
    }
)
"""Words between a host and a model that name how the model is asked."""
_PROGRAMS: Final = frozenset(
    {
        "a2a",
        "exec",
        "file",
        "go",
        "golang",
        "http",
        "https",
        "javascript",
        "package",
        "python",
        "ruby",
        "webhook",
        "ws",
        "wss",
    }
)
"""Beginnings of ids that name a program, a file or an address instead of a model."""
_OTHER_NAMES: Final = {"azureopenai": "azure", "hf": "huggingface", "togetherai": "together"}
"""Hosts that have two names."""
_OF_ACCOUNT: Final = re.compile(r"accounts/([^/]+)/(?:models|deployments)/(.+)", re.DOTALL)
_SECRETS: Final = re.compile(r"\A(?:[a-z0-9]+:)?//(?:[^/?#@]*@)?|[?#].*", re.DOTALL)
"""The parts of an address that are no name, and may hold a key."""


class PromptfooModel(NamedTuple):
    """The model of a provider, with the differences from other providers of this model."""

    model: str
    """The name, with the maker's name before it if the id has one."""
    detail: str | None = None
    """The host of another maker's model, or the folder of a program."""
    protocol: str | None = None
    """How the model is asked, where the id says so."""


def name_providers(ids: Iterable[str]) -> dict[str, PromptfooModel]:
    """Return the model of each id; its protocol is told only where the model has several."""
    models = {identity: _parse_provider(identity) for identity in dict.fromkeys(ids)}
    counts = Counter((model.model, model.detail) for model in models.values())
    return {
        identity: model
        if counts[model.model, model.detail] > 1
        else PromptfooModel(model.model, model.detail)
        for identity, model in models.items()
    }


def _parse_provider(identity: str) -> PromptfooModel:
    host, colon, rest = identity.strip().partition(":")
    if not colon or "/" in host:
        return PromptfooModel(identity)
    if host in _PROGRAMS:
        return _name_program(host, rest)
    host = _OTHER_NAMES.get(host, host)
    word, colon, after = rest.partition(":")
    protocol = word if colon and after and word in _PROTOCOLS else None
    name = rest if protocol is None else after
    if (account := _OF_ACCOUNT.fullmatch(name)) is not None:
        name = "/".join(account.groups())
    if "/" in name:
        return PromptfooModel(name, host, protocol)
    return PromptfooModel(f"{host}/{name}" if name else host, None, protocol)


def _name_program(kind: str, target: str) -> PromptfooModel:
    """Return a program by its file or its host; the rest of an address may hold a key."""
    whole = _SECRETS.sub("", target.strip()).strip("/")
    if kind in {"exec", "file", "go", "golang", "javascript", "package", "python", "ruby"}:
        folder, _, name = whole.rpartition("/")
    else:
        name, _, folder = whole.partition("/")
    return PromptfooModel(f"{kind}/{name or 'program'}", folder or None)
