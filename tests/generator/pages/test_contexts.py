"""Templates and contexts are one contract: declared fields are used, used fields are declared."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from jinja2 import Environment, meta, nodes
from jinja2.compiler import CodeGenerator

from generator.pages.leaderboard import BOTH, build_table_page
from generator.read.site_settings import read_settings
from generator.render import templates
from generator.scores.agreement import LEAST_UNITS
from generator.scores.differences.difference import FEWEST_EVALS
from generator.scores.health import FEWEST_MODELS
from generator.site_data import build_site_parts
from generator.site_pages import list_site_pages
from records.files.data_folder import DataFolder
from records.reader import read_benchmark
from records.shapes.attempt import CarriedOver, Outcome
from records.suites.benchmark import compute_texts_digest
from records.writer import write_record, write_run
from tests.generator import contexts
from tests.generator.pages.approved import check_approved, read_page_text
from tests.records.examples import (
    NOON,
    make_attempt,
    make_benchmark,
    make_imported,
    make_run,
    with_model,
)
from tests.records.sessions.audits import make_audit, make_audit_item, make_status_event
from tests.site.corpus import VERSION, write_corpus

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
TEMPLATES = ROOT / "site_templates"
_APPROVED_OF_A_KIND = 12
_GIVEN = {"site", "assets"}
"""The variables that every template may use beside its page's fields."""


class _Recording(Environment):
    """An environment that records the values of rows that templates ask for."""

    used: ClassVar[defaultdict[frozenset[str], set[str]]] = defaultdict(set)
    """The values asked for, by the names of all values of a row."""

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - Jinja2's own signature
        if isinstance(obj, templates.Row):
            self.used[frozenset(vars(obj))].add(attribute)
        return super().getattr(obj, attribute)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A corpus that gives rise to every kind of page."""
    data = DataFolder(tmp_path_factory.mktemp("data"))
    write_corpus(data)
    write_record(
        data.audits,
        make_audit(*(make_audit_item(number, reviewers=2) for number in range(LEAST_UNITS))),
    )
    write_record(
        data.audits, make_audit(make_audit_item(LEAST_UNITS), audit_id="9fdfa625ac2f-8", seed=8)
    )
    for number in range(LEAST_UNITS):
        events = [
            make_status_event("correct" if number else "golden", reviewer=reviewer)
            for reviewer in ("p1", "p2")
        ]
        log = data.labels.get_file(make_audit_item(number).session)
        log.parent.mkdir(exist_ok=True)
        log.write_text("".join(f"{event.model_dump_json()}\n" for event in events))
    _measure_elsewhere(data)
    _send_the_text(data)
    _await_a_verdict(data)
    _carry_over(data)
    _choose_evals(data)
    return data


@pytest.fixture(scope="module")
def every(
    corpus: DataFolder, tmp_path_factory: pytest.TempPathFactory
) -> list[templates.PageContext]:
    """Return the pages of the corpus, and those of a site before there are records.

    Tables over a part of the evals are only on a site that shows local runs.
    """
    return [
        *contexts.gather_contexts(corpus),
        *(
            build_table_page(part, board, BOTH)
            for part in build_site_parts(contexts.gather_site(corpus), ())
            for board in part.leaderboards.values()
        ),
        *contexts.gather_contexts(DataFolder(tmp_path_factory.mktemp("begun"))),
    ]


def _measure_elsewhere(data: DataFolder) -> None:
    """Write an older version of other publishers, with runs of models that only it measured.

    The models are enough to show which evals separate models; an eval is passed by a single model.
    The evals are enough to compare the newest model with the models before it.
    """
    origin = {"minted_at": None, "source": "https://elsewhere.test/"}
    older = make_benchmark(FEWEST_EVALS, version="deadbeef0123", **origin)
    write_record(data.benchmarks, older)
    for number in range(FEWEST_MODELS):
        passes = (number < 5, number % 3 == 0, number == 0, *[True] * (FEWEST_EVALS - 3))
        source = make_imported(
            source="get-convex/convex-evals@0123456:reports/a.md",
            source_digest="0" * 64,
            corrected_passed=None if number else 1,
        )
        made = make_run(
            f"{number}".rjust(32, "e"),
            FEWEST_EVALS,
            benchmark_version=older.version,
            provenance=source,
            attempts=tuple(
                make_attempt(name, outcome=Outcome.PASSED if passed else Outcome.FAILED)
                for name, passed in zip(older.evals, passes, strict=True)
            ),
        )
        write_run(
            data,
            with_model(made, slug=f"maker/elsewhere-{number}", name=f"Elsewhere {number}"),
        )
    # A version of the same evals with a model that the older version lacks.
    write_record(data.benchmarks, older.model_copy(update={"version": "cafe01234567"}))
    alone = make_run("f" * 32, FEWEST_EVALS, benchmark_version="cafe01234567")
    write_run(data, with_model(alone, slug="maker/alone", name="Alone"))


def _send_the_text(data: DataFolder) -> None:
    """Write a version with the guidelines of now, and describe some models."""
    guidelines = (ROOT / "evals" / "guidelines.md").read_text("utf-8")
    version = read_benchmark(data.benchmarks.get_file(VERSION))
    digests = {"guidelines": compute_texts_digest(guidelines)}
    write_record(data.benchmarks, version.model_copy(update=digests))
    described = "".join(
        f'\n[[described]]\nslug = "maker/elsewhere-{number}"\nname = "Elsewhere {number}"\n'
        f'provider = "Maker"\neffort = "high"\nfamily = "Elsewhere"\n'
        f"released = 2026-01-0{number + 1}\nretires = 2027-01-01\n"
        for number in range(3)
    )
    listed = (
        '[[models]]\nslug = "maker/asked"\nname = "Asked"\nprovider = "Maker"\n'
        'litellm_id = "gpt-4o"\nweights = "closed"\nweights_source = "https://maker.test/"\n'
    )
    data.models_file.write_text(f"schema_version = 1\n{listed}{described}", "utf-8")


def _await_a_verdict(data: DataFolder) -> None:
    """Write a run without guidelines in which one attempt has no verdict yet."""
    made = with_model(make_run(), slug="maker/waiting", name="Waiting")
    first, *remaining = made.attempts
    spoilt = make_attempt(first.eval, outcome=Outcome.INFRASTRUCTURE)
    write_record(data.benchmarks, make_benchmark())
    for number, (experiment, attempt) in enumerate((("default", first), ("no_guidelines", spoilt))):
        update = {
            "run_id": f"{number}".rjust(32, "w"),
            "experiment": made.experiment.model_copy(update={"name": experiment}),
            "attempts": (attempt, *remaining),
        }
        write_run(data, made.model_copy(update=update))


def _carry_over(data: DataFolder) -> None:
    """Write a run whose first answer comes from an earlier run."""
    made = with_model(make_run("c" * 32), slug="maker/carrier", name="Carrier")
    write_run(data, made)
    first, *remaining = made.attempts
    origin = CarriedOver(run=made.run_id, asked_from=NOON, prompt="0" * 64)
    update = {
        "run_id": "d" * 32,
        "carry_over_days": 90,
        "attempts": (first.model_copy(update={"carried_over": origin}), *remaining),
    }
    write_run(data, made.model_copy(update=update))


def _choose_evals(data: DataFolder) -> None:
    """Write a run over a part of its version's evals."""
    run = make_run("b" * 32, evals=2)
    write_run(data, with_model(run, slug="maker/partial", name="Partial"))


def test_each_template_uses_exactly_the_fields_of_its_page(
    every: list[templates.PageContext],
) -> None:
    """Every variable of a template is a field of its page, and every field is used."""
    env = templates.make_environment(TEMPLATES)
    layout = _find_variables(env, "layout.html")
    wrong: dict[str, set[str]] = {}
    for page in _choose_one_of_each(every):
        declared = {*vars(page)} - {"template", "beside"}
        used = (_find_variables(env, page.template) | layout) - _GIVEN
        if declared != used:
            wrong[page.template] = declared ^ used
    assert wrong == {}


def test_every_value_of_every_row_is_asked_for(
    every: list[templates.PageContext],
) -> None:
    """Rendering every page asks for each value of each kind of row at least once."""
    env = templates.make_environment(TEMPLATES)
    env.__class__, env.code_generator_class = _Recording, CodeGenerator
    _Recording.used.clear()
    shared = {
        "site": read_settings(TEMPLATES),
        "assets": templates.read_assets(TEMPLATES / "assets").paths,
    }
    for page in every:
        templates.render(env, page, **shared)
    # The log of changes is sorted by the day of a change, which stands at the head of the day; the
    # share of hard evals is drawn in a map before pages are rendered.
    unused = {tuple(each): each - used - {"date", "hard"} for each, used in _Recording.used.items()}
    assert len(unused) > 50
    assert not any(unused.values())


def test_pages_of_every_kind_are_as_approved(every: list[templates.PageContext]) -> None:
    """No text of the first pages of a kind changes unseen; texts of the suite are left out."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for page in sorted(every, key=lambda page: page.frame.path):
        is_of_suite = page.frame.path.startswith(("about/", "guidelines/text/"))
        has_task = getattr(page, "texts", None) is not None
        if not is_of_suite and not has_task and len(texts[page.template]) < _APPROVED_OF_A_KIND:
            text = read_page_text(contexts.load_project_templates().render(page))
            texts[page.template].append(f"{page.frame.path}\n{text}\n")
    check_approved("every kind", {template: "".join(pages) for template, pages in texts.items()})


def test_a_page_has_its_listed_address_before_it_is_gathered(corpus: DataFolder) -> None:
    """A preview gathers only the pages that may be the open page."""
    pages = [*list_site_pages(contexts.gather_site(corpus))]
    for page in pages:
        assert templates.get_page_file(page.gather()).startswith(page.below)
    assert len({page.below for page in pages}) > len(pages) / 2


def _choose_one_of_each(every: list[templates.PageContext]) -> Iterator[templates.PageContext]:
    seen: set[str] = set()
    for page in every:
        if page.template not in seen:
            seen.add(page.template)
            yield page
    on_disk = {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.glob("pages/*.html")}
    assert seen == on_disk


def _find_variables(env: Environment, template: str) -> set[str]:
    tree = env.parse((TEMPLATES / template).read_text(encoding="utf-8"))
    # jinja2.meta does not see that blocks know the imports and macros of their template.
    imported = {
        name if isinstance(name, str) else name[1]
        for node in tree.find_all(nodes.FromImport)
        for name in node.names
    }
    macros = {node.name for node in tree.find_all(nodes.Macro)}
    return set(meta.find_undeclared_variables(tree)) - imported - macros
