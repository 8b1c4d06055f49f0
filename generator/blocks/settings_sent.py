"""The settings with which a run asked its model, as facts of the run's page."""

import json
from typing import Final

from generator.blocks.fact_list import Fact
from records.runs.sent_parameters import added, changes, sent_for
from records.shapes.registry import LIMIT_PARAMETERS, Dialect
from records.shapes.run import Imported, Run, RunModel

_NAMED: Final = {"reasoning_effort": "Reasoning effort", "temperature": "Temperature"}
"""Parameters that are shown of every run, sent or not, and their labels."""

_NOT_SET: Final = "not set, left to the provider"
_ADDED: Final = "added on the way, not asked for"
_NOT_PUBLISHED: Final = "not published"
_SHORT: Final = 12
"""Digits of a digest that a reader is shown, as versions are named by."""


def settings_sent(run: Run) -> list[Fact]:
    """Return prompt, reasoning effort, temperature, output limit and other sent parameters.

    Unknown settings of imported results are called not published, and settings that this program
    did not send are the provider's to choose.
    """
    if run.model.kind == "baseline":
        return [Fact("Settings", "none: a baseline hands in files, and no model is asked")]
    imported = isinstance(run.provenance, Imported)
    model = run.model
    limit = model.max_output_tokens
    if imported and not model.parameters and limit is None:
        return [Fact("Prompt and settings", _NOT_PUBLISHED)]
    unknown = _NOT_PUBLISHED if imported else _NOT_SET
    name_asked = [Fact("Asked as", model.litellm_id)] if model.litellm_id is not None else []
    labelled = [Fact(label, _setting(model, name, unknown)) for name, label in _NAMED.items()]
    unlabelled = [
        Fact(name, _setting(model, name, unknown))
        for name in sorted(model.parameters)
        if name not in _NAMED.keys() | LIMIT_PARAMETERS
    ]
    most = unknown if limit is None else f"{limit:,} tokens"
    settings = [Fact("Prompt", _prompt(run)), *labelled, Fact("Output limit", most), *unlabelled]
    return [*name_asked, *settings, *_added(model)]


def dialect_words(dialect: Dialect) -> str:
    """Return in words how a request was written that the server refused in the usual way."""
    parts = {
        "without stream_options": not dialect.stream_options,
        "with the system message in the user's": not dialect.system_message,
        f"with the limit as {dialect.limit}": dialect.limit == "max_completion_tokens",
        "without a limit": dialect.limit == "none",
    }
    return ", ".join(part for part, holds in parts.items() if holds) or "in the usual way"


def _setting(model: RunModel, name: str, unknown: str) -> str:
    """Return a parameter as it was asked for, and as it was sent where that differs."""
    sent = model.sent or {}
    values = sent_for(name, model.parameters.get(name), sent).values()
    if name not in model.parameters:
        return next((f"{_written(value)}, {_ADDED}" for value in values), unknown)
    wanted_value = _written(model.parameters[name])
    if model.sent is None:
        return wanted_value
    differences = changes({name: model.parameters[name]}, sent)
    sent_values = "; ".join(
        "nothing" if difference.sent is None else _written(difference.sent)
        for difference in differences
    )
    return f"{wanted_value} asked for, {sent_values} sent" if sent_values else wanted_value


def _added(model: RunModel) -> list[Fact]:
    """Return the sent parameters beside the requested parameters."""
    additions = added(dict.fromkeys(_NAMED) | model.parameters, model.sent or {})
    return [Fact(path, f"{_written(value)}, {_ADDED}") for path, value in sorted(additions.items())]


def _prompt(run: Run) -> str:
    """Return whether the guidelines were sent, and which text of them."""
    digest = run.experiment.guidelines
    if digest is not None:
        return f"the task, with guidelines {digest[:_SHORT]}"
    if isinstance(run.provenance, Imported):
        return _NOT_PUBLISHED
    return "the task, without guidelines"


def _written(value: object) -> str:
    """Write a value as it was sent; null is a value of its own."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
