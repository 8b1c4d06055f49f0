"""Rules on the files of an answer, as the author of a suite sets them in ``suite.toml``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from records.suites.suite_config import AnswerFiles
from runner.answers.rules import MOST_FOLDERS, Admitted
from runner.errors import UnusableReplyError

_ANY_FOLDERS: Final = "**"
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class SuiteFileRules:
    """The rules of one suite."""

    answers: AnswerFiles

    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""
        parts = path.split("/")
        return any(_is_matching(parts, pattern.split("/")) for pattern in self.answers.paths)

    def admit(self, files: Mapping[str, str]) -> Admitted:
        """Return the files of an answer that are used.

        Raises:
            UnusableReplyError: the answer breaks a rule.
        """
        used = {path: text for path, text in files.items() if self.is_allowed_path(path)}
        if (how := self._broken_by(used)) is not None:
            raise UnusableReplyError("rule_broken", how)
        left_out = (path for path in files if path not in used)
        return Admitted(used, tuple(f"{_shorten(path)} is left out" for path in left_out))

    def stated(self) -> list[str]:
        """Return the causes of refusals, in the prompt's words."""
        answers = self.answers
        return [
            f"more than {answers.most_files} files",
            f"more than {answers.most_bytes:,} bytes in all its files",
            f"folders more than {MOST_FOLDERS} deep",
        ]

    def _broken_by(self, files: Mapping[str, str]) -> str | None:
        answers = self.answers
        for path in answers.required:
            if path not in files:
                return f"{path} is missing"
        if len(files) > answers.most_files:
            return f"the answer has {len(files)} files, more than {answers.most_files}"
        size = sum(len(text.encode()) for text in files.values())
        if size > answers.most_bytes:
            return f"the answer has {size} bytes, more than {answers.most_bytes}"
        deep = next((path for path in files if path.count("/") > MOST_FOLDERS), None)
        return (
            None if deep is None else f"{_shorten(deep)} stands in more than {MOST_FOLDERS} folders"
        )


def _is_matching(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Compare a path with a pattern; a pattern has ``**`` once at most, so this ends soon."""
    if not pattern:
        return not parts
    if pattern[0] == _ANY_FOLDERS:
        rest = pattern[1:]
        if not rest:
            return bool(parts)
        return any(_is_matching(parts[begin:], rest) for begin in range(len(parts)))
    return (
        bool(parts) and fnmatchcase(parts[0], pattern[0]) and _is_matching(parts[1:], pattern[1:])
    )


def _shorten(path: str) -> str:
    return path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"
