"""Shape of the registry of models, ``data/models.toml``."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from records.shapes.base import Dollars, ModelSlug, Name, Parameter, Positive, Record

HttpsAddress = Annotated[str, Field(pattern=r"^https://[^\s\"<>]+$", max_length=500)]
"""The address of a web page."""

LIMIT_PARAMETERS = frozenset({"max_tokens", "max_completion_tokens"})
"""Names of the parameter of a request that limits output tokens."""


class Limits(Record):
    """The limits of a provider, by its rules or by the maintainer's choice."""

    concurrency: Positive | None = None
    """Number of requests at the same time with which a run begins; the run adapts it. Null if it is
    not known."""
    max_output_tokens: Positive | None = None
    """The model's own limit on output tokens, including reasoning; null if it is not known."""
    timeout_s: Annotated[float, Field(gt=0)] = 900.0
    """The longest wait for the next piece of a reply, in seconds."""


class Price(Record):
    """Prices in US dollars per million tokens, for a model that litellm's price map lacks."""

    input: Dollars
    """Price of input."""
    cached_input: Dollars | None = None
    """Price of input that is read from a cache; null if it is the price of other input."""
    output: Dollars
    """Price of output, including reasoning."""


class Dialect(Record):
    """The differences of requests to a server from OpenAI's protocol for chat."""

    stream_options: bool = True
    """Whether ``stream_options`` are sent, which request the usage of a stream."""
    system_message: bool = True
    """Whether a message of the role ``system`` is sent; if not, the user's message begins with its
    text."""
    limit: Literal["max_tokens", "max_completion_tokens", "none"] = "max_tokens"
    """The parameter with the limit on a reply; with ``none``, no limit is sent."""


class DescribedModel(Record):
    """Facts on a model for readers. The model need not be one that can be asked."""

    slug: ModelSlug
    """The model's name in commands and records."""
    former_slugs: tuple[ModelSlug, ...] = ()
    """Earlier slugs of the model. Addresses of pages with these slugs lead to its present pages."""
    name: Name
    """The model's name for readers."""
    provider: Name
    """The maker of the model for readers, such as Anthropic or OpenAI."""
    family: Name | None = None
    """The name that the model shares with its successors and variants, such as Claude Opus or
    Gemini Flash."""
    effort: Name | None = None
    """The reasoning effort of requests, as in ``parameters``; null if the provider chooses it, or
    if it is not known."""
    released: date | None = None
    """The day of the model's release; null if it is not known."""
    retires: date | None = None
    """The day on which the provider ends its service; null if none was announced, or if it is not
    known."""
    source: HttpsAddress | None = None
    """The page with the days of release and retirement."""
    weights: Literal["open", "closed"] | None = None
    """`open` if anybody can download the model's weights, else `closed`; null if it is not
    known."""
    weights_source: HttpsAddress | None = None
    """The page that confirms ``weights``; both fields are given or neither."""

    @model_validator(mode="after")
    def _weights_have_a_source(self) -> Self:
        if (self.weights is None) != (self.weights_source is None):
            raise ValueError(
                "weights and weights_source, the page that confirms it, are given together or not "
                "at all"
            )
        return self


class ModelEntry(DescribedModel):
    """A model that can be asked by its slug."""

    litellm_id: Name
    """The model's id in litellm, such as ``anthropic/claude-opus-5.5``."""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    """Parameters of every request, such as temperature and reasoning_effort. A parameter that is
    null is not sent."""
    api_base: str | None = None
    """Address of a server with the OpenAI protocol; null for the provider's own address."""
    api_key_env: str | None = None
    """Environment variable with the key; null if no key is needed."""
    limits: Limits = Limits()
    """The provider's limits."""
    dialect: Dialect | None = None
    """The form of requests to its server; null for the usual form, unless the server refuses it."""
    price: Price | None = None
    """The model's price; null if the price is taken from litellm's local price map."""
    scheduled: bool = True
    """Whether the periodic workflow asks the model when it is due and its key is set."""

    @model_validator(mode="after")
    def _effort_is_what_is_sent(self) -> Self:
        sent = self.parameters.get("reasoning_effort", self.effort)
        if self.effort is not None and sent != self.effort:
            raise ValueError(f"effort: is not the reasoning_effort that is sent, {sent}")
        return self

    @property
    def litellm_provider(self) -> str:
        """The provider in litellm, whose protocol requests have: the first part of the id."""
        return self.litellm_id.partition("/")[0]

    @property
    def output_limit(self) -> int | None:
        """The limit on output tokens that is sent with each request; None if none is sent.

        A limit in ``parameters``, under either of its names, replaces that in ``limits``.
        """
        if self.dialect is not None and self.dialect.limit == "none":
            return None
        limits = [value for name, value in self.parameters.items() if name in LIMIT_PARAMETERS]
        if not limits:
            return self.limits.max_output_tokens
        numbers = [value for value in limits if isinstance(value, int) and value > 0]
        return max(numbers, default=None)


class Registry(Record):
    """All models in ``models.toml``."""

    schema_version: Literal[1]
    """Version of this shape."""
    models: tuple[ModelEntry, ...]
    """Models that can be asked, each once."""
    described: tuple[DescribedModel, ...] = ()
    """Models that only records name, such as those of imported runs. No model is in both lists."""

    @property
    def by_slug(self) -> dict[str, DescribedModel]:
        """Every model of both lists by its slug."""
        return {model.slug: model for model in (*self.described, *self.models)}

    @model_validator(mode="after")
    def _slugs_are_unique(self) -> Self:
        models = (*self.models, *self.described)
        slugs = [model.slug for model in models]
        former = [slug for model in models for slug in model.former_slugs]
        for taken, fault in (
            (slugs, "slugs used twice"),
            ([*slugs, *former], "former_slugs that another model has"),
        ):
            if repeated := sorted({slug for slug in taken if taken.count(slug) > 1}):
                raise ValueError(f"{fault}: {', '.join(repeated)}")
        return self


def select_facts(price_map: Mapping[str, Mapping[str, Any]], litellm_id: str) -> Mapping[str, Any]:
    """Return the facts about a model in litellm's price map; empty if the map has none."""
    if litellm_id in price_map:
        return price_map[litellm_id]
    provider, _, name = litellm_id.partition("/")
    facts = price_map.get(name, {})
    # The map also has families of a provider's models, such as vertex_ai-language-models.
    family = str(facts.get("litellm_provider", ""))
    return facts if family == provider or family.startswith(f"{provider}-") else {}
