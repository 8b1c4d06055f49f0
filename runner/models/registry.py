"""Models by their names: a slug of the registry, or any litellm id with the command's options."""

import difflib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue, ValidationError

from records.files.problems import describe_first_problem
from records.runs.model_slugs import make_model_slug
from records.shapes.registry import LIMIT_PARAMETERS, Limits, ModelEntry, Price, Registry
from records.shapes.run import RunModel
from runner.errors import BadSelectionError, NotAskableError, UnknownModelError
from runner.models.api_keys import OWN_SERVERS, SERVER_KEY, list_key_variables, read_key
from runner.models.baselines import BASELINES, find_baseline
from runner.models.costs import find_mapped_facts
from runner.models.requests.lazy_litellm import load_litellm

LOCAL = "local"
"""The first half of the slug of a model on a server that is given by its address."""

_BY_HAND = "by-hand"
"""The variant in the slug of a model given by id, where an entry of the registry has its slug."""

_LONGEST_NAME = 190
"""The most characters of a name, so that its litellm id fits into records."""

OURS = frozenset(
    """
    api_base api_key api_version base_url callbacks client custom_llm_provider default_headers
    drop_params extra_body extra_headers fallbacks functions headers input_cost_per_token
    max_retries messages metadata mock_response model n num_retries organization
    output_cost_per_token request_timeout stream stream_options timeout tools
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Parameters that no option may set: they decide the receiver, the protocol or the messages."""

_KEY = re.compile(r"[a-z][a-z0-9_]{0,60}")

_PRICE = re.compile(r"([0-9.]+)/([0-9.]+)")

_GATEWAY = "openrouter"

_PIN = "provider"
"""OpenRouter's parameter for the hosts that may answer."""

ASKED = frozenset({"chat", "responses", "completion"})
"""Modes of models that may be part of a run."""

BEHIND_A_LOGIN = frozenset({"chatgpt", "github_copilot"})
"""litellm's providers that open a login in a browser instead of taking a key."""


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
            raise BadSelectionError(f"--set: {describe_first_problem(error)}") from error


def resolve_model(
    name: str,
    registry: Registry,
    *,
    api_base: str | None = None,
    terms: Terms = Terms(),
    with_key: bool = True,
) -> ModelEntry:
    """Return the entry of the model called ``name``, or a new entry for it.

    ``name`` is a slug or litellm id of the registry, or any litellm id. ``api_base`` is the
    address of a server with the OpenAI protocol that gets the requests instead of a provider. No
    provider's key is ever sent there. ``terms`` are the command's options for a model without an
    entry. ``with_key`` requires that the model's key is set.

    Raises:
        BadSelectionError: there are terms, and the model has an entry, which sets them.
        UnknownModelError: there is no such model; the message has similar names.
        NotAskableError: the model writes no text, or needs a login.
        MissingKeyError: ``with_key`` is true, and the key is in neither the environment nor .env.
    """
    if len(name) > _LONGEST_NAME:
        raise UnknownModelError(
            f"{name[:40]}…: a model's name has at most {_LONGEST_NAME} characters"
        )
    if api_base:
        # The provider in litellm is ``openai``, because the server has OpenAI's protocol.
        model = name.removeprefix("openai/")
        entry = ModelEntry(
            slug=make_model_slug(f"{LOCAL}/{model}", LOCAL, model),
            name=model,
            provider=LOCAL,
            litellm_id=make_served_id(name),
            api_base=api_base,
            api_key_env=SERVER_KEY if os.environ.get(SERVER_KEY) else None,
            limits=Limits(concurrency=1),  # the queue measures the capacity of the server
        )
    else:
        entry = _find_registered(name, registry)
    if not terms.unsaid and not api_base and entry is not None:
        raise BadSelectionError(
            f"--max-tokens, --set and --price are for models given by id: {entry.slug} has an "
            "entry; write another, with a slug of its own, in data/local/models.toml"
        )
    if entry is None:
        provider, slash, model = name.partition("/")
        known_providers = load_litellm().provider_list if slash and model else ()
        if provider not in {str(getattr(known, "value", known)) for known in known_providers}:
            close = _find_close_names(name, registry, 0.5)
            hint = f"did you mean {' or '.join(close)}? " if close else ""
            raise UnknownModelError(
                f"unknown model {name}: {hint}`leaderboard models` lists those of models.toml; any "
                "other is given by its litellm id, such as openrouter/meta-llama/llama-4-maverick"
            )
        # The first variable that is set, or else that may hold the key; None if no key is needed.
        variables = list_key_variables(provider)
        held = (variable for variable in variables if os.environ.get(variable))
        slug = make_model_slug(name, provider, model)
        if slug in registry.by_slug:
            slug = make_model_slug(name, provider, model, _BY_HAND)
        entry = ModelEntry(
            slug=slug,
            name=model,
            provider=provider,
            litellm_id=name,
            api_key_env=next(held, variables[0] if variables else None),
            limits=Limits(concurrency=1) if provider in OWN_SERVERS else Limits(),
        )
        check_askable(entry)
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
    entries = (
        entry
        for spelling in (name, name.lower())
        for entry in registry.models
        if spelling in (entry.slug, entry.litellm_id)
    )
    return next(entries, None)


def make_served_id(name: str) -> str:
    """Return the litellm id of the model ``name`` on a server that is given by its address."""
    return f"openai/{name.removeprefix('openai/')}"


def describe_unlisted(name: str, registry: Registry) -> str | None:
    """Return a notice on a model that is asked without an entry; None for every other name.

    A misspelt name may be the id of another model, which would be asked and paid.
    """
    if find_baseline(name) is not None or _find_registered(name, registry) is not None:
        return None
    close = _find_close_names(name, registry, 0.75)
    nearest = f"; close to it is {close[0]}" if close else ""
    return f"{name} is not in models.toml, and is asked by its litellm id{nearest}"


def is_named(model: RunModel, names: Sequence[str]) -> bool:
    """Return whether one of ``names`` is the model's slug or litellm id, or means its baseline."""
    slugs = {find_baseline(name) or name for name in names}
    return bool({model.slug, model.litellm_id} & {*slugs, *map(str.lower, slugs)})


def _find_close_names(name: str, registry: Registry, cutoff: float) -> list[str]:
    names = [
        *BASELINES,
        *(slug.partition("/")[2] for slug in BASELINES),
        *(entry.slug for entry in registry.models),
    ]
    return difflib.get_close_matches(name.lower(), names, n=3, cutoff=cutoff)


def parse_terms(max_tokens: int | None, settings: Sequence[str], price: str | None) -> Terms:
    """Return the terms given by ``--max-tokens``, each ``--set KEY=VALUE``, ``--price IN/OUT``.

    Raises:
        BadSelectionError: an option has an invalid value, or contradicts another option.
    """
    pairs: list[tuple[str, JsonValue]] = []
    for text in settings:
        name, equals, written = text.partition("=")
        if not equals or not _KEY.fullmatch(name):
            raise BadSelectionError(f"--set {text}: write KEY=VALUE, such as temperature=0.2")
        if name in OURS:
            raise BadSelectionError(f"--set {name}: is not for a command to set")
        value = _parse_value(name, written)
        is_count = isinstance(value, int) and not isinstance(value, bool) and value > 0
        if name in LIMIT_PARAMETERS and not is_count:
            raise BadSelectionError(f"--set {text}: give a number of tokens, such as {name}=16384")
        pairs.append((name, value))
    names = [name for name, _ in pairs]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise BadSelectionError(f"--set {repeated[0]} is given twice: which of them?")
    limiting = LIMIT_PARAMETERS & {*names}
    if len(limiting) + (max_tokens is not None) > 1:
        raise BadSelectionError("the limit on a reply is given twice: give --max-tokens alone")
    dollars: Price | None = None
    if price is not None:
        numbers = _PRICE.fullmatch(price)
        with suppress(ValueError):  # two points in a number; pydantic's error is a ValueError, too
            if numbers:
                dollars = Price(input=float(numbers[1]), output=float(numbers[2]))
        if dollars is None:
            raise BadSelectionError(
                f"--price {price}: write dollars per million tokens of input and output, such as "
                "0.5/1.5"
            )
    return Terms(max_tokens, dict(pairs), dollars)


def _parse_value(name: str, written: str) -> JsonValue:
    """Return the value of JSON text; text that is not JSON is returned unchanged."""
    try:
        value = cast("JsonValue", json.loads(written))
    except (ValueError, RecursionError) as error:
        if written.lstrip()[:1] in {"{", "["}:
            raise BadSelectionError(f"--set {name}: {written} is no JSON: {error}") from error
        return written
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise BadSelectionError(
            f"--set {name}: {written} is no number that could be sent"
        ) from error
    return value


def find_routing_warning(model: ModelEntry) -> str | None:
    """Return a warning if a gateway may choose another host for each request; else None."""
    if model.litellm_provider != _GATEWAY:
        return None
    extra = model.parameters.get("extra_body")
    if model.parameters.get(_PIN) or (isinstance(extra, dict) and extra.get(_PIN)):
        return None
    return (
        f"{model.slug}: OpenRouter chooses the host of each request, and hosts differ in precision "
        'and context; pin one with --set \'provider={"order": ["HOST"], "allow_fallbacks": false}\''
    )


def check_askable(entry: ModelEntry) -> None:
    """Check that the model of ``entry`` answers questions in text, and needs no login of a person.

    Models without facts in litellm's map pass the check, such as each model of a server that is
    given by its address.

    Raises:
        NotAskableError: the model fails the check; the message names its mode, or the login.
    """
    if entry.api_base is not None:
        return
    mode = find_mapped_facts(entry.litellm_id).get("mode")
    remark = "" if mode is None else f" (mode {mode})"
    if entry.litellm_provider in BEHIND_A_LOGIN:
        raise NotAskableError(
            f"{entry.litellm_id}{remark} needs a login in a browser, and a run asks by key: choose "
            "the same model of another provider"
        )
    if mode is not None and mode not in ASKED:
        raise NotAskableError(
            f"{entry.litellm_id} is of mode {mode} in litellm's map: a run asks models of the "
            f"modes {', '.join(sorted(ASKED))}"
        )
