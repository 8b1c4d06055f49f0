"""The work of `leaderboard diff` after its options are read."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, NoReturn

import click

from generator.diff.description import build_runs_values, describe_pair, format_runs_headline
from generator.diff.runs_diff import RunsDiff, Side, diff_runs
from generator.diff.writers import MarkdownWriter, TextWriter
from generator.scores.differences.difference import Conclusion
from leaderboard.changes import description
from leaderboard.changes.revisions import UnreadFile
from leaderboard.terminal import streams
from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import DataFolder
from records.reader import read_benchmarks, read_run
from records.runs.run_lookup import SHORTEST_BEGINNING, find_run

Form = Literal["text", "markdown", "json"]


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """The options of `leaderboard diff`, a field for each."""

    before: str
    after: str
    form: Form | None
    """None for text on a terminal, else markdown, also if there is a limit of characters."""
    max_chars: int | None
    site_url: str | None
    fail_on: Literal["regression"] | None
    data: DataFolder
    evals_root: Path | None
    """None for the folder ``evals`` beside the data folder."""
    merge: bool
    checks: Path | None

    @property
    def chosen_form(self) -> Form:
        """The form of the output."""
        to_terminal = streams.find_terminal_width() is not None and self.max_chars is None
        return self.form or ("text" if to_terminal else "markdown")

    @property
    def writer(self) -> TextWriter | MarkdownWriter:
        """The writer of this form."""
        if self.chosen_form == "text":
            return TextWriter(streams.find_terminal_width())
        return MarkdownWriter(self.site_url, self.max_chars)


def diff(options: DiffOptions) -> int:
    """Print the differences; return the exit code."""
    data = options.data
    before, after = (_find_side(data, name) for name in (options.before, options.after))
    if before is not None and after is not None:
        difference = diff_runs(before, after, read_benchmarks(data))
        if options.chosen_form == "json":
            streams.say_json(build_runs_values(difference))
        else:
            parts = describe_pair(difference, options.writer)
            streams.say(options.writer.compose(format_runs_headline(difference), parts))
        return _choose_exit_code([difference], options)
    if before is not None:
        _refuse_mixture(data, options.before, options.after)
    if after is not None:
        _refuse_mixture(data, options.after, options.before)
    change = description.compare_revisions(
        options.before,
        options.after,
        data.root,
        options.evals_root or data.root.resolve().parent / "evals",
        merge=options.merge,
        checks=options.checks,
    )
    if options.chosen_form == "json":
        streams.say_json(description.build_revision_values(change))
    else:
        headline = description.format_headline(change, options.writer)
        streams.say(
            options.writer.compose(headline, description.describe_revisions(change, options.writer))
        )
    return _choose_exit_code(change.data.pairs, options, change.unread)


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


def _refuse_mixture(data: DataFolder, name: str, other: str) -> NoReturn:
    """Refuse to compare the run or guidelines ``name`` with ``other``, which is neither.

    Raises:
        MissingRecordError: always; its details have runs with ids similar to ``other``.
    """
    details: tuple[str, ...] = ()
    try:
        find_run(data, other)
    except RecordsError as error:
        details = error.details
    raise MissingRecordError(f"{name} is a run or guidelines, the other is not: {other}", details)


def _choose_exit_code(
    pairs: Sequence[RunsDiff], options: DiffOptions, unread: Sequence[UnreadFile] = ()
) -> int:
    """Return the exit code; with `--fail-on`, it is not 0 if the sides cannot be compared."""
    if options.fail_on is None:
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
        streams.say(
            f"--fail-on regression: not known whether {options.after} is worse: {gap}", err=True
        )
    return streams.ExitCode.BAD_USAGE if gaps else streams.ExitCode.DONE
