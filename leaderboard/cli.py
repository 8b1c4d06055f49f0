"""The `leaderboard` command: its table of subcommands, its former spellings, its exit codes.

Subcommands are imported when they are called, so that `leaderboard --help` answers at once.
"""

import gc
import os
import sys
from collections.abc import Sequence

import click

from leaderboard.command_groups import LazyGroup, format_examples
from leaderboard.options import program_options
from leaderboard.terminal.error_messages import report_error
from leaderboard.terminal.streams import EXIT_CODES, ExitCode, Streams, say

_VERSIONS = LazyGroup(
    "version",
    {
        "create": ("datasets", "Store the sessions and labels of a dataset under a name."),
        "list": (
            "datasets",
            "List the versions, or the sessions of one, and which have changed since.",
        ),
    },
    short_help="Store the sessions and labels of a dataset under a name.",
    help="Versions of datasets, which give the same labels at each export, despite later "
    "judgements.",
    examples=(
        "leaderboard session version create regression-1 --status golden",
        "leaderboard session version list",
    ),
)
_SESSIONS = LazyGroup(
    "session",
    {
        "from-run": ("sessions", "Make a session of each attempt of a run."),
        "import": ("sessions", "Read sessions that other programs recorded."),
        "list": ("sessions", "List sessions."),
        "show": ("session_labels", "Show a session with its labels."),
        "label": (
            "session_labels",
            "Judge or tag sessions, make them eval-ready, or undo it.",
        ),
        "audit": (
            "sessions",
            "Choose attempts for people to judge blind: how often are graders wrong?",
        ),
        "compare": (
            "session_models",
            "Ask models the prompts of golden sessions, and score their answers.",
        ),
        "judge": (
            "session_models",
            "Ask models for the status of sessions; labels are not changed.",
        ),
        "opinions": (
            "session_models",
            "Show the agreement of judge models with people, or how models compare.",
        ),
        "publish": (
            "sessions",
            "Write redacted copies of sessions to data/sessions, or remove them.",
        ),
        "delete": ("sessions", "Delete sessions with their labels."),
        "version": _VERSIONS,
    },
    short_help="Label recorded conversations, and make datasets of them.",
    help="Sessions: recorded conversations, labelled by people and exported as datasets.",
    examples=(
        "leaderboard session list --data docs/demo",
        "leaderboard session list --status needs_review",
        "leaderboard session label 4p2bzjf5m6ur --status golden --ready",
    ),
)
_CLUSTER = LazyGroup(
    "cluster",
    {"certificates": ("setup", "Make the file that lets machines trust one another.")},
    short_help="Prepare other machines to grade.",
    help="Prepare machines that grade for `--cluster`; docs/cluster.md has all steps.",
    examples=("leaderboard cluster certificates cluster.yaml",),
)
_KEYS = LazyGroup(
    "keys",
    {
        "create": ("setup", "Make a key; it is shown once."),
        "list": ("setup", "List the keys, or revoke one."),
    },
    short_help="Create, list and revoke the keys of the API of `serve`.",
    help="Keys of the API of `leaderboard serve`; its page /api/docs describes the API.",
    examples=("leaderboard keys create laptop --days 90", "leaderboard keys list"),
)
_SUITE = LazyGroup(
    "suite",
    {
        "new": (
            "suite_authoring",
            "Make the folder of a new eval about Convex, also from a golden session.",
        ),
        "import": (
            "suite_authoring",
            "Give a TypeScript suite in another folder a version and pages.",
        ),
        "lint": ("suite_authoring", "Find faults of tasks and graders, without grading."),
        "check": ("suite_proofs", "Prove that graders judge all known answers rightly."),
        "grade": ("suite_proofs", "Grade one answer, and show all details of the grading."),
        "show": (
            "suite_authoring",
            "Show variants of an eval as diffs, or the size of the guidelines.",
        ),
        "mutate": (
            "suite_proofs",
            "Find out whether graders notice small faults in the reference.",
        ),
        "mint": ("suite_authoring", "Define the suite's version, so that runs can be published."),
    },
    short_help="Write, prove and mint the suite.",
    help="Write evals, prove that their graders judge rightly, and give the suite a version.",
    examples=("leaderboard suite lint -f crons", "leaderboard suite check --once -f crons"),
)
COMMANDS = {
    "demo": ("demo", "Run the baselines over the suite and build the site; no key needed."),
    "init": ("setup", "Begin a project of your own: one eval, its grader, the site's settings."),
    "run": ("running", "Give models the tasks, grade their answers, record the results."),
    "ablate": (
        "running",
        "Leave out sections of the guidelines, or compare an edition: does it help?",
    ),
    "evals": ("evals", "List evals and their state; without a subcommand, a menu."),
    "runs": ("runs", "List all runs, or show a run."),
    "models": ("evals", "List the models that can be asked by name."),
    "regrade": ("runs", "Grade stored answers by today's graders; no model is asked."),
    "verify": ("runs", "Grade published answers again: are the verdicts reproduced?"),
    "publish": ("runs", "Move a local run to the published records."),
    "send": ("running", "Send runs to a server of scores that did not answer before."),
    "withdraw": ("runs", "Take a run out of scores; its record stays."),
    "diff": ("runs", "Show the changes between two runs, guidelines or revisions."),
    "report": ("runs", "Write the report on a run: why its attempts failed."),
    "session": _SESSIONS,
    "export": ("datasets", "Write labelled sessions as files that other programs load."),
    "cluster": _CLUSTER,
    "keys": _KEYS,
    "suite": _SUITE,
    "import": ("records", "Read results that others published into data/."),
    "build": ("site", "Build the site from data/."),
    "snapshot": ("site", "Write the published results as files that other programs load."),
    "serve": ("serve", "Build, serve and rebuild the site on every change."),
    "check": ("records", "Check every record in data/, or repair the journal of a run."),
    "completion": ("setup", "Print the script that lets a shell complete commands."),
}
"""Each subcommand with its module and its line of help, or with its group."""
FORMER_COMMANDS = {
    ("guidelines", "check"): ("ablate",),
    ("evals", "status", "--runs"): ("runs",),
    ("keys", "revoke"): ("keys", "list", "--revoke"),
    ("repair",): ("check", "--repair"),
    ("runs", "list"): ("runs",),
    ("runs", "show"): ("runs",),
    ("session", "comparisons"): ("session", "opinions", "--comparisons"),
    ("session", "tag"): ("session", "label"),
    ("session", "unpublish"): ("session", "publish", "--undo"),
    ("session", "version", "show"): ("session", "version", "list"),
    ("suite", "from-session"): ("suite", "new"),
    ("suite", "guidelines"): ("suite", "show"),
}
"""The first words of former commands, and the words in their place; all other words stay."""


def replace_former_words(arguments: Sequence[str], *, quiet: bool = False) -> list[str]:
    """Return the arguments in today's spelling; print a notice if they differ, unless ``quiet``.

    Raises:
        click.UsageError: the former command lacks an option without which the new one does more.
    """
    start = next((i for i, word in enumerate(arguments) if not word.startswith("-")), None)
    if start is None:
        return list(arguments)
    words = list(arguments[start:])
    former = next((old for old in FORMER_COMMANDS if tuple(words[: len(old)]) == old), ())
    notice = "`leaderboard {}` is now `leaderboard {}`; the old words go with the next release"
    if former:
        new, rest = FORMER_COMMANDS[former], words[len(former) :]
        needed = {"--before", "--resume", "-h", "--help"}
        if new == ("ablate",) and not needed & {word.partition("=")[0] for word in rest}:
            raise click.UsageError("--before REVISION: which guidelines are compared?")
        notice, words = notice.format(" ".join(former), " ".join(new)), [*new, *rest]
    elif words[0] == "help":
        notice, words = notice.format("help COMMAND", "COMMAND --help"), [*words[1:], "--help"]
    elif words[0] == "diff" and {"--html", "--templates"} & {w.partition("=")[0] for w in words}:
        notice = (
            "diff --html and --templates are gone; here is markdown, and `leaderboard serve` "
            "shows both answers on the page that compares two runs"
        )
        while "--templates" in words:
            at = words.index("--templates")
            del words[at : at + 2]
        words = [
            "--markdown" if w == "--html" else w for w in words if not w.startswith("--templates")
        ]
    else:
        return list(arguments)
    if not quiet:
        say(notice, err=True)
    return [*arguments[:start], *words]


class Program(LazyGroup):
    """The whole program, which also knows the spellings of the release before."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line after former spellings are replaced."""
        return super().parse_args(ctx, replace_former_words(args, quiet=ctx.resilient_parsing))


@click.group(
    "leaderboard",
    cls=Program,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=format_examples(
        "leaderboard demo", "leaderboard run -m oracle -f crons", "leaderboard serve"
    )
    + "\n\n"
    + EXIT_CODES,
)
@click.version_option(
    None, "-V", "--version", package_name="convex-leaderboard", prog_name="leaderboard"
)
@click.option("-q", "--quiet", is_flag=True, help="Print results, warnings and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Name the project and its settings first.")
@program_options
def root(*, quiet: bool, verbose: bool, **_shared: object) -> None:
    """Measure how well LLMs solve the tasks of a suite, and publish it.

    --data, --evals, --templates and --json may also stand after the command.
    """
    if quiet and verbose:
        raise click.UsageError("-q and -v contradict one another")
    if verbose:
        from leaderboard.project import explain_project  # noqa: PLC0415 - only where asked for

        explain_project()


def main() -> None:
    """Run the command, and end the process; an error becomes a message and an exit code."""
    # Otherwise pydantic reads the metadata of every installed package, to find plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    streams = Streams()
    try:
        try:
            ended = root.main(standalone_mode=False)
            code = ended if isinstance(ended, int) else ExitCode.DONE
        except click.Abort:
            say("Stopped.", err=True)
            code = ExitCode.INTERRUPTED
        except Exception as error:  # noqa: BLE001 - every error is reported to the user
            code = report_error(error)
        if loss := streams.describe_loss():
            say(f"leaderboard: {loss}", err=True)
            code = code or ExitCode.BAD_USAGE
    finally:
        # Otherwise the interpreter runs a full garbage collection over all imported modules.
        gc.freeze()
    sys.exit(code)
