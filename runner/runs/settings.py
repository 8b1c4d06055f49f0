"""The settings of grading and of runs: a field for each option of the commands."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.backends.backend import BackendKind
from runner.jail import Kind
from runner.models.terms import Terms, terms_of


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingSettings:
    """The settings of grading."""

    backend: BackendKind = "embedded"
    sandbox: Kind = "bwrap"
    graders: int = 3
    """Attempts graded at once."""
    workspaces: Path | None = None
    """The folder for workspaces; None is the system's temporary folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings(GradingSettings):
    """The settings of runs and of their grading.

    A resume takes those again that no record, or no trustworthy record, has: the settings of
    grading, own guidelines, address and terms of a model given by id, and a new budget.
    """

    models: Sequence[str] = ()
    """Slugs of the registry, of baselines, or litellm ids."""
    pattern: str | None = None
    """Regular expression over the names of evals."""
    categories: Sequence[str] = ()
    """Categories of evals; empty for all."""
    experiment: str | None = None
    """Name of the experiment; None for the default, or the name of the guidelines file."""
    guidelines: Path | None = None
    """Path to guidelines to send instead of the suite's."""
    samples: int = 1
    """Attempts at each eval."""
    budget_usd: float | None = None
    """The most dollars that each run may cost, however often it is resumed; None for no limit, or
    the own limit of a resumed run."""
    concurrency: int | None = None
    """The most requests at once per provider."""
    ahead: int | None = None
    """The most answers of a provider without a verdict; None for `default_limit`."""
    api_base: str | None = None
    """Address of a server with the OpenAI protocol, for models given by litellm id."""
    max_tokens: int | None = None
    """The most tokens of a reply, for models given by litellm id."""
    parameters: Sequence[str] = ()
    """KEY=VALUE of each request, for models given by litellm id."""
    price: str | None = None
    """IN/OUT, the price of models given by litellm id."""
    allow_changed: bool = False
    """True where a model may be asked though a parameter is dropped or changed on its way."""
    failed_only: bool = False
    """Only the evals that did not pass when each model was last judged on them."""
    carry_over_days: int | None = None
    """The greatest age in days of answers of earlier runs that are not asked for again; None asks
    for all."""
    publish: bool = False
    """True where the runs are published at their end."""

    @property
    def terms(self) -> Terms:
        """The options for models given by litellm id.

        Raises:
            BadTermsError: an option has no value that could be sent, or contradicts another.
        """
        return terms_of(self.max_tokens, self.parameters, self.price)
