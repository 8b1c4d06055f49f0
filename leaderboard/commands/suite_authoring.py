"""The commands `leaderboard suite new`, `import`, `lint`, `show` and `mint`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from leaderboard import options
from leaderboard.pinned_version import find_unminted
from leaderboard.project import build_data_option
from leaderboard.sessions.session_lookup import find_session_id
from leaderboard.terminal.shell_commands import format_command_line, say_next
from leaderboard.terminal.streams import ExitCode, is_json, say, say_result
from records.files.data_folder import DataFolder
from records.guidelines import sections
from records.sessions.session import EvalStatus
from records.text.numbers import format_count
from records.writer import write_record
from review.exports.prepared import ExportOptions, prepare_session
from review.label_service import LabelService
from review.store import SessionStore
from runner.answers.reply import parse_reply
from runner.errors import BadSelectionError, UnusableReplyError
from runner.evals import canary
from runner.evals.calibrations import Calibration
from runner.evals.discovery import Eval, discover
from runner.evals.line_diff import write_diff
from runner.evals.typescript_suites import GRADER
from runner.models.tokens import ENCODING
from runner.suite.guidelines_texts import LARGEST, measure_guidelines
from runner.suite.lint import lint
from runner.suite.mint import mint
from runner.suite.new import Beginning, make_eval
from runner.suite.vitest_tests import describe_suite


@options.command(
    "leaderboard suite new queries read_by_index",
    "leaderboard suite new 9f2c queries read_by_index     # from a session",
)
@click.argument("words", metavar="[SESSION] CATEGORY NAME", nargs=-1)
@click.option("--given", "has_given", is_flag=True, help="Begin an app that answers change.")
@options.evals_option
@options.record_options
def new_command(
    *,
    words: tuple[str, ...],
    has_given: bool,
    evals_root: Path,
    data: DataFolder,
) -> None:
    """Make the folder of a new eval about Convex: CATEGORY such as queries, NAME in snake_case.

    In a project of `leaderboard init`, copy the folder of an eval instead.

    With SESSION, the beginning of a golden session's id, its last answered request becomes the
    beginning of the task. The files of the expected output, or else of the answer, become the
    reference. Keys, addresses and home folders are removed.

    Parts that are still to be written are marked FILL IN; `leaderboard suite lint -f NAME` lists
    them.
    """
    if len(words) not in {2, 3}:
        raise click.UsageError("give CATEGORY and NAME, and before them a SESSION if there is one")
    *beginning, category, name = words
    following = f"Fill it in, then: leaderboard suite lint -f {name}"
    if not beginning:
        folder = make_eval(evals_root, category, name, has_given=has_given)
        say_result({"folder": str(folder)}, [folder, following])
        return
    if has_given:
        raise click.UsageError("--given is for an eval without a SESSION")
    store = SessionStore(data)
    session_id = find_session_id(store, beginning[0])
    # Refuses an attempt that must be judged blind, so that no status shows.
    LabelService(store, "cli", None).check(session_id, {})
    read = store.read(session_id)
    labelled = read.session
    if labelled.eval_status is not EvalStatus.GOLDEN:
        raise click.UsageError(
            f"{labelled.id} is {labelled.eval_status}: only a golden session is a reference; "
            f"leaderboard session label {labelled.id} --status golden"
        )
    clean = prepare_session(read, ExportOptions())
    judged = clean.judged
    if judged is None or not judged.asked.strip():
        raise click.UsageError(f"{labelled.id} holds no request of a user")
    answer: dict[str, str] = {}
    try:
        answer = parse_reply(judged.truth or "").files
    except UnusableReplyError as error:
        say(f"the answer holds no files, so the reference is to be written: {error}", err=True)
    folder = make_eval(evals_root, category, name, Beginning(judged.asked, answer))
    requests = len(clean.turns)
    row = {"folder": str(folder), "requests": requests, "files": sorted(answer)}
    earlier = (
        f"the task is request {judged.number} of {requests}: add the facts that it needs of "
        "the others"
    )
    hints = [earlier] if requests > 1 else []
    say_result(row, [folder, *hints, following])


@options.command(
    "leaderboard suite import ../our-suite",
    "leaderboard suite import ../our-suite --no-grading --json",
)
@click.argument("folder", metavar="DIR", type=options.FOLDER)
@click.option(
    "--no-grading",
    "is_text_only",
    is_flag=True,
    help="Only read texts; references and stubs are not graded.",
)
@options.graders_option
@options.new_record_options
def import_command(*, folder: Path, is_text_only: bool, graders: int, data: DataFolder) -> int:
    """Give the suite in DIR a version and pages in the data folder; nothing is written into DIR.

    DIR is a suite with graders in TypeScript: its root, or its evals/. The version covers tasks,
    graders and configuration, so that runs can be published. Tasks, reference answers and titles of
    tests are stored with it, so that the site shows them without DIR. Faults of the suite, also
    those that only grading shows, are listed, but do not prevent the import.
    """
    suite = discover(folder)
    if not suite.kind.is_of_others:
        raise click.UsageError(
            f"{folder}: has no {GRADER}: a suite of Python graders needs no import, but "
            "`leaderboard suite mint`"
        )
    benchmark = mint(suite, data)
    described = write_record(data.suites, describe_suite(suite, benchmark.version))
    findings = lint(suite, suite.evals)
    if not is_text_only:
        # Imported here, because only grading needs the grading service.
        from runner.grading.answer_steps import GradingSettings  # noqa: PLC0415
        from runner.runs.launch import open_grading  # noqa: PLC0415
        from runner.suite.check import find_stub_passes  # noqa: PLC0415

        done: list[str] = []

        def tell(evaluation: Eval) -> None:
            done.append(evaluation.name)
            if not is_json():
                say(f"[{len(done)}/{len(suite.evals)}] graded {evaluation.name}", err=True)

        with open_grading(GradingSettings(graders=graders), suite) as grading:
            stub_passes = find_stub_passes(suite.evals, grading, tell)
        findings = sorted([*findings, *stub_passes])
    files = [str(data.benchmarks.get_file(benchmark.version)), str(described)]
    row = {
        "version": benchmark.version,
        "title": benchmark.title,
        "files": files,
        "evals": len(suite.evals),
        "findings": [finding._asdict() for finding in findings],
    }
    numbers = Counter(evaluation.category for evaluation in suite.evals)
    lines = [
        *(f"{name}: {format_count(numbers[name], 'eval')}" for name in suite.categories),
        f"{format_count(len(suite.evals), 'eval')}: {format_count(len(findings), 'fault')}",
        f"{benchmark.version}  {benchmark.title}",
    ]
    say_result(row, [*findings, *lines, *files])
    places = ["--evals", str(folder), *build_data_option(data)]
    say_next(
        [
            format_command_line("run", *places, "-m", "oracle"),
            format_command_line("serve", *build_data_option(data)),
        ]
    )
    return ExitCode.DONE


@options.command(
    "leaderboard suite lint",
    "leaderboard suite lint -f crons",
)
@options.eval_options
@click.option("--fix", is_flag=True, help="Add the canary, and count the guidelines again.")
@options.evals_option
@options.json_option
def lint_command(
    *,
    pattern: str | None,
    categories: Sequence[str],
    levels: Sequence[str],
    fix: bool,
    evals_root: Path,
) -> int:
    """Find faults of tasks and graders; print for each a line with eval, file, rule and remedy.

    Ends with 1 if there is a fault. If the suite is not minted, this is printed on standard error,
    but is not a fault.
    """
    suite = discover(evals_root)
    evals = suite.select(pattern, categories, levels)
    if fix:
        if line := suite.kind.get_canary_line():
            for path in (path for each in evals for path in canary.mark(each.folder, line)):
                say(f"canary added to {path}", err=True)
        written = sections.read_guidelines_tokens(suite.root)
        if written is not None:
            tokens = measure_guidelines(suite)
            if tokens != written:
                sections.write_guidelines_tokens(suite.root, tokens)
                say(f"guidelines counted in {sections.get_tokens_file(suite.root)}", err=True)
        suite = discover(evals_root)
        evals = suite.select(pattern, categories, levels)
    findings = lint(suite, evals)
    counts = f"{format_count(len(evals), 'eval')}: {format_count(len(findings), 'fault')}"
    rows = [finding._asdict() for finding in findings]
    say_result(rows, [*findings, counts])
    if unminted := find_unminted(suite):
        say(f"not-minted: {unminted}", err=True)
    return ExitCode.CHECK_FAILED if findings else ExitCode.DONE


@options.command(
    "leaderboard suite show forget_hive",
    "leaderboard suite show forget_hive fail/collect_and_delete --context 5",
    "leaderboard suite show --write     # after a change of the guidelines",
)
@click.argument("pattern", metavar="[EVAL]", required=False)
@click.argument("variant", required=False)
@click.option(
    "--context",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Lines of the reference around each change; more if these lines occur several times.",
)
@click.option("--write", is_flag=True, help="Write the tokens beside the guidelines, for the site.")
@options.evals_option
@options.json_option
def show_command(
    *,
    pattern: str | None,
    variant: str | None,
    context: int,
    write: bool,
    evals_root: Path,
) -> int:
    """Show the variants of EVAL, or one: reason, expected verdict, changes of the reference.

    EVAL is a regex over category/name, VARIANT a name such as wrong_order or fail/wrong_order.
    Diffs have the form that calibration.toml needs.

    Without EVAL, show the size of each section of the guidelines, and the evals that exercise it.
    Then it ends with 1 if no eval exercises a section, the text is too long, or the file of token
    counts beside it, which the site shows, is about another text.
    """
    if pattern is None:
        return _show_guidelines(evals_root, write=write)
    if write:
        raise click.UsageError("--write is for the guidelines: leave out EVAL")
    chosen: list[tuple[Eval, Calibration]] = []
    for evaluation in discover(evals_root).select(pattern, ()):
        variants = {f"{each.kind}/{each.name}": each for each in evaluation.load_calibrations()}
        matching = [
            (evaluation, calibration)
            for name, calibration in variants.items()
            if variant in {None, calibration.name, name}
        ]
        if not matching:
            known = ", ".join(variants) or "none"
            raise BadSelectionError(f"{evaluation.name} has no variant {variant!r}: it has {known}")
        chosen += matching
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for evaluation, calibration in chosen:
        changes = list(_format_changes(evaluation, calibration, context))
        rows.append(
            {
                "eval": evaluation.name,
                "variant": f"{calibration.kind}/{calibration.name}",
                "reason": calibration.reason,
                "step": calibration.step,
                "tests": list(calibration.tests),
                "changes": changes,
            }
        )
        lines += f"[{calibration.kind}.{calibration.name}] {evaluation.name}", calibration.reason
        if calibration.step is not None:
            tests = f": {', '.join(calibration.tests)}" if calibration.tests else ""
            lines.append(f"fails at {calibration.step}{tests}")
        lines += *changes, ""
    say_result(rows, lines)
    return ExitCode.DONE


def _show_guidelines(evals_root: Path, *, write: bool) -> int:
    suite = discover(evals_root)
    now = measure_guidelines(suite)
    if write:
        sections.write_guidelines_tokens(suite.root, now)
    written = sections.read_guidelines_tokens(suite.root)
    exercised = {
        slug: [each.name for each in suite.evals if slug in each.config.guidelines]
        for slug in now.sections
    }
    problems = [
        f"no eval exercises the section {slug}: name it in an eval.toml, or delete it"
        for slug, names in exercised.items()
        if not names
    ]
    if now.tokens > LARGEST:
        problems.append(f"{now.tokens} tokens: at most {LARGEST} are allowed")
    if written is not None and written != now:
        name = sections.get_tokens_file(suite.root).name
        problems.append(f"{name} counts another text: leaderboard suite show --write")
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for slug, names in exercised.items():
        rows.append({"slug": slug, "tokens": now.sections[slug], "evals": names})
        lines.append(f"{now.sections[slug]:6}  {slug}: {format_count(len(names), 'eval')}")
        lines += (f"          {name}" for name in names)
    lines.append(f"{now.tokens:6}  tokens ({ENCODING}) in all, of {LARGEST} allowed")
    lines += (f"guidelines.md: {problem}" for problem in problems)
    say_result({"sections": rows, "tokens": now.tokens, "problems": problems}, lines)
    return ExitCode.CHECK_FAILED if problems else ExitCode.DONE


def _format_changes(evaluation: Eval, calibration: Calibration, context: int) -> Iterator[str]:
    files, answer = calibration.files, evaluation.read_answer()
    # A variant may change a given file that the reference leaves as it is.
    app = evaluation.read_given()
    answer = {path: app[path] for path in app.keys() & files.keys()} | answer
    for path in sorted(answer.keys() | files.keys()):
        if path not in files:
            yield f"deleted: {path}"
        elif path not in answer:
            yield f"new: {path}"
            yield from (f"+{line}" for line in files[path].removesuffix("\n").split("\n"))
        elif files[path] != answer[path]:
            diff = write_diff(answer[path], files[path], context=context)
            yield f"diff.\"{path}\" = '''\n{diff}'''"


@options.command(
    "leaderboard suite mint && git add data/benchmarks",
    'leaderboard suite mint --yes --why "mends of the graders of November" && git add data',
)
@options.why_option(
    help="The reason for changed verdicts; kept with each replaced verdict.",
)
@click.option("--yes", "agreed", is_flag=True, help="Do it without asking.")
@options.grading_options
@options.evals_option
@options.new_record_options
def mint_command(**given: Any) -> int:  # noqa: ANN401 - as MintOptions says
    """Define the suite's benchmark version in data/, so that its runs can be published.

    Published runs of the version before move to it, if it asks enough of their questions in the
    same words. No model is asked: stored answers are graded again where the grader, the emulator or
    a tool is another one. Changed verdicts, rows and the runs that stay are printed first. Answers
    to changed questions do not count any more; `leaderboard run --carry-over` asks only these.

    If only the emulator or tools changed, the version stays, unless a known answer (then the
    command ends with 1) or a stored answer gets another verdict.
    """
    from leaderboard.runs.mint import MintOptions, mint_suite  # noqa: PLC0415 - imports take a second

    return mint_suite(MintOptions(**given))
