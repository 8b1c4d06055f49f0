"""Pages of attempts and of their runs: their links, their order, their size."""

from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from generator.pages.attempts import AttemptTexts, Excerpt, build_attempts_page, build_dispute_link
from generator.read.site_settings import SiteSettings
from generator.read.summaries import RunSummary
from generator.render.templates import PageContext
from generator.run_pages import build_run_contexts
from generator.site_links import Link, build_attempt_fragment, build_attempt_href
from records.archives.archive import AttemptArtifact, Message
from records.reader import read_run
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from records.suites.canary import GUID
from tests.generator.contexts import ROOT, gather_published_site, render_tree
from tests.records import examples

pytestmark = pytest.mark.unit

_MOST_ON_PAGE = 2_100_000
_MOST_BESIDE = 16_000_000


def _build_page(
    summary: RunSummary, attempt: Attempt, artifact: AttemptArtifact
) -> tuple[PageContext, dict[str, str]]:
    """Return the page of one attempt, and the texts beside it."""
    texts = AttemptTexts(summary.run_id, None)
    site = gather_published_site()
    return build_attempts_page(site, summary, [(attempt, artifact)], texts), texts.beside


def _read_text(excerpt: Excerpt) -> str:
    return "".join(part if isinstance(part, str) else f"[{part.label}]" for part in excerpt.parts)


def test_a_zip_bomb_makes_no_large_page() -> None:
    """Files have a hundred megabytes in all: the page shows a bounded part."""
    files = {f"convex/f{number}.ts": "x" * 100_000 for number in range(1_000)}
    artifact = examples.make_artifact(
        "000-fundamentals/000-new", files=files, logs={"tests": "y" * 3_000_000}
    )
    summary = next(run for run in gather_published_site().summaries.runs if run.kept)
    attempt = examples.make_attempt(artifact.eval, outcome=Outcome.FAILED)
    page, beside = _build_page(summary, attempt, artifact)
    (section,) = page.attempts
    codes = [file.code for file in section.files if file.code]
    codes += [text for _, text in section.messages]
    codes += section.logs.values()
    assert sum(len(_read_text(excerpt)) for excerpt in codes) <= _MOST_ON_PAGE
    assert 0 < sum(map(len, beside.values())) <= _MOST_BESIDE


def test_a_copy_of_the_reference_differs_from_it_in_nothing() -> None:
    """A baseline returns the suite's own files; references on pages lack their canary."""
    name = "000-fundamentals/000-dome_functions"
    site = gather_published_site()
    folder = ROOT / "evals" / name / "answer"
    copied = {path: (folder / path).read_text("utf-8") for path in site.texts[name].reference}
    assert any(GUID in text for text in copied.values())
    artifact = examples.make_artifact(name, files=copied)
    attempt = examples.make_attempt(name)
    of_baseline = next(run for run in site.summaries.runs if run.baseline)
    of_model = next(run for run in site.summaries.runs if not run.baseline)
    (section,) = _build_page(of_baseline, attempt, artifact)[0].attempts
    assert (sorted(section.same_files), section.files) == (sorted(copied), [])
    page, _ = _build_page(of_model, attempt, artifact)
    assert "differs" in [tag.text() for tag in render_tree(page).css("details.file .tag")]


def test_an_answer_stands_beside_the_app_that_it_changes() -> None:
    """The prompt has links in place of given files; files like the reference's are shown, too."""
    name = "000-fundamentals/000-dome_functions"
    site = gather_published_site()
    text = "export const given = 1;\n" * 9
    of_eval = site.texts[name]._replace(given={"convex/given.ts": text})
    site = replace(site, texts={**site.texts, name: of_eval})
    summary = next(run for run in site.summaries.runs if not run.baseline)
    path = next(path for path in of_eval.reference if path.startswith("convex/"))
    artifact = examples.make_artifact(
        name,
        files={path: of_eval.reference[path]},
        messages=(Message(role="user", content=f"## convex/given.ts\n{text}"),),
    )
    texts = AttemptTexts(summary.run_id, None)
    page = build_attempts_page(site, summary, [(examples.make_attempt(name), artifact)], texts)
    (section,) = page.attempts
    assert section.same_files == [path]
    tree = render_tree(page)
    (tools,) = tree.css(".tools[data-reference]")
    assert (tools.attributes["data-given"] or "").endswith(f"evals/{name}/given.json")
    states = [part.text() for part in tree.css("details.file summary")]
    assert f"{path} the same" in states
    (_, request), *_ = section.messages
    link = Link(f"evals/{name}/#given", "given convex/given.ts")
    assert request.parts == ["## convex/given.ts\n", link, "\n"]


def test_a_text_that_stands_elsewhere_is_a_link_to_it() -> None:
    """The task, a file of the answer, and a message of the run's first attempt stand once each.

    A text of a model cannot look like such a link, because links are no text.
    """
    name = "000-fundamentals/000-dome_functions"
    site = gather_published_site()
    summary = next(run for run in site.summaries.runs if not run.baseline)
    code, system = (
        "export const answer = 1;\n" * 9,
        "You write Convex code, as the guidelines say. " * 9,
    )
    messages = (
        Message(role="system", content=system),
        Message(role="user", content=f"Here: {site.texts[name].task}"),
    )
    artifact = examples.make_artifact(
        name,
        files={"convex/new.ts": code},
        messages=messages,
        reply=f"[convex/new.ts]\n```ts\n{code}```\nDone.",
    )
    earlier = artifact.model_copy(update={"messages": messages[:1]})
    first = examples.make_attempt("000-fundamentals/001-first"), earlier
    texts = AttemptTexts(summary.run_id, first)
    page = build_attempts_page(site, summary, [(examples.make_attempt(name), artifact)], texts)
    sent, request, reply = (excerpt for _, excerpt in page.attempts[0].messages)
    assert [part for part in sent.parts if not isinstance(part, str)] == [
        Link(
            f"runs/{summary.run_id}/000-fundamentals/#001-first/message-1",
            "as to 000-fundamentals/001-first",
        )
    ]
    assert request.parts[:2] == ["Here: ", Link(f"evals/{name}/#task", "the task")]
    file = next(file for file in page.attempts[0].files if file.path == "convex/new.ts")
    assert reply.parts == [
        "[convex/new.ts]\n```ts\n",
        Link(f"#{file.anchor}", "convex/new.ts"),
        "\n```\nDone.",
    ]


def test_a_run_has_a_page_of_attempts_for_each_category() -> None:
    """Each attempt whose files were kept has one section, under its eval's title."""
    site = gather_published_site()
    summary = next(run for run in site.summaries.runs if len(run.kept) == 70)
    pages = [
        page
        for page in build_run_contexts(site, summary, _read_published_run(summary.run_id))
        if page.template == "pages/attempts.html" and page.whole is None
    ]
    assert [page.category for page in pages] == sorted({page.category for page in pages})
    for page in pages:
        assert [link.href for link in page.categories] == [each.frame.path for each in pages]
        assert [link.href for link in page.categories if link.current] == [page.frame.path]
    hrefs = [
        f"{page.frame.path}#{build_attempt_fragment(section.attempt.eval, section.attempt.sample)}"
        for page in pages
        for section in page.attempts
    ]
    assert hrefs == [build_attempt_href(summary, *place) for place in sorted(summary.kept)]
    for section in (section for page in pages for section in page.attempts):
        assert section.eval.title == site.find_eval_title(section.attempt.eval)


def test_a_cited_attempt_has_a_page_of_its_own() -> None:
    """Others may link to the attempts that a report names; their page leads to all attempts."""
    site = gather_published_site()
    summary = next(run for run in site.summaries.runs if len(run.kept) == 70)
    name, sample = min(summary.kept)
    citing = replace(site)
    vars(citing)["cited"] = {summary.run_id: {(name, sample)}}
    record = _read_published_run(summary.run_id)
    (page,) = (
        page
        for page in build_run_contexts(citing, summary, record)
        if page.template == "pages/attempts.html" and page.whole is not None
    )
    assert page.frame.path == f"runs/{summary.run_id}/{name}/"
    assert page.whole == build_attempt_href(summary, name, sample)
    assert [section.attempt.eval for section in page.attempts] == [name]


def _read_published_run(run_id: str) -> Run:
    path = next(Path(ROOT / "data" / "runs").rglob(f"{run_id}.json"))
    return read_run(path)


SETTINGS: Final = SiteSettings.model_validate(
    {
        "title": "Board",
        "tagline": "A board",
        "address": "https://board.test/below",
        "repository": "https://github.com/us/board",
    }
)
RUN: Final = "a" * 32
LONGEST_ADDRESS: Final = 8_000


def make_failed_attempt(name: str = "test_0", message: str | None = "assert 1 == 2") -> Attempt:
    """Return an attempt with one failed test of this name and message."""
    made = examples.make_attempt(examples.make_eval_name(1), outcome=Outcome.FAILED)
    assert made.tests is not None
    first, *remaining = list(made.tests)
    broken = first.model_copy(update={"name": name, "message": message})
    return made.model_copy(update={"tests": (broken, *remaining)})


def parse_issue(attempt: Attempt) -> dict[str, str]:
    """Return title and body of the issue that the link opens."""
    link = build_dispute_link(SETTINGS, "maker/model", RUN, attempt)
    assert link is not None
    url = urlsplit(link)
    assert url.netloc == "github.com"
    assert url.path == "/us/board/issues/new"
    return {name: value for name, (value,) in parse_qs(url.query, strict_parsing=True).items()}


def test_it_names_disputed_sessions() -> None:
    """The issue has the attempt's page, the failed step, the assertion and the digests."""
    attempt = make_failed_attempt()
    assert attempt.key is not None
    fields = parse_issue(attempt)
    assert fields["title"] == f"Verdict: {attempt.eval} by maker/model, run aaaaaaaa"
    section = attempt.eval.replace("/", "/#")
    assert f"Attempt: https://board.test/below/runs/{RUN}/{section}/" in fields["body"]
    assert "Verdict: failed at tests" in fields["body"]
    assert "test_0\nassert 1 == 2" in fields["body"]
    assert f"Grader: {attempt.key.grader}" in fields["body"]


def test_without_a_repository_there_is_no_link() -> None:
    """The setting may be left out; then no page asks for an issue."""
    settings = SETTINGS.model_copy(update={"repository": None})
    assert build_dispute_link(settings, "maker/model", RUN, make_failed_attempt()) is None


@given(st.text(min_size=1), st.text())
def test_nothing_that_a_model_wrote_acts(name: str, message: str) -> None:
    """Any name and message of a test stays in the block of code of the body."""
    fields = parse_issue(
        make_failed_attempt(
            f"x{name}", f"@team `{message}` ```` <img src=x> [a](https://evil.test)"
        )
    )
    assert set(fields) == {"title", "body"}
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(fields["body"])
    assert [token.type for token in tokens if token.type == "fence"] == ["fence"]
    outside = [token.content for token in tokens if token.type == "inline"]
    assert not any("@" in text or "evil" in text for text in outside)
    assert not any(token.type.startswith("html") for token in tokens)


def test_an_address_has_a_bound() -> None:
    """Four bytes a character, percent-encoded: servers refuse longer addresses than this."""
    worst = "\U0001f525" * 100_000
    link = build_dispute_link(
        SETTINGS, "m" * 60 + "/" + "m" * 100, RUN, make_failed_attempt(worst, worst)
    )
    assert link is not None
    assert len(link) < LONGEST_ADDRESS
