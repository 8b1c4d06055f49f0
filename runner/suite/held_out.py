"""Held-out evals: no section of the guidelines may be written or changed because of one.

The guidelines were frozen before the first of them was written. ``guidelines.frozen.txt`` beside
the guidelines has that text, ``guidelines.frozen.sha256`` its digest, as sha256sum writes it. What
later texts have beyond it may share neither five words in a row nor an identifier with a held-out
eval: with its task, its given app or its reference.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval, Suite

FROZEN = "guidelines.frozen.txt"
FROZEN_DIGEST = "guidelines.frozen.sha256"
_WORDS_IN_A_ROW = 5
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_IN_CODE = re.compile(r"`([A-Za-z_]\w*)`")


def find_shared_texts(before: str, after: str, evals: Iterable[Eval]) -> Iterator[tuple[str, str]]:
    """Yield names of held-out evals, each with words or an identifier that a change shares with it.

    The change is what the guidelines ``after`` have and those ``before`` have not.

    Raises:
        InvalidEvalError: a file of a held-out eval cannot be used; the message names it.
    """
    rows = _list_rows(after) - _list_rows(before)
    names = _list_identifiers(after) - _list_identifiers(before)
    for evaluation in evals:
        if evaluation.config.held_out:
            files = evaluation.read_given() | evaluation.read_answer()
            texts = [evaluation.task, *files.values()]
            shared = {" ".join(row) for text in texts for row in rows & _list_rows(text)}
            shared |= {name for text in texts for name in names & _list_identifiers(text)}
            for text in sorted(shared):
                yield evaluation.name, text


def find_changes_for_held_out(suite: Suite) -> Iterator[str]:
    """Yield faults of today's guidelines against the frozen ones; none without held-out evals.

    Raises:
        InvalidEvalError: a file of a held-out eval cannot be used; the message names it.
    """
    if not any(evaluation.config.held_out for evaluation in suite.evals):
        return
    try:
        frozen = (suite.root / FROZEN).read_bytes()
        digest = (suite.root / FROZEN_DIGEST).read_text("utf-8").split()[:1]
        text = frozen.decode()
    except (OSError, UnicodeDecodeError) as error:
        yield f"{Path(FROZEN).stem}: held-out evals need the text from before them: {error}"
        return
    if digest != [sha256(frozen).hexdigest()]:
        yield f"{FROZEN} is not the text of {FROZEN_DIGEST}: held-out evals were written after it"
    for name, shared in find_shared_texts(text, suite.guidelines, suite.evals):
        yield f"shares “{shared}” with the held-out eval {name}: write it without"


def refuse_shared_texts(before: str, suite: Suite) -> None:
    """Refuse guidelines that share more with held-out evals than those ``before``.

    Raises:
        InvalidEvalError: the message names the first eval, and what is shared.
    """
    for name, shared in find_shared_texts(before, suite.guidelines, suite.evals):
        raise InvalidEvalError(
            f"{suite.root / 'guidelines.md'}: the change shares “{shared}” with {name}, which is"
            " held out: no section may be written because of it"
        )


def _list_rows(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return {
        tuple(words[start : start + _WORDS_IN_A_ROW])
        for start in range(len(words) - _WORDS_IN_A_ROW + 1)
    }


def _list_identifiers(text: str) -> set[str]:
    """Return the names of a text with a capital or underscore inside, and those set as code."""
    mixed = {
        name
        for name in _NAME.findall(text)
        if "_" in name.strip("_") or (any(map(str.isupper, name[1:])) and not name.isupper())
    }
    return mixed | set(_IN_CODE.findall(text))
