"""Rules on the files of an answer: its reader enforces them, and the prompt states them.

They ensure that all tools see the same answer: the code that is deployed and run is the code
that is type-checked, linted and read by graders. Each rule is here once, with its words for the
prompt and its check, so that no answer is refused for a rule that its model did not know.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Protocol, cast

from tree_sitter import Node

from records.suites.suite_config import AnswerFiles
from runner.answers.syntax import get_node_text, parse_source, walk_descendants
from runner.answers.typescript import describe_import
from runner.errors import UnusableReplyError
from runner.evals.path_patterns import is_matching_any

MANIFEST: Final = "package.json"
FOLDERS: Final = ("convex", "src")
"""Folders of all other files of an answer."""
SCRIPTS: Final = frozenset({".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"})
"""Endings of code: all of it is type-checked, linted and seen by graders."""
DATA: Final = frozenset({".json", ".css", ".svg", ".html", ".md", ".txt"})
"""Endings of files without code."""
MOST_FILES: Final = 200
MOST_BYTES: Final = 200_000
"""The limit for one file, in UTF-8."""
MOST_BYTES_IN_ALL: Final = 500_000
MOST_FOLDERS: Final = 10
"""The most folders around a file, one in another."""
REDIRECTS: Final = (
    *("browser", "exports", "imports", "jsnext:main", "main", "module", "sideEffects"),
    *("types", "typesVersions", "typings"),
)
"""Fields of package.json that change the meaning of an import, for some of its readers only."""

GENERATED: Final = "convex/_generated"
"""The folder of the only code in a deployment that does not come from its answer."""

_GENERATED: Final = "_generated"
_SETTINGS: Final = frozenset({"tsconfig.json", "jsconfig.json"})
_DATA: Final = "data:"
_MAY_IMPORT_DATA: Final = re.compile(r"data:|\\", re.IGNORECASE)
"""Every text or name for such an address matches; files without a match need no parser."""
_DATA_PRAGMA: Final = re.compile(r"@jsxImportSource\s+data:", re.IGNORECASE)
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """A rule for answers: an answer that breaks it is refused."""

    name: str
    stated: str
    """The cause of the refusal, in the prompt's words."""
    broken_by: Callable[[Mapping[str, str]], str | None]
    """Returns how these files, by their paths, break the rule; None where they keep it."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """The used part of an answer."""

    files: dict[str, str]
    """Text by path, relative to the project."""
    notes: tuple[str, ...]
    """Notes on files that were left out, and on understood deviations from the format."""


class FileRules(Protocol):
    """Rules on the files of an answer."""

    def admit(self, files: Mapping[str, str]) -> Admitted:
        """Return the files of an answer that are used.

        Raises UnusableReplyError where the answer breaks a rule.
        """
        ...

    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""
        ...


@dataclass(frozen=True, slots=True)
class ConvexFileRules:
    """The rules of this module, for answers that a Convex backend deploys."""

    takes_settings: bool = False
    """True if files of the root and every tsconfig.json are used, as in suites in TypeScript: their
    graders may start programs that read such files."""

    def admit(self, files: Mapping[str, str]) -> Admitted:
        """Return the files of an answer that are used.

        Raises:
            UnusableReplyError: the answer breaks a rule.
        """
        left_out = {
            path: why
            for path, text in files.items()
            if (why := self._explain_unused(path, text)) is not None
        }
        used = {path: text for path, text in files.items() if path not in left_out}
        for rule in RULES:
            if (how := rule.broken_by(used)) is not None:
                raise UnusableReplyError("rule_broken", how)
        notes = (f"{path} is left out: {why}" for path, why in left_out.items())
        return Admitted(used, tuple(notes))

    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""
        if path == MANIFEST or path.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
            return True
        return self.takes_settings and _is_of_root(path)

    def _explain_unused(self, path: str, text: str) -> str | None:
        """Return why a file at this path is left out of an answer; None where it is used."""
        parts = path.split("/")
        if not self.is_allowed_path(path):
            of_root = ", files of the root that are not hidden" if self.takes_settings else ""
            return f"only package.json{of_root} and files under convex/ and src/ are used"
        if len(parts) == 1:
            # Lock files can be longer than code may be.
            is_long = path != MANIFEST and len(text.encode()) > MOST_BYTES
            return f"a file of the root has at most {MOST_BYTES} bytes" if is_long else None
        if "node_modules" in parts:
            return "packages are installed, not written"
        if "/".join(parts[:2]) == GENERATED:
            return f"{GENERATED} is generated"
        if parts[-1] in _SETTINGS and not self.takes_settings:
            return "the TypeScript configuration is provided"
        is_read = PurePosixPath(path).suffix in SCRIPTS | DATA
        return None if is_read else "nothing reads files of its ending"


CONVEX_RULES: Final = ConvexFileRules()
TYPESCRIPT_RULES: Final = ConvexFileRules(takes_settings=True)
"""The rules for suites in TypeScript."""


def _is_of_root(path: str) -> bool:
    """Return whether a file is at the root of its project, and not hidden."""
    is_folder = path in {*FOLDERS, _GENERATED, "node_modules"}
    return "/" not in path and not path.startswith(".") and not is_folder


def is_script(path: str) -> bool:
    """Return whether a file is code of the answer: by its ending, and not generated."""
    return PurePosixPath(path).suffix in SCRIPTS and not path.startswith(f"{GENERATED}/")


def _find_excess_files(files: Mapping[str, str]) -> str | None:
    count = len(files)
    return f"the answer has {count} files, more than {MOST_FILES}" if count > MOST_FILES else None


def _find_excess_bytes(files: Mapping[str, str]) -> str | None:
    in_all = 0
    for path, text in files.items():
        size = len(text.encode())
        in_all += size
        if size > MOST_BYTES:
            return f"{shorten_path(path)} has {size} bytes, more than {MOST_BYTES}"
    if in_all > MOST_BYTES_IN_ALL:
        return f"the answer has {in_all} bytes, more than {MOST_BYTES_IN_ALL}"
    return None


def _find_deep_path(files: Mapping[str, str]) -> str | None:
    for path in files:
        if path.count("/") > MOST_FOLDERS:
            return f"{shorten_path(path)} stands in more than {MOST_FOLDERS} folders"
    return None


def _find_generated_elsewhere(files: Mapping[str, str]) -> str | None:
    for path in files:
        if any(part.casefold() == _GENERATED for part in path.split("/")):
            return f"{shorten_path(path)}: only convex/_generated is generated, and it is provided"
    return None


def _find_manifest_elsewhere(files: Mapping[str, str]) -> str | None:
    for path in files:
        if path != MANIFEST and path.rpartition("/")[2].casefold() == MANIFEST:
            return f"{shorten_path(path)}: package.json stands at the root of the project only"
    return None


def _find_redirect(files: Mapping[str, str]) -> str | None:
    try:
        manifest: object = json.loads(files.get(MANIFEST, "{}"))
    except (ValueError, RecursionError):
        return None  # installing its packages shows the fault in it
    if not isinstance(manifest, dict):
        return None
    for field in cast("dict[str, object]", manifest):
        if field in REDIRECTS:
            return f"{MANIFEST}: the field {field!r} is not allowed: it redirects imports"
    return None


def _find_data_import(files: Mapping[str, str]) -> str | None:
    for path, text in files.items():
        if not is_script(path) or not _MAY_IMPORT_DATA.search(text):
            continue
        for node in walk_descendants(parse_source(path, text)):
            if _imports_data(path, node):
                line = node.start_point.row + 1
                return f"{shorten_path(path)}:{line}: imports a data: address instead of a file"
    return None


def _imports_data(path: str, node: Node) -> bool:
    if node.type == "comment":
        return _DATA_PRAGMA.search(get_node_text(node)) is not None
    imported = describe_import(path, node)
    return imported is not None and imported.module.strip().lower().startswith(_DATA)


def _find_ambiguity(files: Mapping[str, str]) -> str | None:
    paths: dict[str, str] = {}
    for path in files:
        if is_script(path):
            other = paths.setdefault(_without_endings(path), path)
            if other != path:
                return (
                    f"{shorten_path(other)} and {shorten_path(path)} differ only in their endings"
                )
    return None


RULES: Final = (
    AnswerRule("files", f"more than {MOST_FILES} files", _find_excess_files),
    AnswerRule(
        "bytes",
        f"a file of more than {MOST_BYTES:,} bytes, or more than {MOST_BYTES_IN_ALL:,} in all",
        _find_excess_bytes,
    ),
    AnswerRule("folders", f"folders more than {MOST_FOLDERS} deep", _find_deep_path),
    AnswerRule(
        "generated",
        "a folder named `_generated` anywhere but at `convex/_generated/`",
        _find_generated_elsewhere,
    ),
    AnswerRule("manifests", "a `package.json` anywhere but at the root", _find_manifest_elsewhere),
    AnswerRule(
        "redirects",
        "a field of `package.json` that redirects imports: "
        + ", ".join(f"`{field}`" for field in REDIRECTS),
        _find_redirect,
    ),
    AnswerRule("data", "an import of a `data:` address", _find_data_import),
    AnswerRule(
        "endings",
        "two scripts whose paths differ only in their endings, such as `a.ts` and `a.js`",
        _find_ambiguity,
    ),
)


def list_refusal_causes() -> Iterator[str]:
    """Yield the causes of refusals, in the prompt's words."""
    return (rule.stated for rule in RULES)


def _without_endings(path: str) -> str:
    """Take off all endings of scripts and declarations: ``a.js.ts`` and ``a.d.ts`` become ``a``."""
    stem = PurePosixPath(path)
    while stem.suffix in SCRIPTS | {".d"}:
        stem = stem.with_suffix("")
    return str(stem)


def shorten_path(path: str) -> str:
    """Return a path as messages have it; a very long one is cut."""
    return path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"


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
