"""A difference as a comment on a pull request stays harmless with hostile names in it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from generator.diff.data_diff import DataState, diff_data
from generator.diff.markdown_text import CUT, MARK, SiteLinks, format_code, format_runs_markdown
from generator.diff.standalone_page import render_html_page
from generator.diff.terminal_text import format_data_text
from records.shapes.attempt import Outcome
from tests.generator.diff.test_runs_diff import compare_runs, make_ended_run
from tests.records import examples
from tests.site.example_site import ROOT

pytestmark = pytest.mark.unit

PASSED, FAILED, *_ = Outcome
HOSTILE = "@everyone <img src=https://evil.example/x> ![x](https://evil.example) | `` ` <!-- [a](b)"


def render_github_markdown(markdown: str) -> LexborHTMLParser:
    """Return markdown as GitHub would show it, with tables."""
    return LexborHTMLParser(MarkdownIt("commonmark").enable("table").render(markdown))


@given(st.text(max_size=80))
def test_any_text_is_one_code_span(text: str) -> None:
    """No part of the text stands outside of the span, in a table's cell or elsewhere."""
    page = render_github_markdown(f"| a |\n|---|\n| {format_code(text)} |\n")
    assert len(page.css("td")) == 1
    (span,) = page.css("td > code")
    assert page.css("td")[0].text() == span.text()


def test_the_verdict_comes_first() -> None:
    """The verdict follows directly after the mark by which the comment is found again."""
    text = format_runs_markdown(
        compare_runs(make_ended_run({0: PASSED}), make_ended_run({0: FAILED}, "b")), SiteLinks(None)
    )
    mark, first, *_ = text.splitlines()
    assert mark == MARK
    assert first == "**0 evals fixed, 1 broken of 1: too few evals to show any difference.**"


def test_hostile_reasons_do_nothing() -> None:
    """A mention calls nobody, an image loads nothing, HTML is text."""
    broken = make_ended_run({0: FAILED}, "b")
    attempt = broken.attempts[0].model_copy(update={"reason": HOSTILE})
    after = broken.model_copy(update={"attempts": (attempt,)})
    text = format_runs_markdown(
        compare_runs(make_ended_run({0: PASSED}), after), SiteLinks("https://site.example")
    )
    page = render_github_markdown(text)
    assert page.css("img") == []
    assert [link.attributes["href"] for link in page.css("a")] == [
        f"https://site.example/runs/{'b' * 32}/#000-category-000-eval",
        f"https://site.example/runs/{'a' * 32}/",
        f"https://site.example/runs/{'b' * 32}/",
    ]
    for node in page.css("code"):
        node.decompose()
    assert "@everyone" not in page.text()


def test_a_long_comment_is_cut_between_its_parts() -> None:
    """The comment is below the limit and counts the parts left out; the verdict stays."""
    before = make_ended_run(dict.fromkeys(range(60), PASSED))
    after = make_ended_run(dict.fromkeys(range(60), FAILED), "b")
    diff = compare_runs(before, after)
    whole = format_runs_markdown(diff, SiteLinks(None))
    cut = format_runs_markdown(diff, SiteLinks(None), 1_000)
    assert len(whole) > 1_000 >= len(cut)
    assert cut.endswith(CUT.format("2 parts"))
    assert "worse, by more than chance" in cut


def test_the_page_holds_both_answers_and_loads_nothing() -> None:
    """The page is one file without a script; a model's answer is text in it."""
    diff = compare_runs(make_ended_run({0: PASSED}), make_ended_run({0: FAILED}, "b"))
    answers = [("000-a/000-b", {"a.ts": "old\n"}, {"a.ts": "</pre><script>alert(1)</script>\n"})]
    markdown = format_runs_markdown(diff, SiteLinks(None))
    page = render_html_page("A <b>", markdown, answers, ROOT / "site_templates")
    tree = LexborHTMLParser(page)
    assert tree.css("script, link, img, b") == []
    assert "+</pre><script>alert(1)</script>" in tree.css("pre")[0].text()
    assert MARK not in page
    assert not re.search(r"url\((?!['\"]?data:)", page)


def test_two_states_of_the_data() -> None:
    """A new run is compared with the run before it; changed scores are listed."""
    benchmark = examples.make_benchmark()
    names = sorted(benchmark.evals)
    old = examples.make_run("a" * 32, evals=len(names))
    passed = tuple(examples.make_attempt(name) for name in names)
    new = examples.make_run("b" * 32, evals=len(names)).model_copy(update={"attempts": passed})
    assert old.planned == tuple(names)
    states = [
        DataState(label, runs, {benchmark.version: benchmark}, reports)
        for label, runs, reports in (
            ("main", {old.run_id: old}, {}),
            ("HEAD", {old.run_id: old, new.run_id: new}, {"reports/maker/model/b_2026.md": b"x"}),
        )
    ]
    diff = diff_data(*states)
    (pair,) = diff.pairs
    assert [run.run_id for side in (pair.before, pair.after) for run in side.runs] == [
        old.run_id,
        new.run_id,
    ]
    assert [row.slug for row in diff.moved] == [old.model.slug]
    assert "  reports/maker/model/b_2026.md" in format_data_text(diff)
    assert diff_data(states[0], states[0]).is_empty
