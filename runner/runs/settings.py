"""The settings of runs: a field for each option of the commands."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.grading.answer_steps import GradingSettings
from runner.models.registry import Terms, parse_terms


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings(GradingSettings):
    """The settings of runs and of their grading.

    A resume needs these settings again: the settings of grading, a guidelines file, the address
    and the terms of a model given by id, and a new budget. It takes all others from the record.
    """

    models: Sequence[str] = ()
    """Slugs of models in the registry or of baselines, or litellm ids."""
    pattern: str | None = None
    """A regular expression that selects evals by name; None for all."""
    categories: Sequence[str] = ()
    """Categories of evals; empty for all."""
    experiment: str | None = None
    """Name of the experiment; None for the default, or for the name of the guidelines file."""
    guidelines: Path | None = None
    """Path of guidelines to send instead of the suite's."""
    samples: int = 1
    """The number of attempts at each eval."""
    budget_usd: float | None = None
    """The most dollars that the runs of a command may cost together, all their resumes included.
    None sets no limit; a resumed run then keeps its own."""
    concurrency: int | None = None
    """The most requests at once per provider; None if the program decides."""
    ahead: int | None = None
    """The most answers of a provider without a verdict; None for `compute_default_limit`."""
    api_base: str | None = None
    """Address of a server with the OpenAI protocol, for models given by litellm id."""
    max_tokens: int | None = None
    """The most tokens of a reply, for models given by litellm id."""
    parameters: Sequence[str] = ()
    """KEY=VALUE of each request, for models given by litellm id."""
    price: str | None = None
    """IN/OUT, the price of models given by litellm id."""
    allow_changed: bool = False
    """True if a model may be asked although litellm drops or changes one of its parameters."""
    failed_only: bool = False
    """True if each model is asked only the evals that did not pass when last judged."""
    carry_over_days: int | None = None
    """The greatest age, in days, of an earlier run's answer that is not asked for again; None if
    all answers are asked for."""
    publish: bool = False
    """True if the runs are published at their end."""

    @property
    def terms(self) -> Terms:
        """The terms of models given by litellm id, from their options.

        Raises:
            BadSelectionError: an option has an invalid value, or contradicts another option.
        """
        return parse_terms(self.max_tokens, self.parameters, self.price)
