"""The tables of a description about the suite and the models."""

from collections.abc import Iterator

from generator.diff.markdown_text import SiteLinks, format_code
from generator.facts.urls import build_eval_path, build_model_path, build_section_href
from leaderboard.changes.checkout import ChangeKind
from leaderboard.changes.description import RevisionChange
from leaderboard.changes.guidelines import SectionChange
from leaderboard.changes.markdown_tables import Row, TableWriter, join_names
from leaderboard.changes.suites import EvalChange


def list_evals(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield a table of the evals that differ."""
    if not change.evals:
        return
    head = ["eval", "", "right variants", "wrong variants", "stale verdicts"]
    if change.checks is not None:
        head.append("suite check, as computed by this pull request")
    yield from tables.write(
        "Evals",
        head,
        [_write_eval_row(eval_change, change, tables.links) for eval_change in change.evals],
    )
    if change.checks is not None and change.checks.fault is not None:
        yield f"No results of {format_code('suite check')}: {change.checks.fault}."


def _write_eval_row(eval_change: EvalChange, change: RevisionChange, links: SiteLinks) -> Row:
    name, counts = eval_change.name, eval_change.variants
    has_page = eval_change.kind is not ChangeKind.REMOVED and eval_change.title is not None
    page = links.make_link(name, build_eval_path(name)) if has_page else format_code(name)
    parts = f": {', '.join(eval_change.parts)}" if eval_change.parts else ""
    variants = [str(counts.right), str(counts.wrong)] if counts else ["", ""]
    stale = "not known" if change.stale is None else str(change.stale.by_eval.get(name, 0))
    row = [page, f"{eval_change.kind}{parts}", *variants, stale]
    if change.checks is not None:
        row.append(_describe_check(eval_change, change))
    return row


def _describe_check(eval_change: EvalChange, change: RevisionChange) -> str:
    result = change.checks.evals.get(eval_change.name) if change.checks else None
    if result is None:
        return "" if eval_change.kind is ChangeKind.REMOVED else "no results"
    left_out = f", {result.left_out} left out" if result.left_out else ""
    return f"{result.right} right, {result.wrong} wrong{left_out}"


def list_sections(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield a table of the sections of the guidelines that differ."""
    guidelines = change.guidelines
    if guidelines is None:
        return
    rows = [_write_section_row(section, tables.links) for section in guidelines.sections]
    rows.append(["all of the text", "", *map(_show_tokens, guidelines.tokens), ""])
    head = ["section", "", "tokens before", "tokens after", "evals that exercise it"]
    yield from tables.write("Guidelines", head, rows)
    if guidelines.counts_are_stale:
        file, command = (
            format_code("guidelines.tokens.json"),
            format_code("leaderboard suite guidelines --write"),
        )
        yield f"{file} does not have the counts of this text: {command} writes it anew."


def _write_section_row(section: SectionChange, links: SiteLinks) -> Row:
    name = "outside of all sections"
    if section.slug is not None:
        is_removed = section.kind is ChangeKind.REMOVED
        name = (
            format_code(section.slug)
            if is_removed
            else links.make_link(section.slug, build_section_href(section.slug))
        )
    before, after = map(_show_tokens, section.tokens)
    return [
        name,
        section.kind.value,
        "none" if section.kind is ChangeKind.ADDED else before,
        "none" if section.kind is ChangeKind.REMOVED else after,
        join_names(section.evals),
    ]


def list_models(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield a table of the models that differ, with a row for each field."""
    rows: list[Row] = []
    published = {run.model.slug for run in change.data.after.runs.values()}
    for model in change.models:
        name = format_code(model.slug)
        if model.slug in published:  # only a model with a run has a page
            name = tables.links.make_link(model.slug, build_model_path(model.slug))
        if model.kind is not ChangeKind.CHANGED:
            kind = "can be asked" if model.is_askable else "only described"
            rows.append([name, f"{model.kind}, {kind}", "", ""])
        rows += [
            [
                name,
                f"changed: {format_code(changed_field.field)}",
                format_code(changed_field.before),
                format_code(changed_field.after),
            ]
            for changed_field in model.fields
        ]
    yield from tables.write("Models", ["model", "", "before", "after"], rows)


def _show_tokens(number: int | None) -> str:
    return "not known" if number is None else f"{number}"
