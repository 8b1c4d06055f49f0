"""The work of `leaderboard diff` after its options are read."""

import hashlib
from itertools import chain
from pathlib import Path
from typing import Literal

import click

from generator.diff.description import build_runs_values, describe_pair, format_runs_headline
from generator.diff.runs_diff import Side, diff_runs
from generator.diff.writers import MarkdownWriter, TextWriter
from generator.scores.differences.difference import Conclusion
from leaderboard.changes import description
from leaderboard.terminal import streams
from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import DataFolder
from records.reader import read_benchmarks, read_run
from records.runs.run_lookup import SHORTEST_BEGINNING, find_run


def diff(  # noqa: PLR0913 - the options of the command
    before: str,
    after: str,
    *,
    form: Literal["text", "markdown", "json"] | None,
    max_chars: int | None,
    site_url: str | None,
    fail_on: Literal["regression"] | None,
    data: DataFolder,
    evals_root: Path | None,
    merge: bool,
    checks: Path | None,
) -> int:
    """Print the differences; return the exit code.

    Without a form, it is text on a terminal, else markdown, also if there is a limit of characters.
    Without a suite, it is the folder ``evals`` beside the data folder. With ``fail_on``, the exit
    code is not 0 if the sides cannot be compared.
    """
    width = streams.find_terminal_width()
    if form is None:
        form = "markdown" if width is None or max_chars is not None else "text"
    writer = TextWriter(width) if form == "text" else MarkdownWriter(site_url, max_chars)
    first, second = _find_side(data, before), _find_side(data, after)
    if first is not None and second is not None:
        pairs, unread = [diff_runs(first, second, read_benchmarks(data))], ()
        values = build_runs_values(pairs[0])
        headline, parts = format_runs_headline(pairs[0]), describe_pair(pairs[0], writer)
    elif first is not None or second is not None:
        name, other = (after, before) if first is None else (before, after)
        similar: tuple[str, ...] = ()
        try:
            find_run(data, other)
        except RecordsError as error:
            similar = error.details
        raise MissingRecordError(
            f"{name} is a run or guidelines, the other is not: {other}", similar
        )
    else:
        evals = evals_root or data.root.resolve().parent / "evals"
        change = description.compare_revisions(
            before, after, data.root, evals, merge=merge, checks=checks
        )
        pairs, unread = change.data.pairs, change.unread
        values = description.build_revision_values(change)
        headline = description.format_headline(change, writer)
        parts = description.describe_revisions(change, writer)
    if form == "json":
        streams.say_json(values)
    else:
        streams.say(writer.compose(headline, parts))
    if fail_on is None:
        return streams.ExitCode.DONE
    if any(pair.difference and pair.difference.conclusion is Conclusion.WORSE for pair in pairs):
        return streams.ExitCode.CHECK_FAILED
    gaps = [f"{file.path}: {file.reason}" for file in unread]
    gaps += [
        f"{pair.before.label} and {pair.after.label}: no eval was judged on both sides"
        for pair in pairs
        if pair.difference is None
    ]
    for gap in gaps:
        streams.say(f"--fail-on regression: not known whether {after} is worse: {gap}", err=True)
    return streams.ExitCode.BAD_USAGE if gaps else streams.ExitCode.DONE


def _find_side(data: DataFolder, name: str) -> Side | None:
    """Return the run with this id, or the runs with this file's guidelines; None for a revision."""
    file = Path(name)
    if file.is_file():
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        runs = [
            run
            for run in map(read_run, chain(data.list_run_files(), data.local.list_run_files()))
            if run.experiment.guidelines == digest and run.withdrawn is None
        ]
        models = sorted({run.model.slug for run in runs})
        if not runs:
            raise click.UsageError(
                f"{file}: no run was sent this text: leaderboard run --guidelines"
            )
        if len(models) > 1:
            raise click.UsageError(
                f"{file}: runs of {', '.join(models)} were sent this text; name two runs instead"
            )
        return Side(f"{models[0]} with {file.name}", runs)
    if len(name) < SHORTEST_BEGINNING:
        return None
    try:
        run = find_run(data, name).read()
    except MissingRecordError:
        return None
    return Side(f"{run.model.slug} {run.experiment.name} {run.short_id}", [run])
