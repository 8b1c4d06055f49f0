"""The keys of the desk, which pages list, the script implements and a test presses."""

from typing import NamedTuple


class Shortcut(NamedTuple):
    """A key and its effect."""

    keys: str
    """The names in KeyboardEvent.key; names with the same effect are separated by a space."""
    shown: str
    """The names for people."""
    does: str


_LIST = Shortcut("?", "?", "this list")
_SEARCH = Shortcut("/", "/", "to the search")
_LEAVE = Shortcut("Escape", "Esc", "out of a text field")

OF_A_SESSION = (
    Shortcut("1", "1", "save as golden, and the next one to judge"),
    Shortcut("2", "2", "save as correct, and the next one to judge"),
    Shortcut("3", "3", "save as incorrect, and the next one to judge"),
    Shortcut("0", "0", "save as needs review, and the next one to judge"),
    Shortcut("4", "4", "save as golden and eval-ready, and the next one to judge"),
    Shortcut("y", "y", "mark the session in sight eval-ready, or unmark"),
    Shortcut("u", "u", "take the last save back, and return to its session"),
    Shortcut("s", "s", "later: the next one to judge, this one at the end"),
    Shortcut("n", "n", "to the notes"),
    Shortcut("t", "t", "to the tags"),
    Shortcut("e", "e", "to the expected output"),
    Shortcut("a", "a", "use the answer as expected output"),
    Shortcut("r", "r", "use the reference as expected output"),
    Shortcut("d", "d", "answer beside expected output, open or closed"),
    Shortcut("g", "g", "to the answer"),
    Shortcut("o", "o", "fold or unfold tools and long texts"),
    Shortcut("f", "f", "find in the transcript"),
    Shortcut("h", "h", "judge an earlier turn: its keys are 1 2 3 0, n, e and Ctrl+Enter"),
    Shortcut("l", "l", "judge a later turn; Esc leads back to the session"),
    Shortcut("j ArrowRight", "j or \N{RIGHTWARDS ARROW}", "next session of the list"),
    Shortcut("k ArrowLeft", "k or \N{LEFTWARDS ARROW}", "previous session of the list"),
    Shortcut("Control+Enter", "Ctrl+Enter", "save, and the next one to judge"),
    _SEARCH,
    _LEAVE,
    _LIST,
)

OF_A_BLIND_SESSION = (
    *(shortcut for shortcut in OF_A_SESSION if shortcut.keys in set("1230us")),
    Shortcut("n", "n", "to why you judge so"),
    Shortcut("d", "d", "answer beside the reference, open or closed"),
    *(
        shortcut
        for shortcut in OF_A_SESSION
        if shortcut.keys in {"g", "o", "f", "j ArrowRight", "k ArrowLeft"}
    ),
    _SEARCH,
    _LEAVE,
    _LIST,
)
"""The keys for a blind judgement, in which labels other than the status cannot be changed."""

OF_A_LIST = (
    Shortcut("j ArrowDown", "j or \N{DOWNWARDS ARROW}", "next session"),
    Shortcut("k ArrowUp", "k or \N{UPWARDS ARROW}", "previous session"),
    Shortcut("x", "x", "check the session, or uncheck"),
    Shortcut("J", "Shift+j", "check this session and the next"),
    Shortcut("K", "Shift+k", "check this session and the previous"),
    Shortcut("y", "y", "mark the checked ones, or this one, eval-ready"),
    _SEARCH,
    _LEAVE,
    _LIST,
)

OF_A_PAIR = (
    Shortcut("a A", "A", "answer A is better"),
    Shortcut("b B", "B", "answer B is better"),
    Shortcut("e E", "E", "both are as good"),
    Shortcut("u", "u", "take back what was said of this pair"),
    Shortcut("j ArrowRight", "j or \N{RIGHTWARDS ARROW}", "next pair"),
    Shortcut("k ArrowLeft", "k or \N{LEFTWARDS ARROW}", "previous pair"),
    _SEARCH,
    _LEAVE,
    _LIST,
)

OF_A_FAILURE = (
    Shortcut("m", "m", "model fault, and the next failure without a class"),
    Shortcut("o", "o", "overly strict grader, and the next"),
    Shortcut("a", "a", "ambiguous task, and the next"),
    Shortcut("k", "k", "known gap, and the next"),
    Shortcut("h", "h", "harness fault, and the next"),
    Shortcut("n", "n", "to the note, which is saved with the class"),
    Shortcut("s ArrowRight", "s or \N{RIGHTWARDS ARROW}", "next failure, this one as it is"),
    Shortcut("b ArrowLeft", "b or \N{LEFTWARDS ARROW}", "previous failure"),
    _SEARCH,
    _LEAVE,
    _LIST,
)

OF_ANY_PAGE = (_SEARCH, _LEAVE, _LIST)

WHERE_NOTHING_IS_LEFT = (
    *(shortcut for shortcut in OF_A_SESSION if shortcut.keys == "u"),
    *OF_ANY_PAGE,
)
