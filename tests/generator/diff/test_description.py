"""A difference as a comment on a pull request stays harmless with hostile names in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from generator.diff.data_diff import DataState, diff_data
from generator.diff.description import describe_data, describe_pair, format_runs_headline
from generator.diff.runs_diff import RunsDiff
from generator.diff.writers import CUT, MARK, MarkdownWriter, TextWriter, format_code
from records.shapes.attempt import Outcome
from records.shapes.report import encode_report
from tests.generator.diff.test_runs_diff import compare_runs, make_ended_run
from tests.records import examples

pytestmark = pytest.mark.unit

PASSED, FAILED, *_ = Outcome
HOSTILE = "@everyone <img src=https://evil.example/x> ![x](https://evil.example) | `` ` <!-- [a](b)"


def write_markdown(diff: RunsDiff, address: str | None = None, longest: int | None = None) -> str:
    """Return the differences between two runs as a comment."""
    writer = MarkdownWriter(address, longest)
    return writer.compose(format_runs_headline(diff), describe_pair(diff, writer))


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
    text = write_markdown(
        compare_runs(make_ended_run({0: PASSED}), make_ended_run({0: FAILED}, "b"))
    )
    mark, first, *_ = text.splitlines()
    assert mark == MARK
    assert first == "**0 evals fixed, 1 broken of 1: too few evals to show any difference.**"


def test_hostile_reasons_do_nothing() -> None:
    """A mention calls nobody, an image loads nothing, HTML is text."""
    broken = make_ended_run({0: FAILED}, "b")
    attempt = broken.attempts[0].model_copy(update={"reason": HOSTILE})
    after = examples.with_attempts(broken, [attempt])
    text = write_markdown(compare_runs(make_ended_run({0: PASSED}), after), "https://site.example")
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
    whole = write_markdown(diff)
    cut = write_markdown(diff, longest=1_000)
    assert len(whole) > 1_000 >= len(cut)
    assert cut.endswith(CUT.format("2 parts"))
    assert "worse, by more than chance" in cut


def test_two_states_of_the_data() -> None:
    """A new run is compared with the run before it; changed scores are listed."""
    benchmark = examples.make_benchmark()
    names = sorted(benchmark.evals)
    old = examples.make_run("a" * 32)
    new = examples.make_run("b" * 32, attempts=tuple(map(examples.make_attempt, names)))
    assert old.planned == tuple(names)
    path = "reports/maker/model/b_2026.md"
    report = examples.make_report(new)
    states = [
        DataState(label, runs, {benchmark.version: benchmark}, reports)
        for label, runs, reports in (
            ("main", {old.run_id: old}, {}),
            ("HEAD", {old.run_id: old, new.run_id: new}, {path: encode_report(report).encode()}),
        )
    ]
    diff = diff_data(*states)
    (pair,) = diff.pairs
    assert [run.run_id for side in (pair.before, pair.after) for run in side.runs] == [
        old.run_id,
        new.run_id,
    ]
    assert [row.slug for row in diff.moved] == [old.model.slug]
    text = TextWriter().compose("", describe_data(diff, TextWriter()))
    assert f"  {path}" in text
    assert diff_data(states[0], states[0]).is_empty
