"""Logs of Inspect: the parts of their ZIP files (`.eval`), texts that are kept apart, and tokens.

`header.json` describes the run, `samples/<id>_epoch_<n>.json` are its samples. A log that was never
finished has `_journal/start.json` instead of the header.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from records.files.packed_files import ZIP

HEADER: Final = "header.json"
START: Final = "_journal/start.json"
LARGEST_SAMPLE: Final = 64 * 1024 * 1024
"""Bytes of one unpacked sample, and characters of its attachments where it names them; a larger one
is refused."""
_ATTACHMENT: Final = "attachment://"


def is_packed_log(data: bytes) -> bool:
    """Return whether bytes are a ZIP file that names the description of a log."""
    return data.startswith(ZIP) and (HEADER.encode() in data or START.encode() in data)


def choose_description_file(names: Iterable[str]) -> str:
    """Return the name of the file that describes the run: the header if the log has one."""
    return HEADER if HEADER in names else START


def list_samples(names: Iterable[str]) -> list[str]:
    """Return the names of the files of samples, each once, in the order of the archive."""
    samples = (name for name in names if name.startswith("samples/") and name.endswith(".json"))
    return list(dict.fromkeys(samples))


@dataclass(slots=True)
class Attachments:
    """The long texts that a sample keeps apart; short texts stand for them."""

    texts: Mapping[str, Any]
    """The texts by their names."""
    refuse: Callable[[str], Exception]
    """Makes the error that is raised for a sample that cannot be read whole."""
    left: int = LARGEST_SAMPLE
    """Characters that may still be filled in: many short texts may stand for one of megabytes."""

    def find(self, text: str) -> str | None:
        """Return the text itself, or the long one that it stands for; None if that is missing."""
        if not text.startswith(_ATTACHMENT):
            return text
        whole = self.texts.get(text.removeprefix(_ATTACHMENT))
        return whole if isinstance(whole, str) else None

    def fill(self, value: object) -> object:
        """Return a JSON value with the long texts in their places."""
        if isinstance(value, str):
            return self._fill_text(value)
        if isinstance(value, list):
            return [self.fill(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            return {name: self.fill(each) for name, each in fields.items()}
        return value

    def _fill_text(self, text: str) -> str:
        whole = self.find(text)
        if whole is None:
            raise self.refuse(f"{text[:80]} is not among its attachments")
        if whole is not text:
            self.left -= len(whole)
        if self.left < 0:
            raise self.refuse(f"its attachments fill more than {LARGEST_SAMPLE} characters")
        return whole


class InspectUsage(NamedTuple):
    """Tokens that a model used; a count is None if it is not known.

    Inspect writes 0 for the counts that a provider did not report.
    """

    input: int | None
    """With those from the cache, which Inspect counts apart."""
    cached_input: int | None
    output: int | None
    reasoning: int | None


def read_inspect_usage(count_at: Callable[[str], int | None]) -> InspectUsage:
    """Return the known counts of a model's usage; ``count_at`` returns the count of a field.

    All input is the total without the output. No request has an empty input, so a total that is not
    above the output says nothing of the input.
    """
    total, output = count_at("total_tokens"), count_at("output_tokens")
    cached, reasoning = count_at("input_tokens_cache_read"), count_at("reasoning_tokens")
    if not any((total, output, cached, reasoning)):
        return InspectUsage(None, None, None, None)
    return InspectUsage(
        input=None if total is None or output is None or total <= output else total - output,
        cached_input=cached,
        output=output if total or output else None,
        reasoning=reasoning,
    )
