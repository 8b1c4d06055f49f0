"""Rules for the files of evals but graders: task, eval.toml, calibrations, canary, guidelines."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from records.guidelines.sections import get_tokens_file, parse_sections, read_guidelines_tokens
from records.suites.benchmark import compute_texts_digest
from records.suites.canary import LINE, format_canary_line, strip_canary
from records.suites.eval_config import EvalLimits, Pipeline
from records.suites.given_app import split_step
from records.suites.levels import Level
from records.suites.suite_config import SuiteConfig
from runner.answers.paths import find_path_in_heading
from runner.answers.rules import CONVEX_RULES, find_breaches
from runner.errors import InvalidEvalError
from runner.evals import canary
from runner.evals.discovery import Eval, Suite
from runner.evals.grader_kinds import SETTINGS, ProgramGraders
from runner.evals.line_diff import write_diff
from runner.evals.text_files import read_tree
from runner.suite.held_out import find_changes_for_held_out

CATEGORIES = (
    "000-fundamentals",
    "001-data_modeling",
    "002-queries",
    "003-mutations",
    "004-actions",
    "005-idioms",
    "006-clients",
    "007-components",
)
PLACEHOLDER = "FILL IN"
"""The mark that `leaderboard suite new` writes where an author has to write something."""
FEWEST_RIGHT = 2
FEWEST_WRONG = 3
TASK_WORDS = range(60, 601)
GIVEN_FILES = range(3, 41)
MOST_GIVEN_BYTES = 100_000
"""The most bytes of a given app, which every prompt repeats."""
FIXTURES = frozenset({"convex", "reference", "output", "source", "ui", "written_tests"})
"""The fixtures that a test can use."""
_MOST_READ_BYTES = 16 * 1024 * 1024
"""The most bytes that a transaction reads, on Convex and on the emulator."""
_UNITS = {"kB": 1000, "MB": 1_000_000}
_SIZE = re.compile(r"up to (\d+) (kB|MB)\b")
_ROWS = re.compile(r"\b(\d+) if left out\b|\bleft out: (\d+)\b|\bnever more than (\d+)\b")
_FEW_ARE_LARGE = re.compile(r"at most \w+ of them have an? ")
UNNAMED = (
    "no heading of a reply can name it: it needs an ending or a folder, and no blanks or brackets"
)
_SHORTEST_WHY = 8
"""The fewest words of ``why`` in eval.toml."""
_LONGEST_DIFF = 0.75
"""The longest diff, as a share of the file's length, that is easier to read than the whole file."""


class Finding(NamedTuple):
    """A fault of an eval, with its remedy."""

    evaluation: str
    """``category/name``; ``guidelines.md`` for a fault of the suite."""
    file: str
    """The path of the file, relative to the eval's folder."""
    line: int
    rule: str
    advice: str
    """The fault and its remedy, in one line."""

    def __str__(self) -> str:
        """Return the finding as one line."""
        return f"{self.evaluation} {self.file}:{self.line} {self.rule}: {self.advice}"


def find_missing_parts(evaluation: Eval, fixtures: Collection[str]) -> Iterator[Finding]:
    """Yield findings for faults in the files of an eval, whose grader uses these fixtures."""
    yield from _find_placeholders(evaluation)
    words = len(evaluation.task.split())
    if words not in TASK_WORDS:
        advice = f"has {words} words: {TASK_WORDS.start} to {TASK_WORDS.stop - 1} are allowed"
        yield _make_finding(evaluation, "TASK.txt", "task-length", advice)
    yield from _find_calibration_faults(evaluation)
    config, usual = evaluation.config, EvalLimits()
    faults = [
        (
            evaluation.category not in CATEGORIES,
            f"{evaluation.category} is no category: choose from {', '.join(CATEGORIES)}",
        ),
        (not config.guidelines, "guidelines: name the sections it exercises"),
        (
            len(set(config.guidelines)) < len(config.guidelines),
            "guidelines: a section is named twice",
        ),
        ("level" not in config.model_fields_set, f"level: choose from {', '.join(Level)}"),
        (config.title.endswith("."), "title: a title has no full stop"),
        (len(config.why.split()) < _SHORTEST_WHY, "why: say what silently breaks in production"),
        (
            config.limits.tests_s > usual.tests_s,
            "limits: tests that need more than the usual time cost every run",
        ),
    ]
    for is_wrong, advice in faults:
        if is_wrong:
            yield _make_finding(evaluation, "eval.toml", "config", advice)
    if config.pipeline is Pipeline.FULL and {"convex", "ui"}.isdisjoint(fixtures):
        advice = "no test looks at the deployment: test behaviour before source"
        yield _make_finding(evaluation, "grader.py", "config", advice)
    if advice := _explain_unmeetable_size(evaluation.task):
        yield _make_finding(evaluation, "TASK.txt", "size", advice)
    yield from _find_faults_of_given(evaluation)
    yield from _find_unmarked_files(evaluation)


def _explain_unmeetable_size(task: str) -> str | None:
    """Return why no answer can return as many documents of the greatest size as the task promises.

    None if it can, or if the task says of how many documents such a text is.
    """
    sizes = [int(number) * _UNITS[unit] for number, unit in _SIZE.findall(task)]
    rows = [int(number) for numbers in _ROWS.findall(task) for number in numbers if number]
    if not sizes or not rows or _FEW_ARE_LARGE.search(task):
        return None
    needed = max(sizes) * max(rows)
    if needed <= _MOST_READ_BYTES:
        return None
    return (
        f"{max(rows)} documents of the greatest size have {needed:,} bytes, and a transaction reads"
        f" {_MOST_READ_BYTES:,}: say how many are so large, as in “at most ten of them have a scan”"
    )


def find_missing_texts(evaluation: Eval, suite: SuiteConfig) -> Iterator[Finding]:
    """Find missing parts of an eval whose grader is any program: texts, canary, a wrong answer."""
    yield from _find_placeholders(evaluation)
    yield from _find_unmarked_files(evaluation, format_canary_line(suite.name, suite.canary))
    try:
        calibrations = evaluation.load_calibrations()
    except InvalidEvalError as error:
        yield _make_finding(evaluation, "calibration/calibration.toml", "calibrations", str(error))
        return
    if all(variant.kind == "pass" for variant in calibrations):
        advice = "no wrong variant: nothing shows that the grader refuses an answer"
        yield _make_finding(evaluation, "calibration/calibration.toml", "calibrations", advice)


def find_suite_faults(suite: Suite, evals: Sequence[Eval]) -> Iterator[Finding]:
    """Yield findings for equal titles of evals, and faults of guidelines and ``suite.toml``."""
    titles = Counter(evaluation.config.title for evaluation in suite.evals)
    for evaluation in evals:
        if titles[evaluation.config.title] > 1 and not suite.kind.is_of_others:
            yield _make_finding(
                evaluation, "eval.toml", "config", "another eval has the same title"
            )
    for slug in list_orphan_sections(suite):
        advice = f"no eval exercises the section {slug}: name it in an eval.toml, or delete it"
        yield Finding("guidelines.md", "guidelines.md", 1, "orphan-section", advice)
    for advice in find_changes_for_held_out(suite):
        yield Finding("guidelines.md", "guidelines.md", 1, "held-out", advice)
    counted = read_guidelines_tokens(suite.root)
    if counted is not None and counted.digest != compute_texts_digest(suite.guidelines):
        file = get_tokens_file(suite.root).name
        advice = "counts another text of the guidelines: `leaderboard suite lint --fix`"
        yield Finding("guidelines.md", file, 1, "tokens", advice)
    # The files that a suite with ``suite.toml`` requires of every answer.
    if isinstance(suite.kind, ProgramGraders):
        for path in list_unnamed(suite.kind.config.answers.required):
            advice = f"answers.required: {path}: {UNNAMED}"
            yield Finding(SETTINGS, SETTINGS, 1, "unnamed-path", advice)


def list_unnamed(paths: Iterable[str]) -> list[str]:
    """Return the paths that no heading of a reply can name."""
    return [path for path in paths if find_path_in_heading(path) != path]


def list_orphan_sections(suite: Suite) -> list[str]:
    """Return the sections of the guidelines that no eval exercises, in their order."""
    exercised = set(chain.from_iterable(each.config.guidelines for each in suite.evals))
    return [slug for slug in parse_sections(suite.guidelines) if slug not in exercised]


def _make_finding(evaluation: Eval, file: str, rule: str, advice: str, line: int = 1) -> Finding:
    return Finding(evaluation.name, file, line, rule, advice)


def _find_placeholders(evaluation: Eval) -> Iterator[Finding]:
    for path in sorted(evaluation.folder.rglob("*")):
        inside = path.relative_to(evaluation.folder)
        if not path.is_file() or "__pycache__" in inside.parts:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            if PLACEHOLDER in line:
                advice = f"still to be written: {line.strip()[:80]}"
                yield _make_finding(evaluation, inside.as_posix(), "placeholder", advice, number)


def _find_calibration_faults(evaluation: Eval) -> Iterator[Finding]:
    try:
        counts = Counter(each.kind for each in evaluation.load_calibrations())
    except InvalidEvalError as error:
        yield _make_finding(evaluation, "calibration/calibration.toml", "calibrations", str(error))
        return
    required: Mapping[str, tuple[str, int]] = {
        "pass": ("right", FEWEST_RIGHT),
        "fail": ("wrong", FEWEST_WRONG),
    }
    for kind, (noun, fewest) in required.items():
        if counts[kind] < fewest:
            advice = f"{counts[kind]} {noun} variants: at least {fewest} are needed"
            yield _make_finding(evaluation, "calibration/calibration.toml", "calibrations", advice)
    # Files of variants that would be easier to read as a diff.
    answer = {**evaluation.read_given(), **evaluation.read_answer()}
    home = evaluation.folder / "calibration"
    for folder in sorted((*home.glob("pass/*/"), *home.glob("fail/*/"))):
        for path, text in read_tree(folder).items():
            diff = write_diff(answer.get(path, ""), text)
            if diff.count("\n") < _LONGEST_DIFF * text.count("\n"):
                file = (folder / path).relative_to(evaluation.folder).as_posix()
                command = f"leaderboard suite show {evaluation.name} {folder.name}"
                advice = f"repeats answer/{path}: write a `diff` instead, as `{command}` prints it"
                yield _make_finding(evaluation, file, "calibrations", advice)


def _find_faults_of_given(evaluation: Eval) -> Iterator[Finding]:
    """Yield findings for a given app that no answer could be, and for its size."""
    app = evaluation.read_given()
    if not app:
        return
    size = sum(len(text.encode()) for text in app.values())
    if len(app) not in GIVEN_FILES or size > MOST_GIVEN_BYTES:
        most = f"{GIVEN_FILES.start} to {GIVEN_FILES.stop - 1} files, {MOST_GIVEN_BYTES:,} bytes"
        advice = f"has {len(app)} files with {size:,} bytes: {most} are allowed"
        yield _make_finding(evaluation, "given", "given", advice)
    for path, text in app.items():
        if (why := CONVEX_RULES.explain_unused(path, text)) is not None:
            yield _make_finding(evaluation, f"given/{path}", "given", why)
    for how in find_breaches(CONVEX_RULES.rules, app):
        yield _make_finding(evaluation, "given", "given", how)
    reference = evaluation.read_answer()
    for path, text in reference.items():
        inside = split_step(path)[1] if evaluation.config.steps else path
        if inside == path and strip_canary(text) == app.get(path):
            advice = "repeats the given file: the reference has only the files that it changes"
            yield _make_finding(evaluation, f"answer/{path}", "given", advice)


def _find_unmarked_files(evaluation: Eval, line: str = LINE) -> Iterator[Finding]:
    for path in canary.list_carriers(evaluation.folder):
        if not canary.is_marked(path, line):
            file = path.relative_to(evaluation.folder).as_posix()
            yield _make_finding(
                evaluation, file, "canary", "is missing: `leaderboard suite lint --fix`"
            )
