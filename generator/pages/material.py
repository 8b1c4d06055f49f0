"""Everything that pages are made from, read and computed before the first is rendered."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.contexts.shared import Link
from generator.corpus import Corpus, FiledReport
from generator.pages.boards import Board, boards
from generator.settings import SiteSettings
from generator.suite_texts import EvalTexts


@dataclass(frozen=True, slots=True)
class Material:
    """What was read, with what several pages need of it together."""

    settings: SiteSettings
    corpus: Corpus
    texts: Mapping[str, EvalTexts]
    """Of our own evals, by name."""
    boards: Mapping[str, Board]
    """By benchmark version, newest first."""
    titles: Mapping[str, str]
    """What a reader calls each version; no two the same."""
    front: str | None
    """The version that `/` shows."""
    evals: frozenset[str]
    """Those that have a page."""
    reports: Mapping[str, Sequence[FiledReport]]
    """By the run they are about, newest first."""

    def place(self, version: str) -> str:
        """Return the folder of a version's pages: the root for the front one."""
        return "" if version == self.front else f"benchmarks/{version}/"

    def version_title(self, version: str) -> str:
        """Return what a reader calls a benchmark version."""
        return self.titles.get(version, version)

    def version_href(self, version: str) -> str:
        """Return where a version's table stands; the archive where the version is not known."""
        return self.place(version) if version in self.boards else "benchmarks/"

    def switch(self, below: str, current: str, having: Sequence[str] | None = None) -> list[Link]:
        """Return links to the same page of every version that has it."""
        return [
            Link(self.place(version) + below, self.titles[version], current=version == current)
            for version in self.boards
            if having is None or version in having
        ]


def material(settings: SiteSettings, corpus: Corpus, texts: Mapping[str, EvalTexts]) -> Material:
    """Gather what pages need from everything that was read."""
    computed = boards(corpus, texts)
    newest = {version: _newest(corpus, version) for version in computed}
    order = sorted(computed, key=lambda version: (newest[version], version), reverse=True)
    named = {name for run in corpus.runs for name in run.results}
    listed = {name for board in computed.values() for name in board.benchmark.evals}
    reports: dict[str, list[FiledReport]] = {}
    for filed in corpus.reports:
        reports.setdefault(filed.report.run, []).append(filed)
    return Material(
        settings=settings,
        corpus=corpus,
        texts=texts,
        boards={version: computed[version] for version in order},
        titles=_titles(corpus),
        front=_front(settings, corpus),
        evals=frozenset(named | listed | texts.keys()),
        reports=reports,
    )


def _newest(corpus: Corpus, version: str) -> str:
    """Return the day of a version: when it was minted, else that of its newest run."""
    minted = corpus.benchmarks[version].minted_at
    if minted is not None:
        return minted.date().isoformat()
    days = [run.date.isoformat() for run in corpus.runs if run.version == version]
    return max(days, default="")


def _titles(corpus: Corpus) -> dict[str, str]:
    """Take titles from the definitions, and tell those that are the same apart by identity."""
    known = {one.version: one.title for one in corpus.benchmarks.values()}
    repeated = {title for title, number in Counter(known.values()).items() if number > 1}
    return {
        version: f"{title} ({version[:8]})" if title in repeated else title
        for version, title in known.items()
    }


def _front(settings: SiteSettings, corpus: Corpus) -> str | None:
    """Return the version that `/` shows: the settings' choice, else the newest minted one."""
    if settings.current_version in corpus.benchmarks:
        return settings.current_version
    minted = [one for one in corpus.benchmarks.values() if one.minted_at is not None]
    newest = max(minted, key=lambda one: str(one.minted_at), default=None)
    return newest.version if newest else None
