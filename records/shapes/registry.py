"""The models the benchmark knows: ``data/models.toml``."""

from datetime import date
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.shapes.base import Dollars, ModelSlug, Name, Parameter, Record

HttpsAddress = Annotated[str, Field(pattern=r"^https://[^\s\"<>]+$", max_length=500)]
"""Where something stands on the web."""

LIMIT_PARAMETERS: Final = frozenset({"max_tokens", "max_completion_tokens"})
"""Names under which a request may hold the limit on output tokens."""


class Limits(Record):
    """The limits of a provider, by its rules or the maintainer's choice."""

    concurrency: Annotated[int, Field(ge=1)] | None = None
    """Requests in flight to the provider at the start, which adapts; null where not known."""
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    """The model's own limit, reasoning included; null where it is not known."""
    timeout_s: Annotated[float, Field(gt=0)] = 900.0
    """Longest wait for the next piece of a reply."""


class Price(Record):
    """Dollars per million tokens, for models litellm's local price map does not know."""

    input: Dollars
    """Input."""
    cached_input: Dollars | None = None
    """Input read from a cache; null where it costs as much as other input."""
    output: Dollars
    """Output, reasoning included."""


class Dialect(Record):
    """How the requests of a server differ from OpenAI's protocol for chat."""

    stream_options: bool = True
    """Whether ``stream_options`` are sent, by which the usage of a stream is asked for."""
    system_message: bool = True
    """Whether there is a message of the role ``system``; else its text begins the user's."""
    limit: Literal["max_tokens", "max_completion_tokens", "none"] = "max_tokens"
    """The name under which the limit on a reply is sent; ``none`` sends none."""


class DescribedModel(Record):
    """The facts on a model for readers, whether or not it can be asked."""

    slug: ModelSlug
    """Its name in commands and records."""
    former_slugs: tuple[ModelSlug, ...] = ()
    """Its earlier names: addresses with these names lead to its pages."""
    name: Name
    """For readers."""
    provider: Name
    """Who made the model, for readers: Anthropic, OpenAI, ..."""
    family: Name | None = None
    """The name that it shares with its successors and variants: Claude Opus, Gemini Flash, ..."""
    effort: Name | None = None
    """The reasoning effort that it is asked for, as ``parameters`` send it; null for the provider's
    own choice, or where that is not known."""
    released: date | None = None
    """When the model was released; null where it is not known."""
    retires: date | None = None
    """When its provider stops serving it; null where no day was announced or is known."""
    source: HttpsAddress | None = None
    """Where the days of its release and retirement stand."""
    weights: Literal["open", "closed"] | None = None
    """`open` where anybody can download its weights; null where it is not known."""
    weights_source: HttpsAddress | None = None
    """Where that stands; needed with ``weights``."""

    @model_validator(mode="after")
    def _weights_have_a_source(self) -> Self:
        if (self.weights is None) != (self.weights_source is None):
            raise ValueError("weights: needs weights_source, the page that says so, and no other")
        return self


class ModelEntry(DescribedModel):
    """One model that can be asked by its slug."""

    litellm_id: Name
    """How litellm addresses it: ``anthropic/claude-...``."""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    """Sent with every request: temperature, reasoning_effort, ... A null field is left out."""
    api_base: str | None = None
    """Address of a server that speaks the OpenAI protocol; null for the provider's own."""
    api_key_env: str | None = None
    """Environment variable that holds the key; null where none is needed."""
    limits: Limits = Limits()
    """The provider's limits."""
    dialect: Dialect | None = None
    """How its server's requests differ; null for the usual way, until the server refuses it."""
    price: Price | None = None
    """For models litellm's local price map does not know; null leaves it to that map."""
    scheduled: bool = True
    """True where the periodic workflow asks the model when it is due and its key is there."""

    @model_validator(mode="after")
    def _effort_is_what_is_sent(self) -> Self:
        sent = self.parameters.get("reasoning_effort", self.effort)
        if self.effort is not None and sent != self.effort:
            raise ValueError(f"effort: is not the reasoning_effort that is sent, {sent}")
        return self

    @property
    def output_limit(self) -> int | None:
        """The limit on output tokens that is sent with each request; None where none is.

        Where parameters hold it, under either of its names, no other is sent.
        """
        if self.dialect is not None and self.dialect.limit == "none":
            return None
        limits = [value for name, value in self.parameters.items() if name in LIMIT_PARAMETERS]
        if not limits:
            return self.limits.max_output_tokens
        numbers = [value for value in limits if isinstance(value, int) and value > 0]
        return max(numbers, default=None)


class Registry(Record):
    """Every model in ``models.toml``."""

    schema_version: Literal[1]
    """Version of this shape."""
    models: tuple[ModelEntry, ...]
    """Models that can be asked, each once."""
    described: tuple[DescribedModel, ...] = ()
    """Models that only records name, such as those of imported runs; none stands in both lists."""

    @property
    def by_slug(self) -> dict[str, DescribedModel]:
        """Every model of both lists by its slug."""
        return {model.slug: model for model in (*self.described, *self.models)}

    @model_validator(mode="after")
    def _slugs_are_unique(self) -> Self:
        slugs = [model.slug for model in (*self.models, *self.described)]
        if repeated := sorted({slug for slug in slugs if slugs.count(slug) > 1}):
            raise ValueError(f"slugs used twice: {', '.join(repeated)}")
        slugs += [
            former for model in (*self.models, *self.described) for former in model.former_slugs
        ]
        if repeated := sorted({slug for slug in slugs if slugs.count(slug) > 1}):
            raise ValueError(f"former_slugs that another model has: {', '.join(repeated)}")
        return self
