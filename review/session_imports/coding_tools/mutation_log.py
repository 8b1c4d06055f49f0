"""VS Code's log of an object: its first state, then a change on each line."""

from collections.abc import Mapping
from functools import reduce
from typing import Any, Final, cast

from records.foreign.fields import UnknownShapeError, as_fields, as_items, require_list

_INITIAL: Final = 0
_SET: Final = 1
_PUSH: Final = 2
_DELETE: Final = 3


def is_initial(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry of a log is the first state of an object."""
    return entry.get("kind") == _INITIAL and isinstance(entry.get("v"), dict)


def apply(entry: Mapping[str, Any], state: object) -> None:
    """Apply a later entry of a log to the object ``state``.

    Raises:
        UnknownShapeError: the entry has another shape, or the object has nothing at its path.
    """
    path = require_list(entry.get("k"), "k")
    if not path:
        raise UnknownShapeError("the path is empty")
    kind = entry.get("kind")
    holder = reduce(_get_item, path[:-1], state)
    if kind == _SET:
        _set(holder, path[-1], entry.get("v"))
    elif kind == _PUSH:
        _push(holder, path[-1], entry)
    elif kind == _DELETE and isinstance(holder, dict) and isinstance(path[-1], str):
        cast("dict[str, Any]", holder).pop(path[-1], None)
    else:
        raise UnknownShapeError(f"entry of kind {str(kind)[:20]} is not known")


def _get_item(holder: object, key: object) -> object:
    fields, items = as_fields(holder), as_items(holder)
    if isinstance(key, str) and key in fields:
        return fields[key]
    if isinstance(key, int) and 0 <= key < len(items):
        return items[key]
    raise UnknownShapeError(f"the path leads nowhere at {str(key)[:40]}")


def _set(holder: object, key: object, value: object) -> None:
    if isinstance(holder, dict) and isinstance(key, str):
        cast("dict[str, object]", holder)[key] = value
        return
    if isinstance(holder, list) and isinstance(key, int):
        items = cast("list[object]", holder)
        if 0 <= key <= len(items):
            items[key : key + 1] = [value]
            return
    raise UnknownShapeError(f"the path leads nowhere at {str(key)[:40]}")


def _push(holder: object, key: object, entry: Mapping[str, Any]) -> None:
    """Append values to a list; if the entry has ``i``, the list is first cut to this length."""
    if isinstance(key, str) and key not in as_fields(holder):
        _set(holder, key, [])
    items = require_list(_get_item(holder, key), "the list")
    cut = entry.get("i")
    if isinstance(cut, int) and cut >= 0:
        del items[cut:]
    items.extend(require_list(entry.get("v") or [], "v"))
