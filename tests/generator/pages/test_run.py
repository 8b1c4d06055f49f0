"""Pages of runs and attempts: the settings sent to a model, and the shape of the table."""

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.blocks.attempt_rows import describe_settings
from generator.render.templates import PageContext
from generator.run_pages import build_run_contexts
from generator.site_data import SiteData
from records.archives.archive import compute_artifact_digest, write_archive
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, CostBasis, Verdict
from records.shapes.registry import Dialect
from records.shapes.run import Run
from records.writer import write_record, write_run
from tests.generator.contexts import gather_site, render_block, render_tree
from tests.records.examples import (
    NOON,
    make_artifact,
    make_benchmark,
    make_digest,
    make_imported,
    make_run,
    with_attempts,
)

pytestmark = pytest.mark.unit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
EVAL = "000-fundamentals/000-dome_functions"
"""An eval of the suite."""


def build_setting_values(made: Run) -> dict[str, str]:
    """Return the settings of a run from its page."""
    return {label: value for label, value in describe_settings(made).items() if value is not None}


def make_run_of_model(**changes: object) -> Run:
    """Return a run with these changes to its model."""
    made = make_run()
    return made.model_copy(update={"model": made.model.model_copy(update=changes)})


def convert_to_import(made: Run) -> Run:
    """Return the same results as another publisher's import: outcomes alone."""
    attempts = tuple(
        attempt.model_copy(
            update=dict.fromkeys(("steps", "tests", "generation", "key", "graded_at"), None)
        )
        for attempt in made.attempts
    )
    model = made.model.model_copy(update={"parameters": {}, "litellm_id": None})
    return with_attempts(made, attempts, provenance=make_imported(), model=model, harness=None)


def test_sent_parameters_are_shown_and_others_are_the_provider_s() -> None:
    """Effort and temperature are on every page of a run, other parameters only if sent."""
    assert build_setting_values(
        make_run_of_model(parameters={"temperature": 0.5, "seed": None})
    ) == {
        "Asked as": "openai/gpt-example",
        "Prompt": f"the task, with guidelines {make_digest('f')[:12]}",
        "Reasoning effort": "not set, left to the provider",
        "Temperature": "0.5",
        "Output limit": "not set, left to the provider",
        "seed": "null",
    }
    limited = build_setting_values(
        make_run_of_model(
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
    baseline = make_run_of_model(kind="baseline", litellm_id=None, parameters={})
    assert build_setting_values(baseline) == {
        "Settings": "none: a baseline hands in files, and no model is asked"
    }


def test_a_setting_that_was_sent_otherwise_is_reported_with_both_values() -> None:
    """Parameters added on the way are listed; a parameter that arrived as asked appears once."""
    settings = build_setting_values(
        make_run_of_model(
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
    made = make_run_of_model(sent={"<b>name</b>": "<script>alert(1)</script>"})
    _, pages = write_and_gather(tmp_path, made)
    tree = render_tree(pages[0])
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
    some = made.model.model_copy(update={"parameters": {"temperature": 1}})
    settings = build_setting_values(made.model_copy(update={"model": some}))
    assert settings["Temperature"] == "1"
    assert settings["Reasoning effort"] == settings["Output limit"] == "not published"


def write_and_gather(folder: Path, made: Run) -> tuple[SiteData, list[PageContext]]:
    """Write a run, and gather the pages of it and of its attempts."""
    data = DataFolder(folder)
    write_record(data.benchmarks, make_benchmark())
    write_run(data, made)
    site = gather_site(data)
    (summary,) = site.summaries.runs
    return site, [*build_run_contexts(site, summary, made)]


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
    _, (page, *_) = write_and_gather(tmp_path, made)
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
    made = make_run()
    attempts = tuple(
        attempt.model_copy(
            update={
                "generation": attempt.generation
                and attempt.generation.model_copy(
                    update={"cost_usd": None, "cost_basis": CostBasis.UNKNOWN}
                )
            }
        )
        for attempt in made.attempts
    )
    _, (page, *_) = write_and_gather(tmp_path, with_attempts(made, attempts))
    pairs = [
        [part.text() for part in node.css("dt, dd")] for node in render_tree(page).css(".facts div")
    ]
    assert [value for label, value in pairs if label == "Cost"] == ["not known"]
    assert "Cost" not in read_heads(render_tree(page))


def gather_attempts_page(folder: Path, attempt: Attempt, commit: str | None) -> PageContext:
    """Return the page of a run's only attempt, made at ``commit``, at an eval of the suite."""
    stored_artifact = make_artifact(attempt.eval)
    attempt = attempt.model_copy(update={"artifact": compute_artifact_digest(stored_artifact)})
    made = make_run(evals=1)
    assert made.harness is not None
    harness = made.harness.model_copy(update={"git_commit": commit})
    made = with_attempts(made, [attempt], planned=(attempt.eval,), harness=harness)
    write_archive(DataFolder(folder).get_artifact_file(*made.key), [stored_artifact])
    return write_and_gather(folder, made)[1][1]


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


def set_hosts(made: Run, *hosts: str | None) -> Run:
    """Return the same run, answered by these hosts in turn."""
    attempts = tuple(
        attempt.model_copy(
            update={
                "generation": attempt.generation
                and attempt.generation.model_copy(update={"served_by": hosts[number % len(hosts)]})
            }
        )
        for number, attempt in enumerate(made.attempts)
    )
    return made.model_copy(update={"attempts": attempts})


def read_settings_text(page: PageContext) -> str:
    """Return the text of the facts of a page."""
    section, *_ = render_tree(page).css("#settings")
    return section.text()


def test_a_run_that_mixes_hosts_is_marked_above_all_facts(tmp_path: Path) -> None:
    """Its score belongs to no single host; the names are escaped as all text from outside."""
    _, (page, *_) = write_and_gather(tmp_path, set_hosts(make_run(), "DeepInfra", "<b>Together"))
    warning, *_ = render_tree(page).css("#hosts")
    assert "Answers come from 2 hosts" in warning.text()
    assert "<b>Together (1)" in warning.text()


def test_a_run_of_one_host_names_it_among_the_facts(tmp_path: Path) -> None:
    """The page has no warning; a run whose replies name no host has no such fact."""
    _, (page, *_) = write_and_gather(tmp_path / "one", set_hosts(make_run(), "DeepInfra"))
    assert render_tree(page).css_first("#hosts") is None
    assert "DeepInfra (" in read_settings_text(page)
    _, (unnamed, *_) = write_and_gather(tmp_path / "none", make_run())
    assert "Served by" not in read_settings_text(unnamed)
