"""Rules on the files of an answer, as the author of a suite sets them in ``suite.toml``."""

from collections.abc import Mapping
from dataclasses import dataclass

from records.suites.suite_config import AnswerFiles
from runner.answers.rules import MOST_FOLDERS, Admitted, shorten_path
from runner.errors import UnusableReplyError
from runner.evals.path_patterns import is_matching_any


@dataclass(frozen=True, slots=True)
class SuiteFileRules:
    """The rules of one suite."""

    answers: AnswerFiles

    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""
        return is_matching_any(path, self.answers.paths)

    def admit(self, files: Mapping[str, str]) -> Admitted:
        """Return the files of an answer that are used.

        Raises:
            UnusableReplyError: the answer breaks a rule.
        """
        used = {path: text for path, text in files.items() if self.is_allowed_path(path)}
        if (how := self._find_broken_rule(used)) is not None:
            raise UnusableReplyError("rule_broken", how)
        left_out = (path for path in files if path not in used)
        return Admitted(used, tuple(f"{shorten_path(path)} is left out" for path in left_out))

    def list_refusal_causes(self) -> list[str]:
        """Return the causes of refusals, in the prompt's words."""
        answers = self.answers
        return [
            f"more than {answers.most_files} files",
            f"more than {answers.most_bytes:,} bytes in all its files",
            f"folders more than {MOST_FOLDERS} deep",
        ]

    def _find_broken_rule(self, files: Mapping[str, str]) -> str | None:
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
            None
            if deep is None
            else f"{shorten_path(deep)} stands in more than {MOST_FOLDERS} folders"
        )
