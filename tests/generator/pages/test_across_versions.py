"""Models of two versions: compared over evals with equal digests, else with the reason why not."""

from pathlib import Path

import pytest

from generator.pages.compare import build_compare_page
from generator.render.templates import PageContext
from generator.scores.shared_evals import Unequal, find_shared_evals
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.suites.benchmark import Benchmark
from records.writer import write_record, write_run
from tests.generator.contexts import change_values, gather_published_site, gather_site, render_tree
from tests.records import examples

pytestmark = pytest.mark.unit

NEW, OLD = "feedfacecafe", "0123456789ab"
EVALS = 24


def make_newer_version(evals: int) -> Benchmark:
    """Return the newer version, with other graders for the first ``evals`` evals."""
    made = examples.make_benchmark(EVALS)
    digests = {
        name: eval_digests.model_copy(update={"grader": examples.make_digest("9")})
        if number < evals
        else eval_digests
        for number, (name, eval_digests) in enumerate(made.evals.items())
    }
    return made.model_copy(update={"version": NEW, "evals": digests})


def compare_with_older(root: Path, newer: Benchmark) -> PageContext:
    """Return the page of the newer version, with the other versions.

    Model a of the newer version passes all; model b of the older version fails every second eval.
    """
    data = examples.write_runs(DataFolder(root), evals=EVALS)
    write_record(data.benchmarks, newer)
    for letter, version in (("a", NEW), ("b", OLD)):
        made = examples.make_run(letter * 32, EVALS, benchmark_version=version)
        attempts = (
            examples.make_attempt(
                name, outcome=Outcome.FAILED if letter == "b" and number % 2 else Outcome.PASSED
            )
            for number, name in enumerate(made.planned)
        )
        made = examples.with_model(made, slug=f"maker/{letter}", name=letter)
        write_run(data, examples.with_attempts(made, attempts))
    site = gather_site(data)
    return build_compare_page(site, site.leaderboards[NEW])


def test_models_are_compared_over_the_evals_that_are_the_same(tmp_path: Path) -> None:
    """Four evals of 24 were changed: 20 remain, of which the older model fails ten."""
    (other,) = compare_with_older(tmp_path, make_newer_version(4)).across
    assert (other.shared.unequal, other.first_share.judged) == (None, 20)
    assert other.first.name == "a"
    (line,) = other.lines
    assert (line.run.name, line.share.passed, line.share.judged) == ("b", 10, 20)
    assert line.difference.points == -50
    assert line.conclusion == "worse"
    assert line.difference.real


@pytest.mark.parametrize(
    ("newer", "why_not"),
    [
        (make_newer_version(EVALS - 2), "2 of them are the same, which are too few."),
        (
            make_newer_version(4).model_copy(update={"guidelines": examples.make_digest("9")}),
            (
                "20 of them are the same, but the prompt, the guidelines or the rules of grading"
                " differ."
            ),
        ),
        (
            make_newer_version(4).model_copy(update={"system_prompt": None}),
            "whether they are the same is not known, since digests were not published.",
        ),
    ],
)
def test_changed_evals_are_not_compared(tmp_path: Path, newer: Benchmark, why_not: str) -> None:
    """The reason replaces the table, with the number of evals that both versions have."""
    # The lists of models are there if a version has two models.
    page = change_values(compare_with_older(tmp_path, newer), choices=[("a", "A"), ("b", "B")])
    (line,) = render_tree(page).css("#across ~ p:not(.note)")
    start = "1 model cannot be compared. 24 evals have the same name in both versions; "
    assert line.text().partition(": ")[2] == start + why_not


def test_digests_that_nobody_knows_are_not_equal() -> None:
    """Two published versions both lack digests, so no eval counts as the same."""
    versions = gather_published_site().summaries.benchmarks
    first, second = versions["convex-evals-66-dbe4c5df"], versions["convex-evals-74-166a9843"]
    shared = find_shared_evals(first, second)
    assert (shared.named, shared.equal, shared.unequal) == (66, (), Unequal.NO_DIGESTS)
