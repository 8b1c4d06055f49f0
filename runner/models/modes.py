"""The check that a model answers in text and takes a key, by its mode in litellm's map."""

from typing import Final

from records.shapes.registry import ModelEntry
from runner.errors import NotAskableError
from runner.models.costs.prices import find_mapped_facts

ASKED: Final = frozenset({"chat", "responses", "completion"})
"""Modes of models that may be part of a run."""

BEHIND_A_LOGIN: Final = frozenset({"chatgpt", "github_copilot"})
"""litellm's providers that open a login in a browser instead of taking a key."""


def check_askable(entry: ModelEntry) -> None:
    """Check that the model of ``entry`` answers questions in text, and needs no login of a person.

    Models without facts in litellm's map pass the check, such as each model of a server that is
    given by its address.

    Raises:
        NotAskableError: the model fails the check; the message names its mode, or the login.
    """
    if entry.api_base is not None:
        return
    provider = entry.litellm_id.partition("/")[0]
    mode = find_mapped_facts(entry.litellm_id).get("mode")
    remark = "" if mode is None else f" (mode {mode})"
    if provider in BEHIND_A_LOGIN:
        raise NotAskableError(
            f"{entry.litellm_id}{remark} needs a login in a browser, and a run asks by key: choose "
            "the same model of another provider"
        )
    if mode is not None and mode not in ASKED:
        raise NotAskableError(
            f"{entry.litellm_id} is of mode {mode} in litellm's map: a run asks models of the "
            f"modes {', '.join(sorted(ASKED))}"
        )
