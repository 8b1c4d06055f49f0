"""The page of a run's attempts at the evals of a category: requests, answers and verdicts."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote_plus

from generator import site_links
from generator.blocks import attempt_rows
from generator.blocks.run_lines import build_run_line
from generator.blocks.shares import compute_share
from generator.read.site_settings import SiteSettings
from generator.read.summaries import RunSummary, get_category_key
from generator.render.templates import PageContext, Row
from generator.site_data import SiteBasics
from records.archives.archive import AttemptArtifact
from records.shapes.attempt import Attempt, Outcome, Test
from records.suites.canary import strip_canary
from records.text.run_days import describe_when
from records.text.visible import make_one_line, make_visible


class Excerpt(NamedTuple):
    """A text that may be too long for a page, or have parts that stand elsewhere on the site."""

    parts: Sequence[str | site_links.Link]
    """The whole text, or its beginning and end, or nothing; links are in place of known parts."""
    left_out: int
    """The number of characters that are not shown."""
    href: str | None
    """The file with the whole text; None if nothing is left out, or if there is no such file."""


_LONGEST = 60_000
"""The most characters of a text on the page; a longer text is in a file beside the page."""
_BEGINNING = 20_000
_END = 20_000
_LONGEST_LOG = 6_000
"""The most characters of a log; of a longer log its two ends are shown, and no file has the rest:
logs are long, and repeat the messages of tests. The archive of the run has them."""
_ENDS_OF_LOG = 2_500
_MOST_ON_PAGE = 2_000_000
"""The most characters of all texts on a page; of further texts only the length is shown."""
_MOST_BESIDE = 16_000_000
"""The most characters of all files beside a page. A zip archive of a few megabytes can unpack to
thousands of megabytes, and a pull request may bring many: the site must not grow with them."""
_WORTH_A_LINK = 60
"""The fewest characters of a text that is replaced with a link to it in another text."""

KeptAttempt = tuple[Attempt, AttemptArtifact]
"""An attempt with its files."""


class AttemptTexts:
    """The texts of a run's attempts: each stands once, and pages have limits of characters."""

    def __init__(self, run_id: str, first: KeptAttempt | None) -> None:
        """Prepare the texts of one page.

        Args:
            run_id: the run.
            first: its first attempt whose files were kept; messages that others repeat, such as
                those with the guidelines, stand there alone.
        """
        self._run_id = run_id
        self._room = _MOST_ON_PAGE
        self._room_beside = _MOST_BESIDE
        self._first = first
        self.beside: dict[str, str] = {}
        """The texts that are too long for the page, by path below the root."""

    def make_excerpt(
        self,
        attempt: Attempt,
        text: str,
        name: str,
        known: Mapping[str, site_links.Link] | None = None,
    ) -> Excerpt:
        """Return ``text`` with links in place of ``known`` texts; if it is too long, its two ends.

        The whole of a text that is too long is in a file ``name``. If the page has no room left,
        nothing of the text is shown. If the files beside the page have no room left, there is no
        link to the whole.
        """
        parts = _link_known_parts(text, known or {})
        length = sum(len(part) for part in parts if isinstance(part, str))
        if length <= _LONGEST and self._takes(length):
            return Excerpt(parts, 0, None)
        href = None
        if len(text) <= self._room_beside:
            self._room_beside -= len(text)
            folder = site_links.build_attempt_path(self._run_id, attempt.eval, attempt.sample)
            href = f"{folder}{name}.txt"
            self.beside[href] = text
        cut = f"{text[:_BEGINNING]}\n\n[…]\n\n{text[-_END:]}"
        if len(text) <= _LONGEST or not self._takes(len(cut)):
            return Excerpt([], len(text), href)
        return Excerpt([cut], len(text) - _BEGINNING - _END, href)

    def make_log_excerpt(self, log: str) -> Excerpt:
        """Return a log; if it is too long, its two ends."""
        left_out = 0
        if len(log) > _LONGEST_LOG:
            left_out = len(log) - 2 * _ENDS_OF_LOG
            log = f"{log[:_ENDS_OF_LOG]}\n\n[…]\n\n{log[-_ENDS_OF_LOG:]}"
        return (
            Excerpt([log], left_out, None) if self._takes(len(log)) else Excerpt([], len(log), None)
        )

    def _takes(self, length: int) -> bool:
        """Reserve room on the page for a text; return whether there was enough."""
        fits = length <= self._room
        if fits:
            self._room -= length
        return fits

    def find_first_messages(self, attempt: Attempt) -> dict[str, site_links.Link]:
        """Return links to the messages of the run's first attempt, unless it is ``attempt``."""
        if self._first is None or self._first[0] is attempt:
            return {}
        first, artifact = self._first
        href = site_links.build_attempts_path(self._run_id, get_category_key(first.eval))
        fragment = site_links.build_attempt_fragment(first.eval, first.sample)
        return {
            message.content: site_links.Link(
                f"{href}#{fragment}message-{number}", f"as to {first.eval}"
            )
            for number, message in enumerate(artifact.messages, start=1)
        }


def build_attempts_page(  # noqa: PLR0913 - the sources of a page of a record and its archive
    site: SiteBasics,
    summary: RunSummary,
    kept: Sequence[KeptAttempt],
    texts: AttemptTexts,
    *,
    commit: str | None = None,
    alone: bool = False,
) -> PageContext:
    """Return the page of attempts of one category, with the files of their archive.

    Args:
        site: the facts about the site.
        summary: the run.
        kept: the attempts with their files, at least one.
        texts: takes the texts of the page.
        commit: the commit of the program and suite that made the run, from its record.
        alone: whether the page is that of a single attempt, at its own address.
    """
    first = kept[0][0]
    category = get_category_key(first.eval)
    label = site_links.label_category(category)
    sections = [_build_section(site, summary, pair, texts, commit) for pair in kept]
    score = compute_share(summary.select_category(category))
    if alone:
        path = site_links.build_attempt_path(summary.run_id, first.eval, first.sample)
        sample = f" #{first.sample}" if first.sample > 1 else ""
        title = f"{sections[0].eval.title}{sample}: {first.outcome.replace('_', ' ')}"
        subject = first.eval
    else:
        path = site_links.build_attempts_path(summary.run_id, category)
        title = f"{label}: {score.passes} of {score.judged} passed" if score else ""
        title, subject = title or label, label
    return PageContext(
        "pages/attempts.html",
        f"{title}, by {summary.name}, run {summary.run_id[:8]}",
        path,
        f"What {summary.name} answered to {subject} {describe_when(summary.head)}, and how it was "
        "judged.",
        "models",
        beside=texts.beside,
        line=build_run_line(site, summary),
        category=category,
        score=score,
        whole=site_links.build_attempt_href(summary, first.eval, first.sample) if alone else None,
        categories=[
            site_links.Link(
                site_links.build_attempts_path(summary.run_id, key),
                site_links.label_category(key),
                current=key == category and not alone,
            )
            for key in sorted({get_category_key(name) for name, _ in summary.kept})
        ],
        basics=site,
        commit=commit,
        attempts=sections,
        asked=not summary.baseline,
    )


def _build_section(
    site: SiteBasics,
    summary: RunSummary,
    kept: KeptAttempt,
    texts: AttemptTexts,
    commit: str | None,
) -> Row:
    """Return an attempt: request, answer and verdict."""
    attempt, artifact = kept
    eval_texts = site.texts.get(attempt.eval)
    views, same, links = _compare_with_reference(site, summary, kept, texts)
    if eval_texts:
        task_href = f"{site_links.build_eval_path(attempt.eval)}#task"
        links[eval_texts.task] = site_links.Link(task_href, "the task")
        given_href = f"{site_links.build_eval_path(attempt.eval)}#given"
        for path, text in eval_texts.given.items():
            links.setdefault(text, site_links.Link(given_href, f"given {path}"))
    links |= texts.find_first_messages(attempt)
    turns = [(message.role, message.content) for message in artifact.messages]
    if artifact.reply is not None:
        turns.append(("reply", artifact.reply))
    logs = artifact.logs if attempt.outcome is not Outcome.PASSED else dict[str, str]()
    log_excerpts = {
        step.name: texts.make_log_excerpt(log)
        for step in attempt.steps or ()
        if (log := logs.get(step.name))
    }
    # Anchors are made from names, so they stay the same when other tests come or go.
    used = Counter[str]()
    failed: list[tuple[str, Test]] = []
    tests = attempt.tests or ()
    for test in tests:
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", test.name).strip("-").removeprefix("test_")[:80]
        used[plain] += 1
        if test.outcome is not Outcome.PASSED:
            number = f"-{used[plain]}" if used[plain] > 1 else ""
            failed.append((f"test-{plain}{number}", test))
    functions = len({test.name.partition("[")[0] for test in tests})
    # No grader is linked if another gave the verdict, or the program had uncommitted changes.
    grader = None
    is_graded_here = attempt.key and not attempt.earlier_verdicts and not summary.local
    if is_graded_here and commit and re.fullmatch("[0-9a-f]{7,40}", commit):
        grader = site.build_grader_href(attempt.eval, commit)
    return Row(
        **vars(attempt_rows.build_attempt_row(site, summary, attempt)),
        functions=functions if functions < len(tests) else None,
        dispute=build_dispute_link(site.settings, summary.slug, summary.run_id, attempt),
        grader=grader,
        logs=log_excerpts,
        failed_tests=failed,
        files=views,
        same_files=same,
        messages=[
            (role, texts.make_excerpt(attempt, text, f"message-{number}", links))
            for number, (role, text) in enumerate(turns, start=1)
        ],
    )


def _compare_with_reference(
    site: SiteBasics, summary: RunSummary, kept: KeptAttempt, texts: AttemptTexts
) -> tuple[list[Row], list[str], dict[str, site_links.Link]]:
    """Return the files that differ from the reference, the paths of the others, and links to all.

    The links are by the text of the file; they replace it in the reply.
    """
    attempt, artifact = kept
    eval_texts = site.texts.get(attempt.eval)
    reference = eval_texts.reference if eval_texts else dict[str, str]()
    has_given = eval_texts is not None and bool(eval_texts.given)
    fragment = site_links.build_attempt_fragment(attempt.eval, attempt.sample)
    answer = artifact.files
    if summary.baseline:
        # A baseline copies files of the suite, and the suite's canary would look like a change. In
        # a model's answer it is shown, because it proves that the model has seen the suite.
        answer = {path: strip_canary(text) for path, text in answer.items()}
    same = [
        path
        for path, text in sorted(answer.items())
        if path in reference and text.strip() == reference[path].strip()
    ]
    eval_href = site_links.build_eval_path(attempt.eval)
    links = {text: site_links.Link(f"{eval_href}#reference", path) for path, text in answer.items()}
    views: list[Row] = []
    for number, path in enumerate(sorted(answer.keys() | reference.keys()), 1):
        # A file like the reference's is shown if it can be compared with the given app.
        if path in same and not has_given:
            continue
        anchor, text = f"{fragment}file-{number}", answer.get(path)
        code = None
        if text is not None:
            code = texts.make_excerpt(attempt, text, f"file-{number}")
            links[text] = site_links.Link(f"#{anchor}", path)
        views.append(Row(anchor=anchor, path=path, code=code))
    if summary.baseline:  # its reply has the canary, which its files lack on pages
        links |= {artifact.files[path]: links[text] for path, text in answer.items()}
    return views, same, links


def _link_known_parts(
    text: str, known: Mapping[str, site_links.Link]
) -> list[str | site_links.Link]:
    """Return ``text`` in parts; where it has a known text, the part is the link to that text."""
    parts: list[str | site_links.Link] = [text]
    for whole, link in sorted(known.items(), key=lambda item: -len(item[0])):
        needle = whole.strip()
        if len(needle) < _WORTH_A_LINK:
            continue
        for number, part in enumerate(parts):
            if isinstance(part, str) and needle in part:
                before, _, after = part.partition(needle)
                parts[number : number + 1] = [before, link, after]
                break
    return [part for part in parts if part]


_LONGEST_NAME = 120
_LONGEST_MESSAGE = 300
"""The most characters of a test's message. Percent-encoded, a character takes up to twelve, and
servers refuse addresses of more than about 8,000 characters."""


def build_dispute_link(
    settings: SiteSettings, slug: str, run_id: str, attempt: Attempt
) -> str | None:
    """Return the address of a new issue about an attempt; None if no repository is set.

    Texts of models and graders are in a code block, so that an `@name` in them notifies nobody: the
    first failed test, else the reason of the failure.
    """
    if settings.repository is None:
        return None
    sample = f" #{attempt.sample}" if attempt.sample > 1 else ""
    step = f" at {attempt.failed_step.value}" if attempt.failed_step else ""
    facts = {
        "Attempt": settings.base
        + site_links.build_kept_attempt_href(run_id, attempt.eval, attempt.sample),
        "Verdict": f"{attempt.outcome.value}{step}",
        "Artifact": attempt.artifact,
        "Grader": attempt.key and attempt.key.grader,
        "Graded by": attempt.key and f"toolchain {attempt.key.toolchain}",
    }
    lines = [f"{name}: {value}" for name, value in facts.items() if value is not None]
    failed = next((test for test in attempt.tests or () if test.outcome is Outcome.FAILED), None)
    message = attempt.reason if failed is None else failed.message
    quoted = [] if failed is None else [make_one_line(failed.name, _LONGEST_NAME)]
    if message is not None:
        text = make_visible(message)
        cut = text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"
        quoted.append(cut)
    if quoted:
        longest = max((len(ticks) for ticks in re.findall("`+", "\n".join(quoted))), default=0)
        fence = "`" * max(3, longest + 1)
        lines += ["", "Assertion:", "", f"{fence}text", *quoted, fence]
    title = f"Verdict: {attempt.eval}{sample} by {slug}, run {run_id[:8]}"
    body = "\n".join([*lines, "", "What is wrong with this verdict:", "", ""])
    encoded = [quote_plus(text, safe="/:", errors="replace") for text in (title, body)]
    new = f"{settings.repository}".rstrip("/")
    return f"{new}/issues/new?title={encoded[0]}&body={encoded[1]}"
