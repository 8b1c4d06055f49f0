"""The page of an attempt: request, answer and verdict."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from generator.blocks.attempt_rows import describe_fault, describe_regrading, format_tests_passed
from generator.blocks.dispute_link import build_dispute_link
from generator.blocks.eval_grading import build_grader_href
from generator.blocks.fact_list import Fact, list_facts
from generator.blocks.settings_sent import describe_dialect
from generator.facts.answer_files import get_answer_files
from generator.facts.attributions import Attribution, collect_attributions, find_sample_attribution
from generator.facts.carried_over import AskingRun, find_asking_run
from generator.facts.links import Link
from generator.facts.page_frame import build_page_frame
from generator.facts.run_lines import build_run_line
from generator.facts.shares import RunLine
from generator.facts.site_basics import SiteBasics
from generator.facts.titles import find_eval_title
from generator.facts.urls import build_attempt_path, build_eval_path, build_reference_path
from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from generator.render.template_filters import format_dollars_or_dash, format_seconds
from records.archives.archive import AttemptArtifact
from records.shapes.attempt import Attempt, CostBasis, Generation, Outcome, Step, Test
from records.text.run_days import describe_when


class AttemptLine(NamedTuple):
    """The result of an attempt."""

    title: str
    """The eval's title for readers."""
    fault: str | None
    tests: str
    """How many tests passed, such as ``5 of 6``; empty if it is not known."""
    functions: int | None
    """The number of test functions, if one ran with several values; None if each ran once."""
    eval_href: str
    attribution: Attribution | None
    regraded: str | None
    """The latest of the earlier verdicts in words; None without an earlier verdict."""
    dispute: str | None
    """The address of a new issue about the verdict; None if no repository is set."""
    grader: Link | None
    """A link to the grader in the repository, at the commit that graded; None if not known."""


class Excerpt(NamedTuple):
    """A text that may be too long for a page."""

    text: str
    """The whole text, or its beginning and end, or nothing."""
    left_out: int
    """The number of characters that are not shown."""
    href: str | None
    """The file with the whole text; None if nothing is left out, or if there is no such file."""


class FileView(NamedTuple):
    """A file of the answer, or a file of the reference answer that the answer lacks."""

    anchor: str
    path: str
    state: str
    """``same as the reference``, ``differs``, ``only in the answer`` or ``not written``."""
    code: Excerpt | None
    """The answer's text; None if the file is only in the reference."""


class AttemptPage(NamedTuple):
    """The page of an attempt: request, answer and verdict."""

    template = "pages/attempt.html"

    frame: Frame
    run: RunLine
    attempt: Attempt
    line: AttemptLine
    carried: AskingRun | None
    """The earlier run that asked for the answer; None if this run did."""
    facts: Sequence[Fact]
    task: str | None
    steps: Sequence[tuple[Step, Excerpt | None]]
    """The steps, each with its log; None if a step printed nothing."""
    tests: Sequence[tuple[str, Test]]
    """The tests, each after its anchor; failed tests are first."""
    files: Sequence[FileView]
    reference: str | None
    """The path of the JSON file with the reference answer; None if the suite has none."""
    messages: Sequence[tuple[str, Excerpt]]
    """The messages that were sent and received, each after its role."""
    asked: bool
    """Whether a model was asked; false for a baseline."""
    neighbours: Sequence[Link]
    """Links to all samples of the eval in the run."""
    before: Link | None
    """The previous attempt of the run whose files were kept; None for the first."""
    after: Link | None
    """The next attempt of the run whose files were kept; None for the last."""


_LONGEST: Final = 60_000
"""The most characters of a text on the page; a longer text is in a file beside the page."""
_BEGINNING: Final = 20_000
_END: Final = 20_000
_MOST_ON_PAGE: Final = 2_000_000
"""The most characters of all texts on a page; of further texts only the length is shown."""
_MOST_BESIDE: Final = 16_000_000
"""The most characters of all files beside a page. A zip archive of a few megabytes can unpack to
thousands of megabytes, and a pull request may bring many: the site must not grow with them."""


@dataclass(frozen=True, slots=True)
class AttemptPages:
    """The page of an attempt, and the texts that are too long for it."""

    page: AttemptPage
    beside: Mapping[str, str]
    """The texts by path below the root."""


def build_attempt_page(
    site: SiteBasics,
    summary: RunSummary,
    attempt: Attempt,
    artifact: AttemptArtifact,
    *,
    commit: str | None = None,
) -> AttemptPages:
    """Return the page of an attempt, with the files of its archive.

    ``commit`` is the commit of the program and suite that made the run, from its record.
    """
    path = build_attempt_path(summary.run_id, attempt.eval, attempt.sample)
    beside = _Beside(path)
    texts = site.texts.get(attempt.eval)
    reference = texts.reference if texts else dict[str, str]()
    answer = get_answer_files(summary, artifact)
    run = build_run_line(site, summary)
    line = _build_line(site, summary, attempt, commit)
    sample = f" #{attempt.sample}" if attempt.sample > 1 else ""
    ended = attempt.outcome.replace("_", " ")
    before, after = _link_siblings(site, summary, attempt)
    page = AttemptPage(
        frame=build_page_frame(
            f"{line.title}{sample}: {ended}, by {run.model.name}, run {run.run_id[:8]}",
            path,
            f"What {summary.name} answered to {attempt.eval} {describe_when(run)}, and how it was "
            "judged.",
            "models",
        ),
        run=run,
        attempt=attempt,
        line=line,
        carried=find_asking_run(site, attempt),
        facts=_build_facts(attempt.generation) if attempt.generation else [],
        task=texts.task if texts else None,
        steps=[
            (step, beside.make_excerpt(log, f"log-{step.name}") if log else None)
            for step in attempt.steps or ()
            for log in [artifact.logs.get(step.name)]
        ],
        tests=_name_anchors(attempt.tests or ()),
        files=_build_file_views(answer, reference, beside),
        reference=build_reference_path(attempt.eval) if reference else None,
        messages=_build_conversation(artifact, beside),
        asked=not summary.baseline,
        neighbours=[
            Link(
                build_attempt_path(summary.run_id, attempt.eval, sample),
                f"sample {sample}",
                current=sample == attempt.sample,
            )
            for name, sample in sorted(summary.kept)
            if name == attempt.eval
        ],
        before=before,
        after=after,
    )
    return AttemptPages(page, beside.texts)


def _build_line(
    site: SiteBasics, summary: RunSummary, attempt: Attempt, commit: str | None
) -> AttemptLine:
    failed = attempt.outcome is Outcome.FAILED
    run_attributions = collect_attributions(site, summary.run_id)
    return AttemptLine(
        title=find_eval_title(site, attempt.eval),
        fault=describe_fault(attempt.fault) if attempt.fault else None,
        tests=format_tests_passed(attempt),
        eval_href=build_eval_path(attempt.eval),
        attribution=find_sample_attribution(run_attributions, attempt.eval, attempt.sample)
        if failed
        else None,
        regraded=describe_regrading(attempt),
        dispute=build_dispute_link(site.settings, summary.slug, summary.run_id, attempt),
        functions=_count_functions(attempt.tests or ()),
        grader=_link_grader(site, attempt, None if summary.local else commit),
    )


def _count_functions(tests: tuple[Test, ...]) -> int | None:
    """Return the number of test functions; None if it is the number of tests."""
    number = len({test.name.partition("[")[0] for test in tests})
    return number if number < len(tests) else None


def _link_grader(site: SiteBasics, attempt: Attempt, commit: str | None) -> Link | None:
    """Return a link to the grader at ``commit``; None if another grader gave the verdict.

    This is so if the verdict replaced an earlier verdict, or if ``commit`` has a mark of
    uncommitted changes.
    """
    if attempt.key is None or attempt.earlier_verdicts or commit is None:
        return None
    if re.fullmatch("[0-9a-f]{7,40}", commit) is None:
        return None
    href = build_grader_href(site, attempt.eval, commit)
    return Link(href, f"commit {commit[:8]}") if href else None


def _link_siblings(
    site: SiteBasics, summary: RunSummary, attempt: Attempt
) -> tuple[Link | None, Link | None]:
    """Return links to the previous and the next attempt of the run that have pages."""
    own = attempt.eval, attempt.sample

    def link_attempt(place: tuple[str, int] | None) -> Link | None:
        if place is None:
            return None
        name, sample = place
        number = f" #{sample}" if sample > 1 else ""
        return Link(
            build_attempt_path(summary.run_id, name, sample),
            f"{find_eval_title(site, name)}{number}",
        )

    before = max((key for key in summary.kept if key < own), default=None)
    after = min((key for key in summary.kept if key > own), default=None)
    return link_attempt(before), link_attempt(after)


class _Beside:
    """A collector of texts that are too long for the page, with limits of characters."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._room = _MOST_ON_PAGE
        self._room_beside = _MOST_BESIDE
        self.texts: dict[str, str] = {}

    def takes(self, text: str) -> bool:
        """Reserve room on the page for ``text``; return whether there was enough."""
        fits = len(text) <= self._room
        if fits:
            self._room -= len(text)
        return fits

    def make_excerpt(self, text: str, name: str) -> Excerpt:
        """Return ``text``; if it is too long, its two ends, and a file ``name`` with the whole.

        If the page has no room left, nothing of the text is shown. If the files beside the page
        have no room left, there is no link to the whole.
        """
        if len(text) <= _LONGEST and self.takes(text):
            return Excerpt(text, 0, None)
        href = None
        if len(text) <= self._room_beside:
            self._room_beside -= len(text)
            href = f"{self._path}{name}.txt"
            self.texts[href] = text
        cut = f"{text[:_BEGINNING]}\n\n[…]\n\n{text[-_END:]}"
        if len(text) <= _LONGEST or not self.takes(cut):
            return Excerpt("", len(text), href)
        return Excerpt(cut, len(text) - _BEGINNING - _END, href)


def _build_file_views(
    answer: Mapping[str, str], reference: Mapping[str, str], beside: _Beside
) -> list[FileView]:
    """Return the files of the answer and of the reference, sorted by path."""
    return [
        FileView(
            anchor=f"file-{number}",
            path=name,
            state=_describe_state(answer.get(name), reference.get(name)),
            code=beside.make_excerpt(answer[name], f"file-{number}") if name in answer else None,
        )
        for number, name in enumerate(sorted(answer.keys() | reference.keys()), 1)
    ]


def _name_anchors(tests: tuple[Test, ...]) -> list[tuple[str, Test]]:
    """Return the tests after their anchors, failed tests first.

    Anchors are made from names, so they stay the same when other tests come or go.
    """
    used: dict[str, int] = {}
    anchors: list[tuple[str, Test]] = []
    for test in tests:
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", test.name).strip("-").removeprefix("test_")[:80]
        used[plain] = used.get(plain, 0) + 1
        number = f"-{used[plain]}" if used[plain] > 1 else ""
        anchors.append((f"test-{plain}{number}", test))
    return sorted(anchors, key=lambda item: item[1].outcome is Outcome.PASSED)


def _describe_state(answer: str | None, reference: str | None) -> str:
    if answer is None:
        return "not written"
    if reference is None:
        return "only in the answer"
    return "same as the reference" if answer.strip() == reference.strip() else "differs"


def _build_conversation(artifact: AttemptArtifact, beside: _Beside) -> list[tuple[str, Excerpt]]:
    turns = [(message.role, message.content) for message in artifact.messages]
    if artifact.reply is not None:
        turns.append(("reply", artifact.reply))
    return [
        (role, beside.make_excerpt(text, f"message-{number}"))
        for number, (role, text) in enumerate(turns, start=1)
    ]


def _build_facts(generation: Generation) -> list[Fact]:
    tokens, cost = generation.tokens, format_dollars_or_dash(generation.cost_usd)
    counts = {
        "Input tokens": tokens.input,
        "Cached": tokens.cached_input,
        "Output tokens": tokens.output,
        "Reasoning": tokens.reasoning,
    }
    at_most = generation.cost_at_most_usd
    return list_facts(
        {
            "Generation": format_seconds(generation.duration_s),
            "First token": format_seconds(generation.time_to_first_token_s),
            "Finish reason": generation.finish_reason or "not said",
            "Tries": "not known" if generation.tries is None else str(generation.tries),
            "Served by": generation.served_by or None,
            "Fingerprint": generation.system_fingerprint or None,
            "Asked": generation.dialect and describe_dialect(generation.dialect),
            **{label: f"{count:,}" for label, count in counts.items() if count is not None},
            "Cost": None
            if generation.cost_basis is CostBasis.UNKNOWN
            else f"{cost} ({generation.cost_basis.value})",
            "Cost at most": None if at_most is None else format_dollars_or_dash(at_most),
        }
    )
