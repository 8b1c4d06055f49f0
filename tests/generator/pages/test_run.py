"""Pages of runs and attempts: the settings sent to a model, and the shape of the table."""

from itertools import cycle
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.blocks.attempt_rows import describe_settings
from generator.render.templates import PageContext
from generator.run_pages import build_run_contexts
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Generation, Verdict
from records.shapes.registry import Dialect
from records.shapes.run import Run
from tests.generator.contexts import gather_site, render_block, render_tree
from tests.records.examples import (
    NOON,
    make_digest,
    make_generation,
    make_imported,
    make_run,
    with_attempts,
    with_harness,
    with_model,
    write_answers,
    write_runs,
)

pytestmark = pytest.mark.unit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
EVAL = "000-fundamentals/000-dome_functions"
"""An eval of the suite."""


def build_setting_values(made: Run) -> dict[str, str]:
    """Return the settings of a run from its page."""
    return {label: value for label, value in describe_settings(made).items() if value is not None}


def convert_to_import(made: Run) -> Run:
    """Return the same results as another publisher's import: outcomes alone."""
    attempts = tuple(
        attempt.model_copy(
            update=dict.fromkeys(("steps", "tests", "generation", "key", "graded_at"), None)
        )
        for attempt in made.attempts
    )
    made = with_model(made, parameters={}, litellm_id=None)
    return with_attempts(made, attempts, provenance=make_imported(), harness=None)


def test_sent_parameters_are_shown_and_others_are_the_provider_s() -> None:
    """Effort and temperature are on every page of a run, other parameters only if sent."""
    assert build_setting_values(
        with_model(make_run(), parameters={"temperature": 0.5, "seed": None})
    ) == {
        "Asked as": "openai/gpt-example",
        "Prompt": f"the task, with guidelines {make_digest('f')[:12]}",
        "Reasoning effort": "not set, left to the provider",
        "Temperature": "0.5",
        "Output limit": "not set, left to the provider",
        "seed": "null",
    }
    limited = build_setting_values(
        with_model(
            make_run(),
            parameters={"reasoning_effort": "high", "max_tokens": 9000, "stream_thoughts": True},
            max_output_tokens=9000,
        )
    )
    assert limited["Reasoning effort"] == "high"
    assert limited["Output limit"] == "9,000 tokens"
    assert limited["stream_thoughts"] == "true"
    assert "max_tokens" not in limited


def test_what_was_not_sent_is_not_claimed() -> None:
    """A run without guidelines had none in its prompt; a baseline has no provider's defaults."""
    made = make_run()
    bare = made.experiment.model_copy(update={"name": "no_guidelines", "guidelines": None})
    settings = build_setting_values(made.model_copy(update={"experiment": bare}))
    assert settings["Prompt"] == "the task, without guidelines"
    baseline = with_model(make_run(), kind="baseline", litellm_id=None, parameters={})
    assert build_setting_values(baseline) == {
        "Settings": "none: a baseline hands in files, and no model is asked"
    }


def test_a_setting_that_was_sent_otherwise_is_reported_with_both_values() -> None:
    """Parameters added on the way are listed; a parameter that arrived as asked appears once."""
    settings = build_setting_values(
        with_model(
            make_run(),
            parameters={"reasoning_effort": "none", "top_p": 0.5, "thinking_budget": 5},
            sent={
                "generationConfig.thinkingConfig.thinkingLevel": "low",
                "generationConfig.thinkingConfig.includeThoughts": True,
                "generationConfig.temperature": 1.0,
                "generationConfig.topP": 0.5,
                "generationConfig.maxOutputTokens": 4096,
            },
            max_output_tokens=4096,
        )
    )
    assert settings["Reasoning effort"] == "none asked for, low sent"
    assert settings["Temperature"] == "1.0, added on the way, not asked for"
    assert settings["Output limit"] == "4,096 tokens"
    assert settings["top_p"] == "0.5"
    assert settings["thinking_budget"] == "5 asked for, nothing sent"
    assert settings["generationConfig.thinkingConfig.includeThoughts"] == (
        "true, added on the way, not asked for"
    )
    assert not {"generationConfig.topP", "generationConfig.maxOutputTokens"} & settings.keys()


def test_sent_parameters_are_escaped(tmp_path: Path) -> None:
    """Records come from strangers."""
    made = with_model(make_run(), sent={"<b>name</b>": "<script>alert(1)</script>"})
    page, *_ = gather_pages(tmp_path, made)
    tree = render_tree(page)
    facts_shown = [node.text() for node in tree.css(".facts dt, .facts dd")]
    assert "<b>name</b>" in facts_shown
    assert "<script>alert(1)</script>, added on the way, not asked for" in facts_shown
    assert not tree.css(".facts script, .facts b")


def describe_dialect(dialect: Dialect) -> str:
    """Return a dialect in the words of pages."""
    words = render_block("fact_list", dialect, macro="dialect_words")
    return LexborHTMLParser(words).text()


def test_a_dialect_is_reported_part_by_part() -> None:
    """The words name the parts of the usual way that the server refused."""
    dialect = Dialect(system_message=False, limit="max_completion_tokens")
    words = "with the system message in the user's, with the limit as max_completion_tokens"
    assert describe_dialect(dialect) == words
    none = Dialect(stream_options=False, limit="none")
    assert describe_dialect(none) == "without stream_options, without a limit"
    assert describe_dialect(Dialect()) == "in the usual way"


def test_facts_that_a_publisher_left_out_are_marked() -> None:
    """An unknown value is neither a default nor an empty cell."""
    made = convert_to_import(make_run())
    assert build_setting_values(made) == {"Prompt and settings": "not published"}
    settings = build_setting_values(with_model(made, parameters={"temperature": 1}))
    assert settings["Temperature"] == "1"
    assert settings["Reasoning effort"] == settings["Output limit"] == "not published"


def gather_pages(folder: Path, made: Run) -> list[PageContext]:
    """Write a run, and gather the pages of it and of its attempts."""
    site = gather_site(write_runs(DataFolder(folder), made))
    (summary,) = site.summaries.runs
    return [*build_run_contexts(site, summary, made)]


def read_heads(tree: LexborHTMLParser) -> list[str]:
    """Return the names of the columns of attempts."""
    return [head.text() for head in tree.css("table.attempts thead th")]


@pytest.mark.parametrize(
    ("made", "columns", "unknown"),
    [
        (make_run(), ["Tests", "Grading", "Cost"], None),
        (convert_to_import(make_run()), [], "not published"),
    ],
    ids=["measured", "imported"],
)
def test_columns_without_a_value_are_left_out_and_reported_once(
    tmp_path: Path, made: Run, columns: list[str], unknown: str | None
) -> None:
    """An imported run has no amounts; the rows have as many cells as there are heads."""
    page, *_ = gather_pages(tmp_path, made)
    tree = render_tree(page)
    assert read_heads(tree) == ["Eval", "Name", "Outcome", "Step", *columns, "Why"]
    for row in tree.css("table.attempts tbody tr[id]"):
        assert len(row.css("th, td")) == len(read_heads(tree))
    for row in tree.css("table.attempts tr.group th"):
        assert row.attributes["colspan"] == str(len(read_heads(tree)))
    pairs = [[part.text() for part in node.css("dt, dd")] for node in tree.css(".facts div")]
    assert dict(pairs).get("Tests, times, cost") == unknown
    terms = {node.text() for node in tree.css("details.how dt")}
    assert terms == {"Outcome", "Step", *columns, "Why"}


def test_a_run_whose_costs_nobody_knows_is_marked_in_one_row(tmp_path: Path) -> None:
    """The column is left out; tests and times stay."""
    made = with_generations(make_run(), make_generation(cost_usd=None))
    page, *_ = gather_pages(tmp_path, made)
    pairs = [
        [part.text() for part in node.css("dt, dd")] for node in render_tree(page).css(".facts div")
    ]
    assert [value for label, value in pairs if label == "Cost"] == ["not known"]
    assert "Cost" not in read_heads(render_tree(page))


def gather_attempts_page(folder: Path, attempt: Attempt, commit: str | None) -> PageContext:
    """Return the page of a run's only attempt, made at ``commit``, at an eval of the suite."""
    made = with_harness(make_run(planned=(attempt.eval,)), git_commit=commit)
    made = write_answers(DataFolder(folder), with_attempts(made, [attempt]))
    return gather_pages(folder, made)[1]


def make_first_attempt() -> Attempt:
    """Return an attempt at an eval of the suite."""
    return make_run().attempts[0].model_copy(update={"eval": EVAL})


def test_an_attempt_leads_to_the_grader_s_file_at_the_commit_that_judged_it(
    tmp_path: Path,
) -> None:
    """The page also links to the eval, whose page has its tests in words."""
    page = gather_attempts_page(tmp_path, make_first_attempt(), COMMIT)
    grader = page.attempts[0].grader
    assert grader is not None
    assert grader.endswith(f"/blob/{COMMIT}/evals/{EVAL}/grader.py")
    links = [link.attributes["href"] for link in render_tree(page).css("main a[href]")]
    assert grader in links
    assert f"{page.frame.root}evals/{EVAL}/" in links


@pytest.mark.parametrize("commit", [None, f"{COMMIT}+changes"])
def test_a_grader_of_no_commit_is_not_linked(tmp_path: Path, commit: str | None) -> None:
    """Files that differed from a commit, or stood outside of git, have no address."""
    assert gather_attempts_page(tmp_path, make_first_attempt(), commit).attempts[0].grader is None


def test_a_verdict_that_replaced_another_leads_to_no_commit(tmp_path: Path) -> None:
    """The run's commit belongs to the grader before."""
    attempt = make_first_attempt()
    assert attempt.key is not None
    before = Verdict(
        graded_at=NOON, key=attempt.key, outcome=attempt.outcome, failed_step=None, reason=None
    )
    again = attempt.model_copy(update={"earlier_verdicts": (before,)})
    assert gather_attempts_page(tmp_path, again, COMMIT).attempts[0].grader is None


def test_tests_that_ran_with_several_values_are_reported_beside_their_functions(
    tmp_path: Path,
) -> None:
    """Five results of two functions: the page has both numbers, each with its word."""
    attempt = make_first_attempt()
    tests = attempt.tests
    assert tests is not None
    names = ("test_a[1]", "test_a[2]", "test_a[3]", "test_a[4]", "test_b")
    ran = tuple(
        test.model_copy(update={"name": name}) for test, name in zip(tests, names, strict=False)
    )
    page = gather_attempts_page(tmp_path, attempt.model_copy(update={"tests": ran}), COMMIT)
    (section,) = page.attempts
    assert (section.tests_passed, section.functions) == ("5 of 5", 2)
    verdict, *_ = render_tree(page).css(".verdict")
    assert "5 of 5 tests passed (2 in the grader" in " ".join(verdict.text().split())


def with_generations(made: Run, *generations: Generation) -> Run:
    """Return a run whose attempts have these generations in turn."""
    attempts = (
        attempt.model_copy(update={"generation": generation})
        for attempt, generation in zip(made.attempts, cycle(generations), strict=False)
    )
    return with_attempts(made, attempts)


def set_hosts(made: Run, *hosts: str) -> Run:
    """Return the same run, answered by these hosts in turn."""
    return with_generations(made, *(make_generation(served_by=host) for host in hosts))


def read_settings_text(page: PageContext) -> str:
    """Return the text of the facts of a page."""
    section, *_ = render_tree(page).css("#settings")
    return section.text()


def test_a_run_that_mixes_hosts_is_marked_above_all_facts(tmp_path: Path) -> None:
    """Its score belongs to no single host; the names are escaped as all text from outside."""
    page, *_ = gather_pages(tmp_path, set_hosts(make_run(), "DeepInfra", "<b>Together"))
    warning, *_ = render_tree(page).css("#hosts")
    assert "Answers come from 2 hosts" in warning.text()
    assert "<b>Together (1)" in warning.text()


def test_a_run_of_one_host_names_it_among_the_facts(tmp_path: Path) -> None:
    """The page has no warning; a run whose replies name no host has no such fact."""
    page, *_ = gather_pages(tmp_path / "one", set_hosts(make_run(), "DeepInfra"))
    assert render_tree(page).css_first("#hosts") is None
    assert "DeepInfra (" in read_settings_text(page)
    unnamed, *_ = gather_pages(tmp_path / "none", make_run())
    assert "Served by" not in read_settings_text(unnamed)
