"""The page of what models get wrong: the most common mistakes of a version, each with an answer."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from generator.render.templates import PageContext, Row
from generator.scores.leaderboards import Leaderboard
from generator.scores.mistakes import Mistake, RunFailure, VersionMistakes
from generator.scores.score_estimate import Share
from generator.site_data import SiteData
from records.archives.archive import OpenArchives
from records.runs.failure_words import generalize_message
from records.suites.canary import strip_canary
from records.suites.experiments import DEFAULT
from records.text.numbers import format_count

_MOST = 10
"""The number of mistakes that are described; those up to `_NAMED` are only named."""
_NAMED = 40
_CONTEXT = 3
_MOST_LINES = 30
_MOST_MARKED = 12
"""If more lines differ from the reference, the difference does not show the mistake."""
_PLACE = re.compile(r"([\w./-]+\.\w+), line (\d+): ")
_CALLED = re.compile(r"[\w/]+:(\w+) gave ")


def build_mistakes_page(site: SiteData, leaderboard: Leaderboard) -> PageContext:
    """Return the page of the mistakes in ``leaderboard``."""
    folder, version = site.find_version_folder(leaderboard.version), leaderboard.version
    every = site.mistakes[version]
    entries = leaderboard.select_models(DEFAULT)
    with OpenArchives() as archives:
        described = [_describe(site, archives, mistake) for mistake in every.mistakes[:_MOST]]
    return PageContext(
        "pages/mistakes.html",
        f"What models get wrong: {site.titles[version]}",
        f"{folder}mistakes/",
        f"The most common mistakes of {format_count(len(entries), 'model')} in"
        f" {site.titles[version]}, and answers with them.",
        "evals",
        guidelines=not leaderboard.is_of_other_tool,
        board=leaderboard,
        basics=site,
        models=len(entries),
        every=every,
        judged=sum(run.tally.judged for entry in entries for run in entry.runs),
        mistakes=described,
        further=every.mistakes[_MOST:_NAMED],
        unnamed=max(0, len(every.mistakes) - _NAMED),
        published=any(each.naming == "publisher" for each in every.mistakes),
        subjects=list(_build_subjects(site, leaderboard, every)),
    )


def _build_subjects(
    site: SiteData, leaderboard: Leaderboard, every: VersionMistakes
) -> Iterator[Row]:
    """Yield each subject with its share of failed attempts and its most common mistake."""
    subjects = {name: next(iter(site.list_subjects(name)), None) for name in leaderboard.health}
    judged: Counter[str | None] = Counter()
    for entry in leaderboard.select_models(DEFAULT):
        for name, subject in subjects.items():
            judged[subject] += sum(run.results[name].judged for run in entry.list_runs(name))
    failed = Counter(subjects.get(failure.eval) for failure in every.failures)
    shares = {name: Share(failed[name], judged[name]) for name in judged if name and judged[name]}
    for subject, share in sorted(shares.items(), key=lambda item: (-item[1].percent, item[0])):
        of_subject = (each.name for each in every.mistakes if each.guidelines == subject)
        yield Row(subject=subject, share=share, mistake=next(of_subject, ""))


def _describe(site: SiteData, archives: OpenArchives, mistake: Mistake) -> Row:
    """Return a mistake with its models, evals and one answer."""
    example = max(mistake.failures, key=lambda each: (each.is_kept, each.run.head.began))
    causes = _count_causes(mistake)
    wrong = next(iter(causes)) if len(causes) == 1 else ""
    note = next(
        (each.note for each in mistake.failures if each.note and each.run.source is None), ""
    )
    # A report often begins with the words of the mistake or its cause.
    for words in (*causes, mistake.name):
        note = note.removeprefix(words).strip()
    return Row(
        mistake=mistake,
        names={failure.run.slug: failure.run.name for failure in mistake.failures},
        wrong=wrong,
        causes=causes.most_common() if len(causes) > 1 else [],
        note=note,
        example=example,
        excerpt=_read_excerpt(site, archives, example),
    )


def _count_causes(mistake: Mistake) -> Counter[str]:
    """Count what answers did that fail a test, as far as it is known; else name the mistake.

    Different causes fail the same test, and none of them is the name of all.
    """
    if mistake.naming != "test":
        return Counter([mistake.name])
    # Messages that differ in values alone are one cause, in the words of the first.
    words: dict[str, str] = {}
    return Counter(
        words.setdefault(generalize_message(each.attempt.got), each.attempt.got)
        for each in mistake.failures
        if each.attempt.got
    )


def _read_excerpt(site: SiteData, archives: OpenArchives, failure: RunFailure) -> Row | None:
    """Return the lines of an answer around its mistake; None if they are not known.

    They are at the place that the message names; else where the answer differs from the reference
    in few lines; else at the function that the failed test called.
    """
    files = failure.run.read_files(archives, failure.eval, failure.attempt.sample)
    if files is None:
        return None
    texts, got = site.texts.get(failure.eval), failure.attempt.got or ""
    place, called = _PLACE.match(got), _CALLED.match(got)
    if place and place[1] in files:
        return _cut(files, place[1], {int(place[2]) - 1}, "place")
    if marked := _find_differences(files, texts.reference if texts else {}):
        return _cut(files, *marked, "reference")
    for path, text in files.items() if called else ():
        for number, line in enumerate(text.split("\n")):
            if called and f"export const {called[1]} = " in line:
                return _cut(files, path, {number}, "function")
    return None


def _find_differences(
    files: Mapping[str, str], reference: Mapping[str, str]
) -> tuple[str, set[int]] | None:
    """Return the first file that differs from the reference, and the numbers of its lines that do.

    Beside missing lines the line before them counts. None if the answers differ much.
    """
    changed = [path for path in files if path in reference and files[path] != reference[path]]
    if not changed or files.keys() != reference.keys():
        return None
    marked: set[int] = set()
    before, after = (side[changed[0]].split("\n") for side in (reference, files))
    if max(len(before), len(after)) > _LONGEST:
        return None
    for tag, _, _, start, end in SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            marked |= {*range(start, end)} or {max(0, start - 1)}
    # The reference is without the suite's canary; an answer that has it is told on its own page.
    marked = {number for number in marked if strip_canary(after[number]) == after[number]}
    return (changed[0], marked) if 0 < len(marked) <= _MOST_MARKED else None


_LONGEST = 1_000
"""Files with more lines are not compared."""


def _cut(files: Mapping[str, str], path: str, marked: set[int], how: str) -> Row:
    """Return the marked lines of a file with the lines beside them."""
    text = files[path].split("\n")
    near = {line for at in marked for line in range(at - _CONTEXT, at + _CONTEXT + 1)}
    numbers = sorted(near & {*range(len(text))})[:_MOST_LINES]
    return Row(
        path=path,
        how=how,
        lines=[
            Row(
                number=at + 1,
                text=text[at],
                marked=at in marked,
                after_gap=before is not None and at > before + 1,
            )
            for before, at in zip((None, *numbers), numbers, strict=False)
        ],
    )
