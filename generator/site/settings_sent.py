"""The settings with which a run asked its model, as facts of the run's page."""

from typing import Final

from generator.site.parts import Fact
from records.registry import LIMIT_PARAMETERS
from records.run import Imported, Run

_NAMED: Final = {"reasoning_effort": "Reasoning effort", "temperature": "Temperature"}
"""Parameters that are told of every run, sent or not, and what a reader calls them."""

_NOT_SET: Final = "not set, left to the provider"
_NOT_PUBLISHED: Final = "not published"
_SHORT: Final = 12
"""Digits of a digest that a reader is shown, as versions are named by."""


def settings_sent(run: Run) -> list[Fact]:
    """Return prompt, reasoning effort, temperature, output limit and whatever else was sent.

    What a publisher of imported results did not tell is said to be not published, and what this
    program did not send is the provider's to choose.
    """
    if run.model.kind == "baseline":
        return [Fact("Settings", "none: a baseline hands in files, and no model is asked")]
    imported = isinstance(run.provenance, Imported)
    model = run.model
    limit = model.max_output_tokens
    if imported and not model.parameters and limit is None:
        return [Fact("Prompt and settings", _NOT_PUBLISHED)]
    unknown = _NOT_PUBLISHED if imported else _NOT_SET
    asked = [Fact("Asked as", model.litellm_id)] if model.litellm_id is not None else []
    named = [
        Fact(label, _written(model.parameters.get(name, unknown))) for name, label in _NAMED.items()
    ]
    sent = [
        Fact(name, _written(value))
        for name, value in sorted(model.parameters.items())
        if name not in _NAMED.keys() | LIMIT_PARAMETERS
    ]
    most = unknown if limit is None else f"{limit:,} tokens"
    return [*asked, Fact("Prompt", _prompt(run)), *named, Fact("Output limit", most), *sent]


def _prompt(run: Run) -> str:
    """Say whether the guidelines were sent, and which text of them."""
    digest = run.experiment.guidelines
    if digest is not None:
        return f"the task, with guidelines {digest[:_SHORT]}"
    if isinstance(run.provenance, Imported):
        return _NOT_PUBLISHED
    return "the task, without guidelines"


def _written(value: object) -> str:
    """Write a value as it was sent; null is a value of its own."""
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)
