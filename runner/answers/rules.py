"""Rules on the files of an answer: its reader enforces them, and the prompt states them.

They ensure that all tools see the same answer: the code that is deployed and run is the code
that is type-checked, linted and read by graders. Each rule is here once, with its words for the
prompt and its check, so that no answer is refused for a rule that its model did not know.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from records.foreign.fields import as_fields
from records.suites.given_app import build_apps, split_step
from records.suites.suite_config import AnswerFiles
from runner.answers.syntax import get_node_text, parse_source, walk_descendants
from runner.answers.typescript import describe_import
from runner.errors import UnusableReplyError
from runner.evals.path_patterns import is_matching_any

MANIFEST = "package.json"
FOLDERS = ("convex", "src")
"""Folders of all other files of an answer."""
SCRIPTS = frozenset({".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"})
"""Endings of code: all of it is type-checked, linted and seen by graders."""
DATA = frozenset({".json", ".css", ".svg", ".html", ".md", ".txt"})
"""Endings of files without code."""
MOST_FILES = 200
MOST_BYTES = 200_000
"""The limit for one file, in UTF-8."""
MOST_BYTES_IN_ALL = 500_000
MOST_FOLDERS = 10
"""The most folders around a file, one in another."""
REDIRECTS = (
    *("browser", "exports", "imports", "jsnext:main", "main", "module", "sideEffects"),
    *("types", "typesVersions", "typings"),
)
"""Fields of package.json that change the meaning of an import, for some of its readers only."""

GENERATED = "convex/_generated"
"""The folder of the only code in a deployment that does not come from its answer."""

_GENERATED = "_generated"
_FOLDERS_LEFT_OUT = frozenset({*FOLDERS, _GENERATED, "node_modules"})
_SETTINGS = frozenset({"tsconfig.json", "jsconfig.json"})
_DATA = "data:"
_MAY_IMPORT_DATA = re.compile(r"data:|\\", re.IGNORECASE)
"""Every text or name for such an address matches; files without a match need no parser."""
_DATA_PRAGMA = re.compile(r"@jsxImportSource\s+data:", re.IGNORECASE)
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """A rule for answers: an answer that breaks it is refused."""

    stated: str
    """The cause of the refusal, in the prompt's words; empty if other words state it."""
    find_breaches: Callable[[Mapping[str, str]], Iterable[str]]
    """Yields how these files, by their paths, break the rule; nothing where they keep it."""


class Admitted(NamedTuple):
    """The used part of an answer."""

    files: dict[str, str]
    """Text by path, relative to the project."""
    notes: tuple[str, ...]
    """Notes on files that were left out, and on understood deviations from the format."""


class FileRules(ABC):
    """Rules on the files of an answer."""

    @property
    @abstractmethod
    def rules(self) -> Sequence[AnswerRule]:
        """The rules in the order in which a breach is reported."""

    @abstractmethod
    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""

    @abstractmethod
    def explain_unused(self, path: str, text: str) -> str | None:
        """Return a note why a file is left out of an answer; None where it is used."""

    def admit(self, files: Mapping[str, str]) -> Admitted:
        """Return the files of an answer that are used.

        Raises:
            UnusableReplyError: the answer breaks a rule.
        """
        notes = {path: self.explain_unused(path, text) for path, text in files.items()}
        used = {path: text for path, text in files.items() if notes[path] is None}
        for how in find_breaches(self.rules, used):
            raise UnusableReplyError("rule_broken", how)
        return Admitted(used, tuple(note for note in notes.values() if note is not None))

    def list_refusal_causes(self) -> list[str]:
        """Return the causes of refusals, in the prompt's words."""
        return [rule.stated for rule in self.rules if rule.stated]


def find_breaches(rules: Iterable[AnswerRule], files: Mapping[str, str]) -> Iterator[str]:
    """Yield how files break rules, in the order of the rules."""
    for rule in rules:
        yield from rule.find_breaches(files)


def is_script(path: str) -> bool:
    """Return whether a file is code of the answer: by its ending, and not generated."""
    return PurePosixPath(path).suffix in SCRIPTS and not path.startswith(f"{GENERATED}/")


def shorten_path(path: str) -> str:
    """Return a path as messages have it; a very long one is cut."""
    return path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"


def _make_number_rule(most: int) -> AnswerRule:
    """Return the rule on the number of files."""
    return AnswerRule(
        f"more than {most} files",
        lambda files: (
            [f"the answer has {len(files)} files, more than {most}"] if len(files) > most else ()
        ),
    )


_FOLDER_RULE = AnswerRule(
    f"folders more than {MOST_FOLDERS} deep",
    lambda files: (
        f"{shorten_path(path)} stands in more than {MOST_FOLDERS} folders"
        for path in files
        if path.count("/") > MOST_FOLDERS
    ),
)


def _find_excess_bytes(files: Mapping[str, str]) -> Iterator[str]:
    sizes = {path: len(text.encode()) for path, text in files.items()}
    for path, size in sizes.items():
        if size > MOST_BYTES:
            yield f"{shorten_path(path)} has {size} bytes, more than {MOST_BYTES}"
    if sum(sizes.values()) > MOST_BYTES_IN_ALL:
        yield f"the answer has {sum(sizes.values())} bytes, more than {MOST_BYTES_IN_ALL}"


def _find_redirects(files: Mapping[str, str]) -> Iterator[str]:
    try:
        manifest: object = json.loads(files.get(MANIFEST, "{}"))
    except (ValueError, RecursionError):
        return  # installing its packages shows the fault in it
    for field in as_fields(manifest):
        if field in REDIRECTS:
            yield f"{MANIFEST}: the field {field!r} is not allowed: it redirects imports"


def _find_data_imports(files: Mapping[str, str]) -> Iterator[str]:
    for path, text in files.items():
        if not is_script(path) or not _MAY_IMPORT_DATA.search(text):
            continue
        for node in walk_descendants(parse_source(path, text)):
            if node.type == "comment":
                imports_data = _DATA_PRAGMA.search(get_node_text(node)) is not None
            else:
                imported = describe_import(path, node)
                module = "" if imported is None else imported.module
                imports_data = module.strip().lower().startswith(_DATA)
            if imports_data:
                line = node.start_point.row + 1
                yield f"{shorten_path(path)}:{line}: imports a data: address instead of a file"


def _find_ambiguities(files: Mapping[str, str]) -> Iterator[str]:
    """Yield scripts that are equal without all their endings: ``a.js.ts`` and ``a.d.ts``."""
    paths: dict[str, str] = {}
    for path in filter(is_script, files):
        stem = PurePosixPath(path)
        while stem.suffix in SCRIPTS | {".d"}:
            stem = stem.with_suffix("")
        other = paths.setdefault(str(stem), path)
        if other != path:
            yield f"{shorten_path(other)} and {shorten_path(path)} differ only in their endings"


RULES = (
    _make_number_rule(MOST_FILES),
    AnswerRule(
        f"a file of more than {MOST_BYTES:,} bytes, or more than {MOST_BYTES_IN_ALL:,} in all",
        _find_excess_bytes,
    ),
    _FOLDER_RULE,
    AnswerRule(
        "a folder named `_generated` anywhere but at `convex/_generated/`",
        lambda files: (
            f"{shorten_path(path)}: only convex/_generated is generated, and it is provided"
            for path in files
            if _GENERATED in path.casefold().split("/")
        ),
    ),
    AnswerRule(
        "a `package.json` anywhere but at the root",
        lambda files: (
            f"{shorten_path(path)}: package.json stands at the root of the project only"
            for path in files
            if path != MANIFEST and path.rpartition("/")[2].casefold() == MANIFEST
        ),
    ),
    AnswerRule(
        "a field of `package.json` that redirects imports: "
        + ", ".join(f"`{field}`" for field in REDIRECTS),
        _find_redirects,
    ),
    AnswerRule("an import of a `data:` address", _find_data_imports),
    AnswerRule(
        "two scripts whose paths differ only in their endings, such as `a.ts` and `a.js`",
        _find_ambiguities,
    ),
)


@dataclass(frozen=True, slots=True)
class ConvexFileRules(FileRules):
    """The rules of this module, for answers that a Convex backend deploys."""

    takes_settings: bool = False
    """True if files of the root and every tsconfig.json are used, as in suites in TypeScript: their
    graders may start programs that read such files."""

    @property
    def rules(self) -> Sequence[AnswerRule]:
        """The rules in the order in which a breach is reported."""
        return RULES

    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""
        if path == MANIFEST or path.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
            return True
        is_of_root = "/" not in path and not path.startswith(".") and path not in _FOLDERS_LEFT_OUT
        return self.takes_settings and is_of_root

    def explain_unused(self, path: str, text: str) -> str | None:
        """Return a note why a file is left out of an answer; None where it is used."""
        parts = path.split("/")
        why = ""
        if not self.is_allowed_path(path):
            of_root = ", files of the root that are not hidden" if self.takes_settings else ""
            why = f"only package.json{of_root} and files under convex/ and src/ are used"
        elif len(parts) == 1:
            # Lock files can be longer than code may be.
            if path != MANIFEST and len(text.encode()) > MOST_BYTES:
                why = f"a file of the root has at most {MOST_BYTES} bytes"
        elif "node_modules" in parts:
            why = "packages are installed, not written"
        elif "/".join(parts[:2]) == GENERATED:
            why = f"{GENERATED} is generated"
        elif parts[-1] in _SETTINGS and not self.takes_settings:
            why = "the TypeScript configuration is provided"
        elif PurePosixPath(path).suffix not in SCRIPTS | DATA:
            why = "nothing reads files of its ending"
        return f"{path} is left out: {why}" if why else None


CONVEX_RULES = ConvexFileRules()
TYPESCRIPT_RULES = ConvexFileRules(takes_settings=True)
"""The rules for suites in TypeScript."""


@dataclass(frozen=True, slots=True)
class ChangeRules(FileRules):
    """The rules for answers that change a given app: each app that they make keeps `RULES`."""

    given: Mapping[str, str]
    steps: int

    @property
    def rules(self) -> Sequence[AnswerRule]:
        """The rules on the changes and on the apps that they make."""

        def find_in_apps(changes: Mapping[str, str]) -> Iterator[str]:
            for app in build_apps(self.given, changes, self.steps).values():
                yield from find_breaches(RULES, app)

        return (RULES[0], AnswerRule("", find_in_apps))

    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""
        step, inside = split_step(path) if self.steps else (0, path)
        return (
            step <= self.steps
            and bool(step) == bool(self.steps)
            and (CONVEX_RULES.is_allowed_path(inside))
        )

    def explain_unused(self, path: str, text: str) -> str | None:
        """Return a note why a file is left out of an answer; None where it is used."""
        if self.steps and not self.is_allowed_path(path):
            return f"{path} is left out: only files of step1/ to step{self.steps}/ are used"
        why = CONVEX_RULES.explain_unused(split_step(path)[1] if self.steps else path, text)
        return why and why.replace(split_step(path)[1], path, 1)


@dataclass(frozen=True, slots=True)
class SuiteFileRules(FileRules):
    """The rules of one suite."""

    answers: AnswerFiles

    @property
    def rules(self) -> Sequence[AnswerRule]:
        """The rules in the order in which a breach is reported."""
        answers = self.answers

        def find_excess_bytes(files: Mapping[str, str]) -> Iterator[str]:
            size = sum(len(text.encode()) for text in files.values())
            if size > answers.most_bytes:
                yield f"the answer has {size} bytes, more than {answers.most_bytes}"

        return (
            AnswerRule(
                "",
                lambda files: (
                    f"{path} is missing" for path in answers.required if path not in files
                ),
            ),
            _make_number_rule(answers.most_files),
            AnswerRule(
                f"more than {answers.most_bytes:,} bytes in all its files",
                find_excess_bytes,
            ),
            _FOLDER_RULE,
        )

    def is_allowed_path(self, path: str) -> bool:
        """Return whether a file of an answer may have this path."""
        return is_matching_any(path, self.answers.paths)

    def explain_unused(self, path: str, text: str) -> str | None:
        """Return a note why a file is left out of an answer; None where it is used."""
        del text
        return None if self.is_allowed_path(path) else f"{shorten_path(path)} is left out"
