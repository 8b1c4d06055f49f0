"""Baselines: answers without a language model, which show the ends of a suite's scale."""

from collections.abc import Mapping

from runner.answers.reply import render_reply
from runner.evals.discovery import Eval

BASELINES: Mapping[str, str] = {
    "baseline/oracle": "Oracle",
    "baseline/empty": "Empty",
    "baseline/stub": "Stub",
}
"""Display names by slug."""


def find_baseline(name: str) -> str | None:
    """Return the slug of the baseline ``name``, such as ``stub``; None if there is none."""
    slug = name if "/" in name else f"baseline/{name}"
    return slug if slug in BASELINES else None


def make_answer(slug: str, evaluation: Eval) -> dict[str, str]:
    """Return the files of a baseline's answer to an eval.

    ``baseline/oracle`` has the reference, ``baseline/empty`` no files, and ``baseline/stub`` files
    with the exports of the reference that deploy and do nothing. In a suite with
    ``suite.toml``, whose answers may be in any language, the files of the stub are empty.

    Raises:
        InvalidEvalError: the reference cannot be read.
    """
    if slug == "baseline/empty":
        return {}
    reference = evaluation.read_answer()
    if slug == "baseline/oracle":
        return reference
    if not evaluation.kind.has_convex_answers:
        return dict.fromkeys(reference, "")
    # Imported only for stubs, because it loads syntax trees.
    from runner.answers.stub import stub_answer  # noqa: PLC0415

    return stub_answer(reference)


def make_reply(slug: str, evaluation: Eval) -> str:
    """Return the answer of a baseline as the text of a reply; empty if it has no files.

    Raises:
        InvalidEvalError: the reference cannot be read.
    """
    files = make_answer(slug, evaluation)
    return render_reply(files) if files else ""
