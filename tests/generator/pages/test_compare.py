"""Models and attempts on the pages of comparisons, categories, changes and runs."""

import json
from dataclasses import replace

import pytest

from generator.blocks.attempt_rows import describe_fault
from generator.blocks.attributions import Attribution
from generator.blocks.matrix_cells import EvalStanding
from generator.blocks.shares import describe_comparison
from generator.exports.comparison_files import make_comparison_files, make_elsewhere_file
from generator.pages.compare import build_compare_page
from generator.pages.leaderboard import build_category_page
from generator.render.templates import Row
from records.runs.failure_words import FailureWords
from records.shapes.attempt import Fault, FaultClass, StepName
from tests.generator.contexts import (
    build_published,
    change_values,
    gather_published_site,
    render_tree,
)
from tests.generator.pages.test_evals import PUBLISHED
from tests.generator.scores.making import make_against

pytestmark = pytest.mark.unit

_NOISE = make_against(0.076, (-0.008, 0.155), better=6, p_value=0.4, uncorrected=0.2)


def test_a_sentence_states_only_facts() -> None:
    """The common standard gives chance, chance among many pairs, more than chance, or too few."""
    minus = "\N{MINUS SIGN}"
    assert describe_comparison(_NOISE, 66) == (
        "{one} does better than {other} on 6 and worse on 1 of 66 evals."
        f" The difference in score, +7.6 points ({minus}0.8 to +15.5), may be chance."
    )
    apart = make_against(0.2, (0.1, 0.3), better=9, worse=0, p_value=0.01, uncorrected=0.002)
    assert describe_comparison(apart, 66).endswith("is more than chance.")
    assert "on 9 and worse on none of 66 evals." in describe_comparison(apart, 66)
    many = make_against(0.1, (0.02, 0.2), better=3, p_value=0.3, uncorrected=0.03)
    assert describe_comparison(many, 66).endswith("may be chance, because many are compared.")
    turned = make_against(0.1, (-0.1, 0.2), better=3, worse=5, uncorrected=0.4)
    assert describe_comparison(turned, 66).endswith("because the fewer leads are larger.")
    few = make_against(0.2, (-0.3, 0.6), worse=0, uncorrected=0.5, evals=5)
    assert describe_comparison(few, 5).endswith("5 evals are too few to say more.")
    same = make_against(0.0, (-0.1, 0.1), better=0, worse=0)
    assert describe_comparison(same, 66) == (
        "{one} and {other} do equally well on every eval. Their scores are the same."
    )


def test_a_model_ahead_in_points_but_on_fewer_evals_has_the_reason_beside_it() -> None:
    """Its leads are larger, as the difference in points is their sum; else no reason is there."""
    page = build_published(build_compare_page, PUBLISHED)
    ranking = page.rankings[0]
    against = make_against(0.048, (-0.1, 0.2), better=9, worse=10)
    for shown, has_reason in ((against, True), (replace(against, better=10), False)):
        changed = change_values(ranking, pairs=[change_values(ranking.pairs[0], against=shown)])
        text = (
            render_tree(change_values(page, rankings=[changed])).css("table.neighbours")[0].text()
        )
        assert ("ahead in points but on fewer evals" in text) == has_reason


def test_failed_attempts_are_counted_by_step() -> None:
    """Each failed attempt of counting runs is under one step, in the order of grading."""
    site, board = gather_published_site(), gather_published_site().leaderboards[PUBLISHED]
    files = dict(make_comparison_files(site, board))
    steps = json.loads(files["compare/evals.json"])["steps"]
    assert steps == [*StepName, "step not published"]
    for entry in board.entries:
        counts = json.loads(files[f"compare/{entry.key}.json"])
        assert len(counts["steps"]) == len(steps)
        passed = sum(run.tally.passed for run in entry.runs)
        assert counts["attempts"] - sum(counts["steps"]) == passed


def test_why_an_answer_failed_is_reported_once() -> None:
    """The text has the step, the reason, and the report's note unless it repeats the reason."""
    attribution = Attribution("known gap", "g", "literal widening", "reports/", published=False)
    words = FailureWords(None, "literal widening")
    standing = EvalStanding(
        0, 1, "deploy", words, attribution, "runs/", "reports/", publisher=False
    )
    assert standing.explanation == "deploy: literal widening (known gap)"
    imported = standing._replace(publisher=True).explanation
    assert imported == "deploy, by its publisher: literal widening (known gap)"
    unsaid = standing._replace(why=None)
    assert unsaid.explanation == "deploy (known gap: literal widening)"
    assert unsaid._replace(step=None, attribution=None).explanation == "step not published"


def test_a_cell_of_a_category_counts_attempts() -> None:
    """A model that was asked three times and passed twice has 2 of 3."""
    page = build_category_page(
        gather_published_site(), gather_published_site().leaderboards[PUBLISHED], "003-mutations"
    )
    rows = {entry.newest.name: shares for group in page.groups for entry, _, shares in group.rows}
    shares = rows["Gemini 3 Flash Preview"]
    assert {share.judged for share in shares} == {3}
    assert any(0 < share.passed < 3 and share.passed == int(share.passed) for share in shares)


def test_a_fault_is_reported_in_words() -> None:
    """No class of fault is shown in the form of the record."""
    for kind in FaultClass:
        words, _, evidence = describe_fault(Fault(kind=kind, evidence="seen")).partition(": ")
        assert evidence == "seen"
        assert " " in words
        assert "_" not in words


def test_models_asked_both_ways_stand_in_a_sentence_for_each_kind_of_page() -> None:
    """Pages with both answers come first; each name appears once, and no sentence is empty."""
    page = build_published(build_compare_page, PUBLISHED)
    first, other, third = (
        Row(path=f"{name}/", after=Row(name=name), shows_answers=name != "B") for name in "ABC"
    )
    for both_ways, expected in (
        (
            [first, other, third],
            [", with answers side by side: A, C.", ": B."],
        ),
        ([other], [": B."]),
    ):
        sentences = [
            " ".join(paragraph.text().split())
            for paragraph in render_tree(change_values(page, both_ways=both_ways)).css(
                "#both-ways ~ p"
            )
            if "The newest runs" in paragraph.text()
        ]
        ends = [text.rpartition(" another")[2] for text in sentences]
        assert ends == expected


def test_models_of_other_versions_are_known_by_where_they_stand() -> None:
    """Each model with a run is in the file, with every version that counts a run, newest first."""
    site = gather_published_site()
    content = make_elsewhere_file(site)
    models = json.loads(content)
    assert models.keys() >= site.by_model.keys()
    for board in site.leaderboards.values():
        at = [f"{site.find_version_folder(board.version)}compare/", site.titles[board.version]]
        having = {key for key, (_, _, versions) in models.items() if at in versions}
        assert having == {entry.key for entry in board.entries}
