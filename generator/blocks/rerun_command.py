"""The shell command that repeats a run."""

import json
import shlex
from collections.abc import Iterable

from generator.read.summaries import get_category_key
from records.runs.sent_parameters import find_changed_parameters
from records.shapes.registry import LIMIT_PARAMETERS
from records.shapes.run import Executed, Run, RunModel
from records.suites.experiments import DEFAULT

LOCAL = "local/"
"""The beginning of the slugs of models on servers that were given by their address."""


def build_rerun_command(run: Run, evals: Iterable[str], *, registered: bool) -> str | None:
    """Return the command that repeats a run; None for an imported run.

    ``evals`` are the evals of the run's version. The command has the slug of a model that is
    ``registered`` in models.toml, and else its litellm id. The address of a server is a
    placeholder, because records have no addresses.
    """
    if not isinstance(run.provenance, Executed):
        return None
    parts = ["leaderboard", "run", *_build_model_options(run, registered=registered)]
    if run.experiment.name != DEFAULT:
        parts += ["-e", run.experiment.name]
        # The guidelines of another experiment are in a file that the record does not name.
        parts += ["--guidelines", "FILE"] if run.experiment.guidelines is not None else []
    parts += _build_selection_options(run.planned, evals)
    parts += ["--samples", str(run.samples)] if run.samples > 1 else []
    return shlex.join(parts)


def _build_model_options(run: Run, *, registered: bool) -> list[str]:
    model = run.model
    if registered or model.litellm_id is None:
        return [
            "-m",
            model.slug,
            *(["--allow-changed-parameters"] if _has_changed_parameters(model) else []),
        ]
    options = ["--api-base", "URL"] if model.slug.startswith(LOCAL) else []
    options += ["--allow-changed-parameters"] if _has_changed_parameters(model) else []
    limit = model.max_output_tokens
    if limit is not None and not LIMIT_PARAMETERS & model.parameters.keys():
        options += ["--max-tokens", str(limit)]
    for name, value in model.parameters.items():
        options += ["--set", f"{name}={_write_value(value)}"]
    return ["-m", model.litellm_id, *options]


def _has_changed_parameters(model: RunModel) -> bool:
    """Return whether the request had another value of a parameter than the run asked for."""
    return model.sent is not None and any(find_changed_parameters(model.parameters, model.sent))


def _write_value(value: object) -> str:
    """Return a value for `--set`: as JSON, but a text that is no JSON without quotes."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)


def _build_selection_options(planned: Iterable[str], evals: Iterable[str]) -> list[str]:
    """Return the options that select the planned evals, by category if that is exact."""
    chosen, unplanned = set(planned), set(evals) - set(planned)
    if not unplanned:
        return []
    categories = {get_category_key(name) for name in chosen}
    if not categories & {get_category_key(name) for name in unplanned}:
        return [part for category in sorted(categories) for part in ("-c", category)]
    return ["-f", f"^({'|'.join(sorted(chosen))})$" if len(chosen) > 1 else f"^{min(chosen)}$"]
