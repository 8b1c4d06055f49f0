"""Names in records for the names of another tool: versions, categories, evals, models.

Names become parts of addresses, so letters outside of their forms are replaced; a digest keeps
names apart that would become equal.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from records.runs.model_slugs import make_model_slug
from records.suites.benchmark import compute_texts_digest
from records.text.numbers import format_count
from records.text.visible import make_one_line

_OTHER_WORDS: Final = re.compile(r"[^a-z0-9]+")
_NUMBER: Final = re.compile(r"(\d{1,18})")
_TASK_LETTERS: Final = 40
_SAMPLE_LETTERS: Final = 40
_VERSION_LETTERS: Final = 24
_DIGITS: Final = 8
_MOST_NAMED: Final = 3


class SampleKey(NamedTuple):
    """A sample of a benchmark."""

    task: str
    sample: str
    content: str
    """Digest of its content; empty where it is not known."""


def name_evals(keys: Iterable[SampleKey]) -> dict[SampleKey, str]:
    """Return the eval that each sample is in records, the tasks and samples in natural order.

    The name ends in a digest of the sample, so that evals of several benchmarks never share a
    page, unless they are the same sample.
    """
    by_task: dict[str, list[SampleKey]] = {}
    for key in sorted(keys, key=lambda key: [*map(_split_natural_parts, key)]):
        by_task.setdefault(key.task, []).append(key)
    names: dict[SampleKey, str] = {}
    for number, (task, samples) in enumerate(by_task.items()):
        category = f"{number:03d}-{_join_words(task, '_', _TASK_LETTERS) or 'task'}"
        width = max(3, len(str(len(samples))))
        for sample_number, key in enumerate(samples, 1):
            digest = compute_texts_digest(*key)[:_DIGITS]
            letters = _join_words(key.sample, "_", _SAMPLE_LETTERS)
            names[key] = (
                f"{category}/{sample_number:0{width}d}-{f'{letters}_' if letters else ''}{digest}"
            )
    return names


def name_version(name: str, digest: str) -> str:
    """Return the benchmark version of a benchmark's name and digest."""
    letters = _join_words(name, "-", _VERSION_LETTERS)
    return f"{letters}-{digest[:12]}" if letters else digest[:12]


def name_model(model: str, variant: str | None) -> tuple[str, str, str]:
    """Return slug, name and provider of a model as a file names it, in one of its variants."""
    above, _, name = model.rpartition("/")
    maker = above.rpartition("/")[2]
    shown_name = make_one_line(name or model, 120)
    whole = shown_name if variant is None else f"{shown_name} ({make_one_line(variant, 70)})"
    slug = make_model_slug(model, maker, name, variant)
    return slug, whole, make_one_line(maker, 200) or "not named"


def format_version_title(name: str, keys: Sequence[SampleKey], score: str | None) -> str:
    """Return the title of a benchmark version."""
    samples = format_count(len(keys), "sample")
    decided = f" · {make_one_line(score, 40)}" if score else ""
    return f"{make_one_line(name, 120)} · {samples}{decided}"


def _split_natural_parts(text: str) -> list[tuple[int, int, str]]:
    """Return parts of a text by which ``q9`` comes before ``q10``."""
    parts = _NUMBER.split(text)
    return [
        (0, int(part), part) if part.isdecimal() and part.isascii() else (1, 0, part)
        for part in parts
    ]


def _join_words(text: str, between: str, most: int) -> str:
    return _OTHER_WORDS.sub(between, text.lower()[: most * 4]).strip(between)[:most].strip(between)


def name_tasks(tasks: Iterable[str]) -> str:
    """Return the name of a benchmark of these tasks, for files that do not name it."""
    names = sorted(set(tasks), key=_split_natural_parts)
    beginning = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return make_one_line(f"{beginning} and {more} more" if more > 0 else beginning, 150)
