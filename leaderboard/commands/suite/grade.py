"""`leaderboard suite grade`: an answer is graded, with all details shown."""

from typing import Any

import click

from leaderboard.options import (
    backend_option,
    evals_option,
    format_examples,
    json_option,
    new_data_option,
    sandbox_option,
    workspaces_option,
)


@click.command(
    "grade",
    epilog=format_examples(
        "leaderboard suite grade greenhouse_crons reference -v",
        "leaderboard suite grade greenhouse_crons jn7fgntk:1 -k test_",
        "leaderboard suite grade my_eval my-answer -v --watch --evals ../our-suite",
    ),
)
@click.argument("evaluation", metavar="EVAL")
@click.argument("answer")
@click.option(
    "-k",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Only tests with this in their names; repeatable.",
)
@click.option("-v", "--verbose", "everything", is_flag=True, help="Show all output.")
@click.option(
    "--watch",
    "is_watching",
    is_flag=True,
    help="Grade again whenever the eval, its kit or ANSWER's folder changes.",
)
@backend_option
@sandbox_option
@workspaces_option
@evals_option
@new_data_option
@json_option
def command(**options: Any) -> int:  # noqa: ANN401 - as GradeOptions says
    """Grade one ANSWER to EVAL, and show each step and each test with its seconds.

    EVAL is a name such as 002-queries/009-text_search, or a regex that matches one name. ANSWER is
    a folder of files, a variant of calibration.toml (wrong_order, fail/wrong_order), reference,
    empty or stub, or an attempt as RUN:SAMPLE. If a folder has the name of a variant, write ./NAME
    for the folder.

    For failed tests, the grader's prints and the lines that functions logged are shown; with -v
    those of all tests, and the logs of all steps. For graders in TypeScript, vitest's own output is
    shown. Nothing is recorded. Ends with 0 if the answer passes, with 1 if it fails, and with 3 if
    infrastructure prevented a verdict.
    """
    if options["is_watching"] and options["as_json"]:
        raise click.UsageError("--watch prints for people: leave out --json")
    from leaderboard.suites import grade  # noqa: PLC0415 - its imports take a second

    return grade.grade_answer(grade.GradeOptions(**options, graders=1))
