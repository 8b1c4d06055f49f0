"""The app that an eval gives: its files, and the answers that change them.

An answer holds only the files that it adds or changes, each as a whole. A file whose only line is
the marker removes the file at its path. If an eval asks for a change in several deploys, the answer
has a folder for each (``step1/``, ``step2/``), whose files change the app of the deploy before.
"""

import re
from collections.abc import Mapping

from records.suites.canary import strip_canary

MARKER = "DELETE THIS FILE"
"""The only line of a file in an answer that removes the file; no code and no JSON has this text."""
GIVEN = "given"
"""The name of the given app."""
ANSWER = "answer"
"""The name of the app after all changes of an answer."""

_COMMENTS = (("", ""), ("//", ""), ("#", ""), ("/*", "*/"), ("<!--", "-->"))
_STEP = re.compile(r"step([1-9])/(.+)")


def is_deletion(text: str) -> bool:
    """Return whether a file of an answer has only the marker, which may be in a comment."""
    line = strip_canary(text).strip()
    return any(
        line.removeprefix(begin).removesuffix(end).strip() == MARKER for begin, end in _COMMENTS
    )


def split_step(path: str) -> tuple[int, str]:
    """Return the number of the step whose folder has a path, and the path in it; else 0."""
    match = _STEP.fullmatch(path)
    return (int(match[1]), match[2]) if match else (0, path)


def apply_changes(given: Mapping[str, str], changes: Mapping[str, str]) -> dict[str, str]:
    """Return the files of an app after the changes of an answer, sorted by path."""
    files = {**given, **changes}
    return {path: files[path] for path in sorted(files) if not is_deletion(files[path])}


def build_apps(
    given: Mapping[str, str], changes: Mapping[str, str], steps: int
) -> dict[str, dict[str, str]]:
    """Return the files of each app that can be deployed for an answer, by its name.

    These are the given app, if there is one, the app after each of ``steps`` steps, and the answer.
    """
    apps: dict[str, dict[str, str]] = {GIVEN: dict(given)} if given else {}
    app = dict(given)
    for step in range(1, steps + 1):
        inside = {path: text for path, text in changes.items() if split_step(path)[0] == step}
        app = apply_changes(app, {split_step(path)[1]: text for path, text in inside.items()})
        apps[f"step{step}"] = app
    return {
        **apps,
        ANSWER: app if steps else apply_changes(given, changes) if given else {**changes},
    }
