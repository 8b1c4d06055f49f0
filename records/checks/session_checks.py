"""Checks of sessions with their label logs, and of the records that name sessions."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

from records.checks.findings import Problem, read_at_their_places, try_reading
from records.checks.run_checks import CheckedRun
from records.files.data_folder import LABELS, DataFolder
from records.reader import (
    read_audit,
    read_comparison,
    read_dataset,
    read_event_lines,
    read_opinions,
    read_session,
)
from records.sessions.comparison import ComparisonJudgement
from records.sessions.labels import LabelEvent
from records.sessions.log_event import LogEvent
from records.sessions.session import is_raw

_RAW: Final = (
    "a raw session among the published ones, whose secrets nobody took out: "
    "`leaderboard session publish --undo` moves it to data/local/sessions; the history of git "
    "keeps it until it is rewritten"
)


def check_sessions(folder: DataFolder, shared: DataFolder | None, problems: list[Problem]) -> None:
    """Check sessions and their label logs. Without ``shared``, no session may be raw."""
    local_runs = {path.stem for path in folder.local.list_run_files()}
    paths = folder.list_published_session_files()
    for path, session in read_at_their_places(
        problems, paths, read_session, "id", folder.get_published_session_file
    ):
        if shared is None and is_raw(session, local_runs):
            problems.append(Problem(path, "source_digest", _RAW))
    for path in folder.list_published_label_files():
        events = try_reading(problems, path, lambda log: read_event_lines(log, LabelEvent))
        faults = [*find_broken_links(events or ()), *find_unknown_words(events or ())]
        problems += [Problem(path, field, reason) for field, reason in faults]
        problems += _check_log_place(folder, shared, path)


def _check_log_place(
    folder: DataFolder, shared: DataFolder | None, path: Path
) -> Iterator[Problem]:
    """Yield a problem if a label log has no session, or if another log of the session is read."""
    home = shared or folder
    session_id = path.name.removesuffix(LABELS)
    if not home.get_session_file(session_id).exists():
        yield Problem(path, "", "there is no session of this id")
    elif home.get_label_file(session_id) != path:
        reason = f"is not read: {home.get_label_file(session_id)} is the log of the session"
        yield Problem(path, "", reason)


def check_audits(
    folder: DataFolder,
    runs: Sequence[CheckedRun],
    shared: DataFolder | None,
    problems: list[Problem],
) -> None:
    """Check that the sessions and the runs of audits exist, and that the runs fit the version."""
    by_id = {run.run_id: run for run in runs}
    elsewhere = {path.stem for path in shared.list_run_files()} if shared else set[str]()
    home = shared or folder
    for path, audit in read_at_their_places(
        problems, folder.list_audit_files(), read_audit, "audit_id", folder.get_audit_file
    ):
        for run_id in audit.runs:
            run = by_id.get(run_id)
            if run is None and run_id not in elsewhere:
                problems.append(Problem(path, "runs", f"{run_id} is no run"))
            elif run is not None and run.benchmark_version != audit.benchmark_version:
                reason = f"{run_id} is of another version, {run.benchmark_version}"
                problems.append(Problem(path, "runs", reason))
        for number, item in enumerate(audit.items):
            if not home.get_session_file(item.session).exists():
                problems.append(
                    Problem(path, f"items.{number}.session", "there is no such session")
                )


def check_comparisons(folder: DataFolder, problems: list[Problem]) -> None:
    """Check comparisons, and that each judgement is about a pair of its comparison."""
    pairs: dict[Path, set[tuple[str, str, str]]] = {}
    paths = folder.list_comparison_files()
    for _, comparison in read_at_their_places(
        problems, paths, read_comparison, "comparison_id", folder.get_comparison_file
    ):
        slugs = [model.slug for model in comparison.models]
        pairs[folder.get_judgement_file(comparison.comparison_id)] = {
            (item.session, first, second)
            for item in comparison.items
            for first, second in combinations(slugs, 2)
        }
    for path in folder.list_judgement_files():
        events = try_reading(problems, path, lambda log: read_event_lines(log, ComparisonJudgement))
        events = events or []
        problems += [Problem(path, field, reason) for field, reason in find_broken_links(events)]
        if path not in pairs:
            problems.append(Problem(path, "", "there is no comparison of this id"))
            continue
        for number, event in enumerate(events, 1):
            if event.pair not in pairs[path]:
                reason = "is of no pair of the comparison"
                problems.append(Problem(path, f"line {number}", reason))


def check_datasets_and_opinions(folder: DataFolder, problems: list[Problem]) -> None:
    """Check versions of datasets, whose members may change later, and opinions of models."""
    versions, opinions = folder.list_dataset_files(), folder.list_opinions_files()
    for _ in read_at_their_places(
        problems, versions, read_dataset, "name", folder.get_dataset_file
    ):
        pass
    for _ in read_at_their_places(
        problems, opinions, read_opinions, "opinions_id", folder.get_opinions_file
    ):
        pass


def find_broken_links(events: Sequence[LogEvent]) -> Iterator[tuple[str, str]]:
    """Yield place and reason for each link without an event, and for each id of two events.

    Args:
        events: an event for each line of a log, in the order of the lines.
    """
    by_id: dict[str, LogEvent] = {}
    for number, event in enumerate(events, 1):
        if by_id.setdefault(event.id, event) != event:
            yield f"line {number}.id", f"another event has the id {event.id}, too"
    for number, event in enumerate(events, 1):
        for field, identity in event.links:
            if identity not in by_id:
                yield f"line {number}.{field}", f"there is no event {identity} in this log"


def find_unknown_words(events: Sequence[LabelEvent]) -> Iterator[tuple[str, str]]:
    """Yield place and reason for each label and each way of labelling that are unknown here."""
    for number, event in enumerate(events, 1):
        if not event.is_known:
            reason = f"{event.field} is no label that this program knows: it changes nothing"
            yield f"line {number}.field", reason
        if not event.has_known_way:
            reason = f"{event.via} is no way that this program knows: it counts as no person's"
            yield f"line {number}.via", reason
