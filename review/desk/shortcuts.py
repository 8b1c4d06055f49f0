"""The keys of the desk by page, which pages list, the script implements and a test presses.

A key has its name in KeyboardEvent.key; names with the same effect are separated by a space.
"""

from records.shapes.failure_classes import FailureClass

_SHOWN = {
    "ArrowDown": "\N{DOWNWARDS ARROW}",
    "ArrowLeft": "\N{LEFTWARDS ARROW}",
    "ArrowRight": "\N{RIGHTWARDS ARROW}",
    "ArrowUp": "\N{UPWARDS ARROW}",
    "Control+Enter": "Ctrl+Enter",
    "Escape": "Esc",
    "J": "Shift+j",
    "K": "Shift+k",
}


def list_shown_keys(keys: str) -> list[str]:
    """Return the names of keys for people; a letter in both sizes is shown once."""
    return [*{key.lower(): _SHOWN.get(key, key) for key in keys.split()}.values()]


OF_ANY_PAGE = {"/": "to the search", "Escape": "out of a text field", "?": "this list"}

OF_A_SESSION = {
    "1": "save as golden, and the next one to judge",
    "2": "save as correct, and the next one to judge",
    "3": "save as incorrect, and the next one to judge",
    "0": "save as needs review, and the next one to judge",
    "4": "save as golden and eval-ready, and the next one to judge",
    "y": "mark the session in sight eval-ready, or unmark",
    "u": "take the last save back, and return to its session",
    "s": "later: the next one to judge, this one at the end",
    "n": "to the notes",
    "t": "to the tags",
    "e": "to the expected output",
    "a": "use the answer as expected output",
    "r": "use the reference as expected output",
    "d": "answer beside expected output, open or closed",
    "g": "to the answer",
    "o": "fold or unfold tools and long texts",
    "f": "find in the transcript",
    "h": "judge an earlier turn: its keys are 1 2 3 0, n, e and Ctrl+Enter",
    "l": "judge a later turn; Esc leads back to the session",
    "j ArrowRight": "next session of the list",
    "k ArrowLeft": "previous session of the list",
    "Control+Enter": "save, and the next one to judge",
    **OF_ANY_PAGE,
}

OF_A_BLIND_SESSION = {
    **{key: OF_A_SESSION[key] for key in "1230us"},
    "n": "to why you judge so",
    "d": "answer beside the reference, open or closed",
    **{key: OF_A_SESSION[key] for key in ("g", "o", "f", "j ArrowRight", "k ArrowLeft")},
    **OF_ANY_PAGE,
}
"""The keys for a blind judgement, in which labels other than the status cannot be changed."""

OF_A_LIST = {
    "j ArrowDown": "next session",
    "k ArrowUp": "previous session",
    "x": "check the session, or uncheck",
    "J": "check this session and the next",
    "K": "check this session and the previous",
    "y": "mark the checked ones, or this one, eval-ready",
    **OF_ANY_PAGE,
}

OF_A_PAIR = {
    "a A": "answer A is better",
    "b B": "answer B is better",
    "e E": "both are as good",
    "u": "take back what was said of this pair",
    "j ArrowRight": "next pair",
    "k ArrowLeft": "previous pair",
    **OF_ANY_PAGE,
}

CLASSES = (
    ("m", FailureClass.MODEL_FAULT, "the answer is wrong"),
    ("o", FailureClass.OVERLY_STRICT, "the answer is right and the grader refused it"),
    ("a", FailureClass.AMBIGUOUS_TASK, "the task allows a reading that makes the answer right"),
    ("k", FailureClass.KNOWN_GAP, "wrong as with many models; the guidelines could mend it"),
    ("h", FailureClass.HARNESS_FAULT, "the machinery broke"),
)
"""Key, class and meaning, at the desk and for `leaderboard report --classify`."""

OF_A_FAILURE = {
    "m": "model fault, and the next failure without a class",
    "o": "overly strict grader, and the next",
    "a": "ambiguous task, and the next",
    "k": "known gap, and the next",
    "h": "harness fault, and the next",
    "n": "to the note, which is saved with the class",
    "s ArrowRight": "next failure, this one as it is",
    "b ArrowLeft": "previous failure",
    **OF_ANY_PAGE,
}

WHERE_NOTHING_IS_LEFT = {"u": OF_A_SESSION["u"], **OF_ANY_PAGE}
