"""The evals of which a run has answers in a version, and whether they are enough."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.runs import standing
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.suites.levels import Level
from tests.records import examples

pytestmark = pytest.mark.unit

VERSION = examples.make_benchmark(40)
NAMES = tuple(VERSION.evals)


@given(missing=st.sets(st.sampled_from(NAMES), max_size=10), stranger=st.booleans())
def test_enough_is_a_share_of_the_version_and_of_each_category(
    missing: set[str], *, stranger: bool
) -> None:
    """Both limits belong to the shares that are enough; evals of other versions do not count."""
    present = {*NAMES} - missing
    shares = [Fraction(len(present), len(NAMES)) >= Fraction(standing.PERCENT_OF_VERSION, 100)]
    for category in {name.partition("/")[0] for name in NAMES}:
        of_category = [name for name in NAMES if name.startswith(f"{category}/")]
        share = Fraction(len(present & {*of_category}), len(of_category))
        shares.append(share >= Fraction(standing.PERCENT_OF_CATEGORY, 100))
    strangers = {"900-other/000-eval"} if stranger else set[str]()
    assert standing.is_enough(present | strangers, VERSION) is all(shares)


def test_hard_evals_may_be_missing_as_a_level() -> None:
    """A run keeps its standing without any of them, but not if it lacks others beside."""
    hard = {*NAMES[::5]}
    levels = {name: Level.HARD if name in hard else Level.STANDARD for name in NAMES}
    levelled = VERSION.model_copy(update={"levels": levels})
    easier = [name for name in NAMES if name not in hard]
    assert tuple(standing.leave_hard_out(levelled).evals) == tuple(easier)
    assert standing.leave_hard_out(VERSION) == VERSION
    assert standing.is_enough_of_levels(easier, levelled)
    assert not standing.is_enough_of_levels(easier, VERSION)
    assert not standing.is_enough_of_levels(easier[:-8], levelled)


def change_task(name: str) -> Benchmark:
    """Return a version in which an eval has another task."""
    digests = VERSION.evals[name].model_copy(update={"task": examples.make_digest("b")})
    return VERSION.model_copy(update={"evals": {**VERSION.evals, name: digests}})


def under(experiment: str) -> Run:
    """Return a run over all evals under an experiment."""
    run = examples.make_run(evals=40)
    changed = run.experiment.model_copy(update={"name": experiment})
    return run.model_copy(update={"experiment": changed})


def test_only_another_question_is_left_out() -> None:
    """Another task or none, or one that was not published, is another question; a judge is not."""
    run, rest = under(NO_GUIDELINES), NAMES[1:]
    assert standing.list_same_questions(run, VERSION, VERSION) == NAMES
    assert standing.list_same_questions(run, VERSION, change_task(NAMES[0])) == rest
    assert standing.list_same_questions(run, change_task(NAMES[0]), VERSION) == rest
    gone = {name: VERSION.evals[name] for name in rest}
    assert (
        standing.list_same_questions(run, VERSION, VERSION.model_copy(update={"evals": gone}))
        == rest
    )
    unknown = VERSION.evals[NAMES[0]].model_copy(update={"task": None})
    unpublished = VERSION.model_copy(update={"evals": gone | {NAMES[0]: unknown}})
    assert standing.list_same_questions(run, unpublished, unpublished) == rest
    judge = VERSION.evals[NAMES[0]].model_copy(update={"grader": examples.make_digest("b")})
    mended = VERSION.model_copy(update={"evals": gone | {NAMES[0]: judge}})
    assert standing.list_same_questions(run, VERSION, mended) == NAMES


def test_packages_are_part_of_each_question_and_guidelines_of_a_condition() -> None:
    """A run that was sent no guidelines, or others, does not depend on those of the suite."""
    other = VERSION.model_copy(update={"guidelines": examples.make_digest("b")})
    assert standing.list_same_questions(under(DEFAULT), VERSION, other) == ()
    assert standing.list_same_questions(under(NO_GUIDELINES), VERSION, other) == NAMES
    framed = VERSION.model_copy(update={"system_prompt": examples.make_digest("b")})
    assert standing.list_same_questions(under(NO_GUIDELINES), VERSION, framed) == ()


def test_an_outdated_answer_counts_again_with_its_question() -> None:
    """A task that gets its old words back has the old answers."""
    run = under(NO_GUIDELINES)
    first, *rest = run.attempts
    moved = {"planned": NAMES[1:], "attempts": tuple(rest), "outdated": (first,)}
    run = Run.model_validate(dict(run) | moved)
    assert standing.list_same_questions(run, VERSION, VERSION) == NAMES
