"""Lists of facts: labels with values, and the settings with which a run asked its model."""

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from records.runs.sent_parameters import (
    find_added_parameters,
    find_changed_parameters,
    select_sent_values,
)
from records.shapes.registry import LIMIT_PARAMETERS, Dialect
from records.shapes.run import Imported, Run, RunModel


class Fact(NamedTuple):
    """A label and a value in a list of facts."""

    label: str
    value: str
    href: str | None = None
    """An address outside of the site that the value links; None for no link."""


def list_facts(values: Mapping[str, str | None]) -> list[Fact]:
    """Return a fact for each label whose value is known."""
    return [Fact(label, value) for label, value in values.items() if value is not None]


_NAMED: Final = {"reasoning_effort": "Reasoning effort", "temperature": "Temperature"}
"""The labels of the parameters that the page always shows, even if they were not sent."""

_NOT_SET: Final = "not set, left to the provider"
_ADDED: Final = "added on the way, not asked for"
_NOT_PUBLISHED: Final = "not published"
_SHORT: Final = 12
"""The number of digits of a digest that are shown."""


def build_setting_facts(run: Run) -> list[Fact]:
    """Return the prompt, reasoning effort, temperature, output limit and other parameters.

    A setting without a value is called `not published` for imported results, and left to the
    provider for our own runs.
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
    labelled = [
        Fact(label, _describe_setting(model, name, unknown)) for name, label in _NAMED.items()
    ]
    unlabelled = [
        Fact(name, _describe_setting(model, name, unknown))
        for name in sorted(model.parameters)
        if name not in _NAMED.keys() | LIMIT_PARAMETERS
    ]
    most = unknown if limit is None else f"{limit:,} tokens"
    settings = [
        Fact("Prompt", _describe_prompt(run)),
        *labelled,
        Fact("Output limit", most),
        *unlabelled,
    ]
    additions = find_added_parameters(dict.fromkeys(_NAMED) | model.parameters, model.sent or {})
    return [
        *name_asked,
        *settings,
        *[
            Fact(path, f"{_write_value(value)}, {_ADDED}")
            for path, value in sorted(additions.items())
        ],
    ]


def describe_dialect(dialect: Dialect) -> str:
    """Return in words how a server's dialect of requests differs from the usual way."""
    parts = {
        "without stream_options": not dialect.stream_options,
        "with the system message in the user's": not dialect.system_message,
        f"with the limit as {dialect.limit}": dialect.limit == "max_completion_tokens",
        "without a limit": dialect.limit == "none",
    }
    return ", ".join(part for part, holds in parts.items() if holds) or "in the usual way"


def _describe_setting(model: RunModel, name: str, unknown: str) -> str:
    """Return the requested value of a parameter, and the sent value if it differs."""
    sent = model.sent or {}
    values = select_sent_values(name, model.parameters.get(name), sent).values()
    if name not in model.parameters:
        return next((f"{_write_value(value)}, {_ADDED}" for value in values), unknown)
    wanted_value = _write_value(model.parameters[name])
    if model.sent is None:
        return wanted_value
    differences = find_changed_parameters({name: model.parameters[name]}, sent)
    sent_values = "; ".join(
        "nothing" if difference.sent is None else _write_value(difference.sent)
        for difference in differences
    )
    return f"{wanted_value} asked for, {sent_values} sent" if sent_values else wanted_value


def _describe_prompt(run: Run) -> str:
    """Return whether the guidelines were sent, and the beginning of their digest."""
    digest = run.experiment.guidelines
    if digest is not None:
        return f"the task, with guidelines {digest[:_SHORT]}"
    if isinstance(run.provenance, Imported):
        return _NOT_PUBLISHED
    return "the task, without guidelines"


def _write_value(value: object) -> str:
    """Return a sent value as text: JSON, but texts without quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
