"""Logs of Inspect as ZIP files (`.eval`): the names of their parts, and texts that are kept apart.

`header.json` describes the run, `samples/<id>_epoch_<n>.json` are its samples. A log that was never
finished has `_journal/start.json` instead of the header.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from records.files.packed_files import ZIP

HEADER: Final = "header.json"
START: Final = "_journal/start.json"
LARGEST_SAMPLE: Final = 64 * 1024 * 1024
"""Bytes of one unpacked sample; a larger one is refused."""
_ATTACHMENT: Final = "attachment://"


def is_packed_log(data: bytes) -> bool:
    """Return whether bytes are a ZIP file that names the description of a log."""
    return data.startswith(ZIP) and (HEADER.encode() in data or START.encode() in data)


def name_description(names: Iterable[str]) -> str:
    """Return the name of the file that describes the run: the header if the log has one."""
    return HEADER if HEADER in names else START


def list_samples(names: Iterable[str]) -> list[str]:
    """Return the names of the files of samples, each once, in the order of the archive."""
    samples = (name for name in names if name.startswith("samples/") and name.endswith(".json"))
    return list(dict.fromkeys(samples))


def is_attached(text: str) -> bool:
    """Return whether a text stands for a long one that the sample keeps among its attachments."""
    return text.startswith(_ATTACHMENT)


def attached_text(text: str, attachments: Mapping[str, Any]) -> str | None:
    """Return the long text that a short one stands for; None if the sample does not have it."""
    whole = attachments.get(text.removeprefix(_ATTACHMENT))
    return whole if isinstance(whole, str) else None


def fill_attachments(
    value: object, attachments: Mapping[str, Any], refuse: Callable[[str], Exception]
) -> object:
    """Return a JSON value with the long texts that its sample keeps apart.

    ``refuse`` makes the error that is raised for a text that the sample does not have.
    """
    if isinstance(value, str) and is_attached(value):
        text = attached_text(value, attachments)
        if text is None:
            raise refuse(f"{value[:80]} is not among its attachments")
        return text
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [fill_attachments(item, attachments, refuse) for item in items]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {name: fill_attachments(each, attachments, refuse) for name, each in fields.items()}
    return value
