"""The options of the commands that make runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from runner.models.terms import terms_of
from runner.runs.settings import RunSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(RunSettings):
    """The options of `leaderboard run`, `ablate` and `guidelines check`, a field for each."""

    plan: bool
    """True where the cost is only forecast."""
    resume: str | None = None
    """The beginning of the id of the trial to resume."""
    resumed: Sequence[str] = ()
    """The beginnings of the ids of the runs to resume."""
    resume_or_start: bool = False
    anew: bool = False
    why: str | None = None
    """The reason to publish a run that readers cannot rely on."""
    report_to: str | None = None
    """Address of a server that gets the results, too."""
    evals_root: Path
    data_root: Path
    as_json: bool


def check_options(options: RunOptions) -> None:
    """Check options that do not depend on the models of a run.

    Raises:
        UsageError: there is a reason to publish without `--publish`.
        BadTermsError: a parameter, limit or price cannot be read.
    """
    terms_of(options.max_tokens, options.parameters, options.price)
    if options.why is not None and not options.publish:
        raise click.UsageError("--why says why a run is published: it needs --publish")


def check_models(options: RunOptions) -> None:
    """Check that the options of new runs name a model.

    Raises:
        UsageError: they name none.
    """
    if not options.models:
        raise click.UsageError(
            "which model? Use -m MODEL or MODELS=…; `leaderboard models` lists them"
        )
