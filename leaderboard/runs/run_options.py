"""The options of the commands that make runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from leaderboard.terminal.streams import say
from records.files.data_folder import DataFolder
from records.reader import read_models
from runner.models.registry import describe_unlisted, parse_terms
from runner.runs.settings import RunSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(RunSettings):
    """The options of `leaderboard run` and `ablate`, a field for each."""

    plan: bool
    """True if the cost is only forecast."""
    resume: str | None = None
    """The beginning of the id of the trial to resume."""
    resumed: Sequence[str] = ()
    """The beginnings of the ids of the runs to resume."""
    resume_or_start: bool = False
    """True to go on with an unfinished run of the same kind, if there is one."""
    anew: bool = False
    """True to begin a new run although a run of the same kind is unfinished."""
    why: str | None = None
    """The reason to publish a run that readers cannot rely on."""
    report_to: str | None = None
    """The address of a server that also gets the results; None for no server."""
    evals_root: Path
    data_root: Path
    as_json: bool


def check_options(options: RunOptions) -> None:
    """Check the options that do not depend on the models of a run.

    Raises:
        UsageError: `--why` is given without `--publish`.
        BadTermsError: a parameter, limit or price is invalid.
    """
    parse_terms(options.max_tokens, options.parameters, options.price)
    if options.why is not None and not options.publish:
        raise click.UsageError("--why is the reason to publish a run: give --publish, too")


def check_models(options: RunOptions) -> None:
    """Check that the options of new runs name a model; print which have no entry.

    Raises:
        UsageError: the options name no model.
    """
    if not options.models:
        raise click.UsageError(
            "which model? Use -m MODEL or MODELS=…; `leaderboard models` lists them"
        )
    say_unlisted(options.models, DataFolder(options.data_root), options.api_base)


def say_unlisted(names: Sequence[str], data: DataFolder, api_base: str | None) -> None:
    """Print a notice on each model that would be asked without an entry, with a key or without."""
    if api_base is None:
        registry = read_models(data)
        for name in names:
            notice = describe_unlisted(name, registry) if "/" in name else None
            if notice is not None:
                say(notice, err=True)
