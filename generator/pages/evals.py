"""The page of one eval, and the list of all: what they ask and how well they measure."""

from generator.contexts.evals import (
    EvalPage,
    HealthGroup,
    HealthLine,
    HealthPage,
    Measure,
)
from generator.contexts.shared import Link, Share
from generator.pages.boards import Board
from generator.pages.material import Material
from generator.pages.matrix import asked, solved_note
from generator.pages.names import category, category_of, eval_path, frame
from generator.pages.rows.fields import field_rows, fields_at
from generator.pages.rows.notes import note_lines, notes_on
from generator.pages.table import version
from generator.scores.health import Health
from generator.scores.inputs import SET_ASIDE


def eval_page(material: Material, name: str) -> EvalPage:
    """Gather the page of the eval called ``name``."""
    texts = material.texts.get(name)
    title = texts.title if texts else None
    having = [board for board in material.boards.values() if name in board.benchmark.evals]
    around = frame(
        title or name,
        eval_path(name),
        texts.concept if texts else f"How models fare at the eval {name}.",
    )
    fields = fields_at(name, material.met.get(name, ()))
    front = having[0] if having else None
    key = category_of(name)
    notes = list(notes_on(material, name))
    return EvalPage(
        frame=around,
        name=name,
        title=title,
        category=category(key),
        category_href=f"{material.place(front.version)}categories/{key}/" if front else "evals/",
        concept=texts.concept if texts else None,
        why=texts.why if texts else None,
        task=texts.task if texts else None,
        sections=texts.guidelines if texts else (),
        versions=[
            Link(material.version_href(one.version), material.titles[one.version]) for one in having
        ],
        measures=measures(material, name),
        rows=field_rows(material, around.root, name, fields),
        blamed=len(notes),
        notes=note_lines(around.root, notes),
    )


def measures(material: Material, name: str) -> list[Measure]:
    """Return how an eval measures in each version, as scores of versions are never mixed."""
    return [
        Measure(
            version=Link(material.version_href(board.version), material.titles[board.version]),
            share=_share(found),
            correlation=found.correlation,
            flips=found.flips,
            chances=found.chances_to_flip,
            note=solved_note(found),
        )
        for board in material.boards.values()
        if (found := board.health.get(name))
    ]


def health_page(material: Material, board: Board) -> HealthPage:
    """Gather the list of the evals of ``board``."""
    place = material.place(board.version)
    aside = _aside(material, board)
    title = material.titles[board.version]
    groups = [
        HealthGroup(
            category(key), [_line(material, board, name, aside) for name in board.evals(key)]
        )
        for key in board.categories()
    ]
    return HealthPage(
        frame=frame(
            "Evals",
            f"{place}evals/",
            f"The {len(board.evals())} evals of {title}, and how they measure.",
            "" if place else "evals",
        ),
        version=version(material, board, "evals/"),
        models=asked(board),
        groups=groups,
    )


def _line(material: Material, board: Board, name: str, aside: dict[str, int]) -> HealthLine:
    texts = material.texts.get(name)
    health = board.health.get(name)
    return HealthLine(
        name=name,
        title=texts.title if texts else None,
        href=eval_path(name),
        share=_share(health) if health else None,
        flips=health.flips if health else 0,
        correlation=health.correlation if health else None,
        blamed=aside.get(name, 0),
        note=solved_note(health) if health else "",
    )


def _share(health: Health) -> Share:
    return Share(round(sum(health.rates), 9), health.models)


def _aside(material: Material, board: Board) -> dict[str, int]:
    """Count the failures at each eval that reports do not hold against the model."""
    found: dict[str, int] = {}
    for filed in material.corpus.reports:
        for failure in filed.report.failures if filed.report.run in board.runs else ():
            if failure.failure_class in SET_ASIDE:
                found[failure.eval] = found.get(failure.eval, 0) + 1
    return found
