"""`leaderboard session from-run`: the attempts of a run become sessions."""

from pathlib import Path

import click

from leaderboard.options import data_option, evals_option, format_examples, json_option
from leaderboard.terminal.streams import say_result
from records.text.numbers import format_count


@click.command("from-run", epilog=format_examples("leaderboard session from-run 4p2bzjf"))
@click.argument("run")
@evals_option
@data_option
@json_option
def command(*, run: str, evals_root: Path, data_root: Path, as_json: bool) -> int:
    """Make a session of each attempt of a run that has a verdict.

    The session of a passed attempt is `correct`, that of a failed one `incorrect`, until a person
    changes it; the expected output is the reference answer. Existing sessions keep their labels.
    """
    from leaderboard.sessions.attempt_sessions import make_sessions  # noqa: PLC0415 - takes a second
    from records.files.data_folder import DataFolder  # noqa: PLC0415
    from records.runs.run_lookup import find_run  # noqa: PLC0415

    data = DataFolder(data_root)
    counts = make_sessions(data, evals_root, [find_run(data, run).get_record_file()])
    row = {"sessions": counts.made, "changed": counts.changed, "left_out": counts.left_out}
    lines = [f"{format_count(counts.made, 'session')}, {counts.changed} new or changed"]
    if counts.left_out:
        left_out = format_count(counts.left_out, "attempt")
        lines.append(f"no session of {left_out}: no verdict, no answer, or no model was asked")
    if not counts.made:
        lines.append("docs/demo has sessions to try: leaderboard session list --data docs/demo")
    say_result(row, lines, as_json=as_json)
    return 0
