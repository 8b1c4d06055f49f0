"""Problems of files: the path and the reason of each, and the nearest key where people write."""

import difflib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from records.files.name_patterns import FORMS
from records.text.visible import make_one_line

MOST_TOLD: Final = 10
"""Problems of a file that a message describes; further problems are only counted."""
_LONGEST: Final = 60
"""Characters of a key or of a value in a message."""
_MOST_KEYS: Final = 20
_NAMES: Final = ("eval", "slug", "name", "id", "title")
"""Fields whose value names an entry of a list in messages."""

Location = tuple[int | str, ...]
"""The path of a value in parsed fields: keys of objects, and indexes of lists."""
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file, for its owner to fix."""

    path: Path
    field: str
    """A dotted path, or empty for the whole file."""
    reason: str
    line: int | None = None
    """The number of the field's line, in files that people write."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        where = f"{place}: {self.field}" if self.field else place
        return f"{where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """A problem of a file."""

    place: str
    """The path of the field, with names of entries instead of indexes; empty for the whole file."""
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


class InvalidFieldsError(ValueError):
    """Fields of a file are wrong; the message has the problems in one line."""

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        """Keep the words for the first problems, and the number of the others."""
        first_ten = problems[:MOST_TOLD]
        more = len(problems) - len(first_ten)
        number = f" (and {more} more)" if more else ""
        first, later = first_ten[0], "".join(f"; {problem}" for problem in first_ten[1:])
        self.place = first.place
        self.reason = f"{first.reason}{later}{number}"
        super().__init__(f"{self.place}: {self.reason}" if self.place else self.reason)


def validate_fields(
    fields: Mapping[str, Any], model: type[BaseModel], validate: Callable[[Any], Read]
) -> Read:
    """Return the result of ``validate`` for ``fields`` of a file that people write.

    The validation of a list stops at its first fault (`records.shapes.base`). So entries with a
    fault are left out and the rest is validated again, until the error has ten problems.

    Raises:
        InvalidFieldsError: a field is missing, unknown or wrong.
    """
    try:
        return validate(fields)
    except ValidationError as error:
        raise InvalidFieldsError(_find_all_problems(error, fields, model, validate)) from error


def find_problems(error: ValidationError, fields: object = None) -> list[FieldProblem]:
    """Return the problems of a validation in pydantic's words, unknown fields first.

    ``fields`` is the validated value, for names of entries; None if it is not available.
    """
    return [
        FieldProblem(_name_location(problem["loc"], fields), give_reason(problem))
        for problem in _sort_problems(error)
    ]


def describe_first_problem(error: ValidationError) -> str:
    """Return the first problem of a validation as ``field: reason``."""
    return str(find_problems(error)[0])


def list_error_details(error: ValidationError) -> list[ErrorDetails]:
    """Return the problems of a validation, each without its input, which may be large."""
    return error.errors(include_url=False, include_input=False)


def _find_all_problems(
    error: ValidationError,
    fields: Mapping[str, Any],
    model: type[BaseModel],
    validate: Callable[[Any], object],
) -> list[FieldProblem]:
    problems = [
        _describe_problem(each, each["loc"], model, fields, lists_keys=number == 0)
        for number, each in enumerate(_sort_problems(error))
    ]
    entries = _Entries(fields)
    while len(problems) <= MOST_TOLD and entries.leave_out(error):
        try:
            validate(entries.fields)
        except ValidationError as next_error:
            error = next_error
            # Problems outside of lists are in the list already, or caused by entries left out.
            problems += [
                _describe_problem(each, entries.find_original_location(each["loc"]), model, fields)
                for each in list_error_details(error)
                if _find_entry_location(each["loc"])
            ]
        else:
            break
    return list(dict.fromkeys(problems))


class _Entries:
    """The fields of a file, from which entries of lists with a fault are left out."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields: Any = _copy_entries(fields)
        self._left_out: dict[Location, list[int]] = {}

    def leave_out(self, error: ValidationError) -> bool:
        """Leave out the entries with a problem in ``error``; return whether there are any."""
        details = list_error_details(error)
        locations = {_find_entry_location(problem["loc"]) for problem in details} - {()}
        for location in sorted(locations, key=len, reverse=True):
            entries: object = _find_value(self.fields, location[:-1])
            if not isinstance(entries, list) or not isinstance(location[-1], int):
                return False
            original = self.find_original_location(location)
            del cast("list[object]", entries)[location[-1]]
            self._left_out.setdefault(original[:-1], []).append(cast("int", original[-1]))
        return bool(locations)

    def find_original_location(self, location: Location) -> Location:
        """Return the location in all fields of a location in the remaining fields."""
        whole: Location = ()
        for part in location:
            at = part
            if isinstance(at, int):
                for number in sorted(self._left_out.get(whole, ())):
                    at += number <= at
            whole = (*whole, at)
        return whole


def _copy_entries(value: Any) -> Any:  # noqa: ANN401 - of TOML, YAML or JSON
    if isinstance(value, dict):
        return {name: _copy_entries(each) for name, each in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_copy_entries(each) for each in cast("list[Any]", value)]
    return value


def _find_entry_location(location: Location) -> Location:
    """Return the location of the innermost list entry around ``location``; empty without a list."""
    numbers = [at for at, part in enumerate(location) if isinstance(part, int)]
    return location[: numbers[-1] + 1] if numbers else ()


def _sort_problems(error: ValidationError) -> list[ErrorDetails]:
    return sorted(list_error_details(error), key=lambda each: each["type"] != "extra_forbidden")


def give_reason(problem: ErrorDetails) -> str:
    """Return pydantic's words for a problem; for the pattern of a name, the form of such names."""
    form = FORMS.get(str(problem.get("ctx", {}).get("pattern")))
    return form or problem["msg"].removeprefix("Value error, ")


def _describe_problem(
    problem: ErrorDetails,
    location: Location,
    model: type[BaseModel],
    fields: object,
    *,
    lists_keys: bool = False,
) -> FieldProblem:
    """Return a problem of a file that people write, with the nearest known key or value."""
    reason = give_reason(problem)
    if problem["type"] == "extra_forbidden":
        reason += _suggest_keys(
            str(location[-1]), _list_known_keys(model, location[:-1]), lists_all=lists_keys
        )
    elif problem["type"] in {"literal_error", "enum"}:
        reason += _suggest_value(
            _find_value(fields, location), str(problem.get("ctx", {})["expected"])
        )
    return FieldProblem(_name_location(location, fields), reason)


def _suggest_keys(name: str, known_keys: Sequence[str], *, lists_all: bool) -> str:
    """Return the known key that is closest to ``name``, and with ``lists_all`` all known keys."""
    close = difflib.get_close_matches(name, known_keys, n=1)
    more = ", …" if len(known_keys) > _MOST_KEYS else ""
    parts = [
        *(f"close to it is {key}" for key in close),
        *(
            [f"known are {', '.join(known_keys[:_MOST_KEYS])}{more}"]
            if lists_all and known_keys
            else []
        ),
    ]
    return f": {'; '.join(parts)}" if parts else ""


def _suggest_value(value: object, expected: str) -> str:
    """Return the wrong ``value`` and the closest value in ``expected``, for the end of a reason."""
    if not isinstance(value, str | int | float):
        return ""
    allowed = expected.replace(" or ", ", ").replace("'", "").split(", ")
    close = difflib.get_close_matches(str(value), allowed, n=1)
    nearest = f", close to it is {close[0]}" if close else ""
    return f", is {make_one_line(repr(value), _LONGEST)}{nearest}"


# --- Locations in words --------------------------------------------------------------------------


def _name_location(location: Location, fields: object) -> str:
    """Return a location with the names of entries: ``failures[002-queries/000-a].class``."""
    text, at = "", fields
    for part in location:
        at = _find_value(at, (part,))
        if isinstance(part, int):
            text += f"[{_find_entry_name(at) or f'entry {part + 1}'}]"
        else:
            name = make_one_line(part, _LONGEST)
            text += f".{name}" if text else name
    return text


def _find_entry_name(entry: object) -> str | None:
    if not isinstance(entry, Mapping):
        return None
    fields = cast("Mapping[str, object]", entry)
    for field in _NAMES:
        if isinstance(name := fields.get(field), str) and name.strip():
            sample = fields.get("sample")
            number = f" sample {sample}" if isinstance(sample, int) else ""
            return make_one_line(name, _LONGEST) + number
    return None


def _find_value(value: object, location: Location) -> object:
    """Return the value at ``location`` in parsed fields; None if there is none."""
    for part in location:
        if isinstance(value, Mapping):
            value = cast("Mapping[object, object]", value).get(part)
        elif isinstance(value, list) and isinstance(part, int):
            entries = cast("list[object]", value)
            value = entries[part] if part < len(entries) else None
        else:
            return None
    return value


def _list_known_keys(model: type[BaseModel], location: Location) -> list[str]:
    """Return the known keys of ``model`` at ``location``, sorted; in a union, of all members."""
    types_here: list[object] = [model]
    for part in location:
        inside = [inner for each in types_here for inner in _list_inner_types(each, part)]
        # In a union, a part may be the name of the member that was tried, and no field.
        types_here = inside or types_here
    models = [each for each in types_here if isinstance(each, type) and issubclass(each, BaseModel)]
    return sorted({key for each in models for key, _ in _list_fields(each)})


def _list_fields(model: type[BaseModel]) -> list[tuple[str, Any]]:
    """Return the fields of a model with their keys in files."""
    return [(field.alias or name, field) for name, field in model.model_fields.items()]


def _list_inner_types(annotation: object, part: int | str) -> Iterator[object]:
    """Yield the types that a type allows below the key or index ``part``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for key, field in _list_fields(annotation):
            if key == part:
                yield from _list_member_types(field.annotation)
    elif isinstance(part, int) or get_origin(annotation) in {dict, Mapping}:
        for argument in get_args(annotation)[-1 if isinstance(part, str) else 0 :]:
            yield from _list_member_types(argument)


def _list_member_types(annotation: object) -> Iterator[object]:
    """Yield the types of an annotation, without metadata: each member of a union."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _list_member_types(get_args(annotation)[0])
    elif origin in {Union, types.UnionType}:
        for member in get_args(annotation):
            yield from _list_member_types(member)
    else:
        yield annotation
