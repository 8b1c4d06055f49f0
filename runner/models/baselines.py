"""Models that are no LLM: they show where the scale of a suite begins and ends."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from runner.answers.reply import render_reply
from runner.evals.discovery import Eval

BASELINES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "baseline/oracle": "Oracle",
        "baseline/empty": "Empty",
        "baseline/stub": "Stub",
    }
)
"""Display names by slug."""


def baseline(name: str) -> str | None:
    """Return the slug of the baseline ``name``, as in ``stub``; None where there is none."""
    slug = name if "/" in name else f"baseline/{name}"
    return slug if slug in BASELINES else None


def answer(slug: str, evaluation: Eval) -> dict[str, str]:
    """Return the files with which a baseline answers an eval.

    ``baseline/oracle`` gives the reference, ``baseline/empty`` nothing, ``baseline/stub`` files
    with the reference's exports that deploy and do nothing.

    Raises:
        InvalidEvalError: the reference cannot be read.
    """
    return _ANSWERS[slug](evaluation)


def reply(slug: str, evaluation: Eval) -> str:
    """Return a baseline's answer as a model would write it; empty where it has no files.

    Raises:
        InvalidEvalError: the reference cannot be read.
    """
    files = answer(slug, evaluation)
    return render_reply(files) if files else ""


def _oracle(evaluation: Eval) -> dict[str, str]:
    return evaluation.answer()


def _empty(evaluation: Eval) -> dict[str, str]:
    del evaluation
    return {}


def _stub(evaluation: Eval) -> dict[str, str]:
    # The syntax trees are loaded only where a stub is made.
    from runner.answers.stub import stub  # noqa: PLC0415

    return stub(evaluation.answer())


_ANSWERS: Final[Mapping[str, Callable[[Eval], dict[str, str]]]] = {
    "baseline/oracle": _oracle,
    "baseline/empty": _empty,
    "baseline/stub": _stub,
}
