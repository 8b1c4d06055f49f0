"""The search for a model by its name: a slug of the registry, or any litellm id."""

import difflib
import os
from collections.abc import Iterable
from typing import Final

from records.runs.model_slugs import make_model_slug
from records.shapes.registry import Limits, ModelEntry, Registry
from records.shapes.run import RunModel
from runner.errors import BadSelectionError, BadTermsError, UnknownModelError
from runner.models.api_keys import OWN_SERVERS, SERVER_KEY, list_key_variables, read_key
from runner.models.baselines import BASELINES, find_baseline
from runner.models.modes import check_askable
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.terms import Terms

LOCAL: Final = "local"
"""The first half of the slug of a model on a server that is given by its address."""

_BY_HAND: Final = "by-hand"
"""The variant in the slug of a model given by id, where an entry of the registry has its slug."""

_LONGEST_NAME: Final = 190
"""The most characters of a name, so that its litellm id fits into records."""


def resolve_model(
    name: str,
    registry: Registry,
    *,
    api_base: str | None = None,
    terms: Terms | None = None,
    with_key: bool = True,
) -> ModelEntry:
    """Return the entry of the model called ``name``, or a new entry for it.

    ``name`` is a slug or litellm id of the registry, or any litellm id. ``api_base`` is the
    address of a server with the OpenAI protocol that gets the requests instead of a provider. No
    provider's key is ever sent there. ``terms`` are the command's options for a model without an
    entry. ``with_key`` requires that the model's key is set.

    Raises:
        BadTermsError: there are terms, and the model has an entry, which sets them.
        UnknownModelError: there is no such model; the message has similar names.
        NotAskableError: the model writes no text, or needs a login.
        MissingKeyError: ``with_key`` is true, and the key is in neither the environment nor .env.
    """
    if len(name) > _LONGEST_NAME:
        raise UnknownModelError(
            f"{name[:40]}…: a model's name has at most {_LONGEST_NAME} characters"
        )
    entry = _make_served_entry(name, api_base) if api_base else _find_registered(name, registry)
    has_terms = terms is not None and not terms.unsaid
    if has_terms and not api_base and entry is not None:
        raise BadTermsError(
            f"--max-tokens, --set and --price are for models given by id: {entry.slug} has an "
            "entry; write another, with a slug of its own, in data/local/models.toml"
        )
    if entry is None:
        entry = _make_entry_by_id(name, registry)
    if terms is not None:
        entry = terms.apply_to(entry)
    if with_key:
        read_key(entry)
    return entry


def refuse_shared_slugs(entries: Iterable[ModelEntry]) -> None:
    """Refuse different models with one slug, whose runs would be runs of one model.

    Raises:
        BadSelectionError: two models share a slug.
    """
    by_slug: dict[str, ModelEntry] = {}
    for entry in entries:
        other = by_slug.setdefault(entry.slug, entry)
        if other.litellm_id != entry.litellm_id:
            raise BadSelectionError(
                f"{other.litellm_id} and {entry.litellm_id} would both be {entry.slug} in records: "
                "name one of them, or give each an entry with its own slug in "
                "data/local/models.toml"
            )


def keep_slug(entry: ModelEntry, then: RunModel, registry: Registry) -> ModelEntry:
    """Return the entry of a model given by id, with the slug that a record has for the same id.

    Records of earlier versions have slugs without a digest. An entry of the registry is returned
    as it is.
    """
    is_same = entry.litellm_id == then.litellm_id and entry.slug not in registry.by_slug
    is_same_provider = entry.slug.partition("/")[0] == then.slug.partition("/")[0]
    return entry.model_copy(update={"slug": then.slug}) if is_same and is_same_provider else entry


def _find_registered(name: str, registry: Registry) -> ModelEntry | None:
    for spelling in (name, name.lower()):
        for entry in registry.models:
            if spelling in (entry.slug, entry.litellm_id):
                return entry
    return None


def make_served_id(name: str) -> str:
    """Return the litellm id of the model ``name`` on a server that is given by its address."""
    return f"openai/{name.removeprefix('openai/')}"


def _make_served_entry(name: str, api_base: str) -> ModelEntry:
    """Return an entry for a model of the server at ``api_base``.

    Its provider in litellm is ``openai``, because the server has OpenAI's protocol.
    """
    model = name.removeprefix("openai/")
    return ModelEntry(
        slug=make_model_slug(f"{LOCAL}/{model}", LOCAL, model),
        name=model,
        provider=LOCAL,
        litellm_id=make_served_id(name),
        api_base=api_base,
        api_key_env=SERVER_KEY if os.environ.get(SERVER_KEY) else None,
        limits=Limits(concurrency=1),  # the queue measures the capacity of the server
    )


def _make_entry_by_id(name: str, registry: Registry) -> ModelEntry:
    provider, slash, model = name.partition("/")
    if not slash or not model or provider not in _list_providers():
        raise UnknownModelError(_describe_unknown(name, registry))
    slug = make_model_slug(name, provider, model)
    if slug in registry.by_slug:
        slug = make_model_slug(name, provider, model, _BY_HAND)
    entry = ModelEntry(
        slug=slug,
        name=model,
        provider=provider,
        litellm_id=name,
        api_key_env=_choose_key_variable(provider),
        limits=Limits(concurrency=1) if provider in OWN_SERVERS else Limits(),
    )
    check_askable(entry)
    return entry


def _list_providers() -> frozenset[str]:
    return frozenset(str(getattr(p, "value", p)) for p in load_litellm().provider_list)


def _choose_key_variable(provider: str) -> str | None:
    """Return the variable that holds the provider's key.

    If none is set, it is the first that may hold the key; None if the provider needs no key.
    """
    variables = list_key_variables(provider)
    held = (variable for variable in variables if os.environ.get(variable))
    return next(held, variables[0] if variables else None)


def describe_unlisted(name: str, registry: Registry) -> str | None:
    """Return a notice on a model that is asked without an entry; None for every other name.

    A misspelt name may be the id of another model, which would be asked and paid.
    """
    if find_baseline(name) is not None or _find_registered(name, registry) is not None:
        return None
    close = _find_close_names(name, registry, 0.75)
    nearest = f"; close to it is {close[0]}" if close else ""
    return f"{name} is not in models.toml, and is asked by its litellm id{nearest}"


def _find_close_names(name: str, registry: Registry, cutoff: float) -> list[str]:
    names = [
        *BASELINES,
        *(slug.partition("/")[2] for slug in BASELINES),
        *(entry.slug for entry in registry.models),
    ]
    return difflib.get_close_matches(name.lower(), names, n=3, cutoff=cutoff)


def _describe_unknown(name: str, registry: Registry) -> str:
    close = _find_close_names(name, registry, 0.5)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    return (
        f"unknown model {name}: {hint}`leaderboard models` lists those of models.toml; any other "
        "is given by its litellm id, such as openrouter/meta-llama/llama-4-maverick"
    )
