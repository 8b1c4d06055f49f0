"""The description of all changes between two revisions, in `data/` and the suite."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from generator.diff import description
from generator.diff.data_diff import ChangeKind, DataDiff, diff_data
from generator.diff.writers import DescriptionWriter, Row, TextWriter
from generator.site_links import build_eval_path, build_model_path, build_section_href
from leaderboard.changes import records, revisions, suites
from records.files.data_folder import list_run_paths
from records.text.numbers import format_count

SITE_PATHS = (
    *("data", "docs/method.md", "evals", "generator", "leaderboard", "netlify.toml", "records"),
    *("requirements", "scripts/netlify-ignore", "site_templates"),
)
"""The files and folders from which the site is built, the same as in `scripts/netlify-ignore`."""
_NOT_SHOWN = frozenset({"README.md", "package-lock.json", ".npmrc"})
"""Files of the suite that no page depends on."""
_PROGRAMS = ("records/", "runner/")
"""The packages that compute versions of a suite and digests of graders."""
_SURVIVORS = "calibration/survivors.toml"
_RECORD_PLACES = {"runs": ".json", "reports": ".md"}
"""The folders of records of models, each with the end of a record's path."""
_FIELDS_OF_JSON = (
    *("note", "files", "changes_program", "evals", "guidelines", "models", "version", "stale"),
    *("other", "unread"),
)
"""The fields of a change that the JSON has under the same names."""
_MOST_FILES = 3
"""The most files that are named in a sentence."""


class OtherFile(NamedTuple):
    """A changed file that no other part of the description covers."""

    path: str
    kind: ChangeKind


class RevisionChange(NamedTuple):
    """The changes from one revision to another."""

    before: str
    """The name of the first revision, for readers."""
    after: str
    """The name of the second revision, for readers."""
    commit: str
    """The whole name of the first revision's commit."""
    is_merge: bool
    """True if the result of merging the second into the first is described."""
    note: str | None
    """Why other revisions are compared than the two that the user gave; None if they are not."""
    files: int
    """The number of changed files in `data/` and the suite."""
    shows: bool
    """True if the site may show any of the changes, including changes of the program."""
    changes_program: bool
    """True if files of the program change that compute versions and stale verdicts."""
    evals: Sequence[suites.EvalChange]
    guidelines: suites.GuidelinesChange | None
    models: Sequence[records.ModelChange]
    version: records.SuiteVersionChange | None
    """None if neither the suite nor a definition of a version changes."""
    stale: records.StaleVerdicts
    data: DataDiff
    other: Sequence[OtherFile]
    unread: Sequence[revisions.UnreadFile]
    """The unusable files of the second revision, without faults that the first also has."""
    checks: suites.CheckResults | None
    """The results of `suite check`; None if no file of results was given."""


def compare_revisions(  # noqa: PLR0913 - two revisions, and the folders in the working tree
    before: str, after: str, data: Path, evals: Path, *, merge: bool, checks: Path | None = None
) -> RevisionChange:
    """Read both revisions and return their differences.

    Args:
        before: a revision of git, as the user gave it.
        after: another.
        data: the data folder in the working tree.
        evals: the suite in the working tree.
        merge: true to compare with the result of merging the second revision into the first.
        checks: a file with results of `suite check`; None without results.

    Raises:
        UsageError: a revision does not exist.
    """
    repository = revisions.Repository.find_containing(data)
    commits = repository.find_commit(before), repository.find_commit(after)
    tree = repository.merge(*commits) if merge else revisions.MergedTree(*commits, None)
    root = repository.root.resolve()
    data, evals = data.resolve(), evals.resolve()
    places = revisions.Places(
        data.relative_to(root).as_posix().removeprefix("."),
        evals.relative_to(root).as_posix() if evals.is_relative_to(root) else None,
    )
    trees = {"before": (before, tree.before), "after": (after, tree.after)}
    with repository.write_revisions(trees, places) as (old, new):
        places = new.places
        kinds = dict(revisions.list_changed_files(old, new))
        changed = {path: kind for path, kind in kinds.items() if places.include(path)}
        touches_suite = any(places.find_in_evals(path) is not None for path in changed)
        suite = suites.read_suite_state(old)
        both = suite, suites.read_suite_state(new, suite) if touches_suite else suite
        states = records.read_state(old), records.read_state(new, old)
        difference = diff_data(*states)
        eval_changes = suites.compare_evals(list(changed), new, *both)
        guidelines = suites.compare_guidelines(*both, new)
        models = records.compare_models(old, new)

        version, stale = None, records.StaleVerdicts({}, 0, (), 0)
        toolchain = records.find_toolchain_files(list(kinds), old, new)
        inside = [places.find_in_data(path) or "" for path in changed]
        defines_version = any(path.startswith("benchmarks/") for path in inside)
        if touches_suite or defines_version or toolchain:
            versions = records.compute_versions(*both, new)
            stale = records.count_stale_verdicts(both, versions, states, toolchain)
            if versions[1] is None or versions[0] != versions[1] or defines_version:
                version = records.compare_versions(versions, states, new)

        records.refuse_misplaced_reports(difference, new)
        described = {"models.toml"}
        for run in (*(each.run for each in difference.runs), *difference.removed):
            described.update(list_run_paths("artifacts", run.model.slug, f"{run.run_id}.zip"))
        if version is not None and version.after is not None:
            described.add(f"benchmarks/{version.after}.json")
        other = [
            OtherFile(path, kind)
            for path, kind in changed.items()
            if not (
                _is_described_record(places.find_in_data(path), described)
                or any(
                    suites.is_part_of_suite(places.find_in_evals(path) or "", state)
                    for state in both
                )
            )
        ]
        return RevisionChange(
            before=before,
            after=after,
            commit=tree.before,
            is_merge=merge and tree.note is None,
            note=tree.note,
            files=len(changed),
            shows=any(_may_show(path, places) for path in kinds),
            changes_program=any(path.startswith(_PROGRAMS) for path in kinds),
            evals=eval_changes,
            guidelines=guidelines,
            models=models,
            version=version,
            stale=stale,
            data=difference,
            other=other,
            unread=sorted(set(new.unread) - set(old.unread)),
            checks=None if checks is None else suites.read_check_results(checks, both[1].names),
        )


def _is_described_record(inside: str | None, described: set[str]) -> bool:
    """Return whether another part covers a file, whose path in the data folder is ``inside``."""
    if inside is None or inside in described:
        return inside is not None
    folder, *names = inside.split("/")
    is_hidden = any(name.startswith(".") for name in names)
    end = _RECORD_PLACES.get(folder)
    return end is not None and len(names) == 3 and inside.endswith(end) and not is_hidden  # noqa: PLR2004 - maker, model and file


def _may_show(path: str, places: revisions.Places) -> bool:
    """Return whether the site may show the content of a file."""
    inside = places.find_in_evals(path)
    if inside is not None:
        return inside not in _NOT_SHOWN and not inside.endswith(_SURVIVORS)
    if places.find_in_data(path) is not None:
        return True
    return any(path == part or path.startswith(f"{part}/") for part in SITE_PATHS)


def format_headline(change: RevisionChange, writer: DescriptionWriter) -> str:
    """Return the numbers of all changes in one line; details are in the tables."""
    subject = "Merging" if change.is_merge else writer.write_name(change.after)
    stale = change.stale
    sections = format_count(len(change.guidelines.sections) if change.guidelines else 0, "section")
    is_defined = change.version is not None and change.version.is_new_definition
    numbers = {
        f"{format_count(len(change.evals), 'eval')} changed": len(change.evals),
        f"{sections} of the guidelines changed": change.guidelines is not None,
        f"{format_count(len(change.models), 'model')} changed": len(change.models),
        "refused, as the guidelines are about held-out evals": change.guidelines is not None
        and bool(change.guidelines.shared),
        "1 benchmark version defined": is_defined,
        f"{format_count(len(change.other), 'other file')} changed": len(change.other),
        f"{format_count(stale.number, 'published verdict')} stale": stale.number,
        # Zero unless all verdicts depend on a changed file.
        f"up to {format_count(stale.at_most, 'published verdict')} stale": stale.at_most,
    }
    clauses = [clause for clause, number in numbers.items() if number]
    clauses += description.list_data_clauses(change.data)
    if change.unread:
        number = format_count(len(change.unread), "file")
        clauses.append(f"{number} cannot be used, so a part of the changes is not known")
    if not change.files:
        clauses = ["no published result and no report changed"]
    if not change.shows:
        clauses.append("nothing that the site shows changes")
    return f"{subject}: {'; '.join(clauses or ['nothing that counts changed'])}."


def describe_revisions(change: RevisionChange, writer: DescriptionWriter) -> Iterator[str]:
    """Yield all parts of a description, most important first."""
    if change.note is not None:
        yield change.note
    rows: list[Row] = [
        [writer.write_name(file.path), writer.write_name(file.reason)] for file in change.unread
    ]
    yield from writer.write_table("Files that cannot be used", ["file", "reason"], rows)
    yield from _describe_evals(change, writer)
    if change.guidelines is not None:
        rows: list[Row] = []
        for section in change.guidelines.sections:
            name = "outside of all sections"
            if section.slug is not None:
                is_removed = section.kind is ChangeKind.REMOVED
                page = None if is_removed else build_section_href(section.slug)
                name = writer.write_name(section.slug, page)
            before, after = map(_show_tokens, section.tokens)
            rows.append(
                [
                    name,
                    section.kind,
                    "none" if section.kind is ChangeKind.ADDED else before,
                    "none" if section.kind is ChangeKind.REMOVED else after,
                    writer.join_names(section.evals, description.MOST_IN_CELL),
                ]
            )
        rows.append(["all of the text", "", *map(_show_tokens, change.guidelines.tokens), ""])
        head = ["section", "", "tokens before", "tokens after", "evals that exercise it"]
        yield from writer.write_table("Guidelines", head, rows)
        rows = [
            [writer.write_name(name), writer.write_name(text)]
            for name, text in change.guidelines.shared
        ]
        head = ["held-out eval", "shared words"]
        yield from writer.write_table("Refused: guidelines about held-out evals", head, rows)
        if change.guidelines.counts_are_stale:
            file = writer.write_name("guidelines.tokens.json")
            command = writer.write_name("leaderboard suite show --write")
            yield f"{file} does not have the counts of this text: {command} writes it anew."
    rows: list[Row] = []
    published = {run.model.slug for run in change.data.after.runs.values()}
    for model in change.models:
        # Only a model with a run has a page.
        page = build_model_path(model.slug) if model.slug in published else None
        name = writer.write_name(model.slug, page)
        if model.kind is not ChangeKind.CHANGED:
            kind = "can be asked" if model.is_askable else "only described"
            rows.append([name, f"{model.kind}, {kind}", "", ""])
        for changed in model.fields:
            field, *values = map(writer.write_name, (changed.field, changed.before, changed.after))
            rows.append([name, f"changed: {field}", *values])
    yield from writer.write_table("Models", ["model", "", "before", "after"], rows)
    if change.version is not None:
        yield _describe_version(change.version, writer)
        if change.changes_program:
            yield (
                "Version and stale verdicts are computed by the program as it is here: files of it "
                "change, too, and may give others."
            )
    yield from _describe_stale(change, writer)
    yield from description.describe_data(change.data, writer)
    rows = [[writer.write_name(file.path), file.kind] for file in change.other]
    yield from writer.write_table("Other files, which nothing above describes", ["file", ""], rows)
    relation = "merged into" if change.is_merge else "compared with"
    yield f"{writer.write_name(change.after)} {relation} {writer.write_name(change.before)}."


def _describe_evals(change: RevisionChange, writer: DescriptionWriter) -> Iterator[str]:
    rows: list[Row] = []
    for each in change.evals:
        has_page = each.kind is not ChangeKind.REMOVED and each.title is not None
        page = build_eval_path(each.name) if has_page else None
        parts = f": {', '.join(each.parts)}" if each.parts else ""
        counts = each.variants
        row = [
            writer.write_name(each.name, page),
            f"{each.kind}{parts}",
            *((str(counts.right), str(counts.wrong)) if counts else ("", "")),
            str(change.stale.by_eval.get(each.name, 0)),
        ]
        if change.checks is not None:
            result = change.checks.evals.get(each.name)
            words = "" if each.kind is ChangeKind.REMOVED else "no results"
            if result is not None:
                left_out = f", {result.left_out} left out" if result.left_out else ""
                words = f"{result.right} right, {result.wrong} wrong{left_out}"
            row.append(words)
        rows.append(row)
    head = ["eval", "", "right variants", "wrong variants", "stale verdicts"]
    if change.checks is not None:
        head.append("suite check, as computed by this pull request")
    yield from writer.write_table("Evals", head, rows)
    if rows and change.checks is not None and change.checks.fault is not None:
        yield f"No results of {writer.write_name('suite check')}: {change.checks.fault}."


def _show_tokens(number: int | None) -> str:
    return "not known" if number is None else f"{number}"


def _describe_version(version: records.SuiteVersionChange, writer: DescriptionWriter) -> str:
    """Return the benchmark version of the suite, and the command that mints it."""
    if version.after is None:
        return "The benchmark version of the suite is not known: a part of it cannot be used."
    after = writer.write_name(version.after)
    if version.before == version.after:
        words = f"The suite stays benchmark version {after}."
    elif version.before is None:
        words = f"The suite becomes benchmark version {after}."
    else:
        before = writer.write_name(version.before)
        words = f"The suite becomes benchmark version {after}, which was {before} before."
    if version.contradicts:
        return f"{words} The definition of this version describes another suite, so no run has it."
    if version.minted:
        return (
            f"{words} {'This change mints it.' if version.is_new_definition else 'It is minted.'}"
        )
    command = writer.write_name("leaderboard suite mint")
    file = writer.write_name(f"data/benchmarks/{version.after}.json")
    return (
        f"{words} It is not minted: a maintainer calls {command} after the merge and commits "
        f"{file}, before runs of it are published."
    )


def _describe_stale(change: RevisionChange, writer: DescriptionWriter) -> Iterator[str]:
    """Yield the numbers of stale verdicts, and the command that replaces them."""
    stale = change.stale
    if stale.toolchain:
        files = writer.join_names(stale.toolchain, _MOST_FILES)
        yield (
            f"All verdicts depend on {files}: up to {stale.at_most} published ones become stale, "
            "as far as they are not stale already."
        )
    regraded = stale.number - stale.other_questions
    if regraded:
        since = change.commit[:12]
        command = "suite mint" if change.version else f"regrade --all --since {since}"
        command = writer.write_name(f"leaderboard {command} --why TEXT")
        yield f"{command} grades {format_count(regraded, 'stale verdict')} again."
    if stale.other_questions:
        verdicts = format_count(stale.other_questions, "stale verdict")
        yield (
            f"{verdicts} cannot be graded again: the suite asks "
            "other questions than their runs answered (evals, tasks or guidelines differ), so "
            "their models have to be asked again."
        )


def build_revision_values(change: RevisionChange) -> Mapping[str, Any]:
    """Return the differences between two revisions as values for JSON; nothing is left out."""
    return description.build_data_values(change.data) | {
        "headline": format_headline(change, TextWriter()),
        "before": change.before,
        "after": change.after,
        **{name: to_jsonable_python(getattr(change, name)) for name in _FIELDS_OF_JSON},
        "suite_check": to_jsonable_python(change.checks),
    }
