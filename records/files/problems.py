"""Problems of files: the path and the reason of each, and the nearest key where people write."""

import difflib
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, SchemaValidator

from records.files.name_patterns import FORMS
from records.text.visible import make_one_line

MOST_TOLD = 10
"""Problems of a file that a message describes; further problems are only counted."""
_LONGEST = 60
"""Characters of a key or of a value in a message."""
_MOST_KEYS = 20
_LARGEST = 300_000
"""Characters of fields; a list of all faults of larger ones could take hundreds of megabytes."""
_NAMES = ("eval", "slug", "name", "id", "title")
"""Fields whose value names an entry of a list in messages."""

Location = tuple[int | str, ...]
"""The path of a value in parsed fields: keys of objects, and indexes of lists."""
AnyModel = TypeVar("AnyModel", bound=BaseModel)


class FieldProblem(NamedTuple):
    """A problem of a file."""

    place: str
    """The path of the field, with names of entries instead of indexes; empty for the whole file."""
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


class InvalidFieldsError(ValueError):
    """Fields of a file are wrong; the message has the problems in one line."""

    def __init__(self, problems: Sequence[FieldProblem], more: int = 0) -> None:
        """Keep the words for the first problems, and the number of the others, with ``more``."""
        first, *later = problems[:MOST_TOLD]
        more += len(problems) - len(problems[:MOST_TOLD])
        number = f" (and {more} more)" if more else ""
        self.place = first.place
        self.reason = f"{first.reason}{''.join(f'; {problem}' for problem in later)}{number}"
        super().__init__(str(FieldProblem(self.place, self.reason)))


def validate_fields(
    fields: Mapping[str, Any], model: type[AnyModel], text: str | None = None
) -> AnyModel:
    """Return the values of ``fields`` of a file that people write.

    ``text`` is the same fields in JSON, if their types must be those of JSON.

    Raises:
        InvalidFieldsError: a field is missing, unknown or wrong.
    """
    try:
        return (
            model.model_validate(fields)
            if text is None
            else model.model_validate_json(text, strict=True)
        )
    except ValidationError as error:
        details = list_error_details(_find_all_faults(error, fields, model, text))
        # The problems of an entry of a list stay together, with unknown fields first.
        details.sort(
            key=lambda each: (
                [part for part in each["loc"] if isinstance(part, int)],
                each["type"] != "extra_forbidden",
            )
        )
        problems = [
            _describe_problem(each, model, fields, lists_keys=number == 0)
            for number, each in enumerate(details[:MOST_TOLD])
        ]
        raise InvalidFieldsError(problems, len(details) - len(problems)) from error


def find_problems(error: ValidationError, fields: object = None) -> list[FieldProblem]:
    """Return the problems of a validation in pydantic's words, unknown fields first.

    ``fields`` is the validated value, for names of entries; None if it is not available.
    """
    details = list_error_details(error)
    details.sort(key=lambda problem: problem["type"] != "extra_forbidden")
    return [
        FieldProblem(_name_location(each["loc"], fields), give_reason(each)) for each in details
    ]


def describe_first_problem(error: ValidationError) -> str:
    """Return the first problem of a validation as ``field: reason``."""
    return str(find_problems(error)[0])


def list_error_details(error: ValidationError) -> list[ErrorDetails]:
    """Return the problems of a validation, each without its input, which may be large."""
    return error.errors(include_url=False, include_input=False)


def _find_all_faults(
    error: ValidationError, fields: Mapping[str, Any], model: type[BaseModel], text: str | None
) -> ValidationError:
    """Return the error of a validation that goes on after the first fault of a list.

    That of a record stops there (`records.shapes.base`), so it is made again without the stops.
    """
    if len(str(fields)) > _LARGEST:
        return error
    schema = _remove_stops(model.__pydantic_core_schema__)
    validator = SchemaValidator(schema, _use_prebuilt=False)
    try:
        if text is None:
            validator.validate_python(fields)
        else:
            validator.validate_json(text, strict=True)
    except ValidationError as whole:
        return whole
    return error


def _remove_stops(schema: Any) -> Any:  # noqa: ANN401 - a part of a schema
    if isinstance(schema, dict):
        parts = cast("dict[str, Any]", schema)
        return {
            name: part if name == "metadata" else _remove_stops(part)
            for name, part in parts.items()
            if name != "fail_fast"
        }
    if isinstance(schema, list | tuple):
        items = [_remove_stops(part) for part in cast("Sequence[Any]", schema)]
        return items if isinstance(schema, list) else tuple(items)
    return schema


def give_reason(problem: ErrorDetails) -> str:
    """Return pydantic's words for a problem; for the pattern of a name, the form of such names."""
    form = FORMS.get(str(problem.get("ctx", {}).get("pattern")))
    return form or problem["msg"].removeprefix("Value error, ")


def _describe_problem(
    problem: ErrorDetails, model: type[BaseModel], fields: object, *, lists_keys: bool
) -> FieldProblem:
    """Return a problem of a file that people write, with the nearest known key or value.

    With ``lists_keys``, all known keys are listed beside an unknown key.
    """
    location, reason = problem["loc"], give_reason(problem)
    if problem["type"] == "extra_forbidden":
        # In a union, the keys of all members are known.
        types_here: list[object] = [model]
        for part in location[:-1]:
            inside = [inner for each in types_here for inner in _list_inner_types(each, part)]
            # In a union, a part may be the name of the member that was tried, and no field.
            types_here = inside or types_here
        models = [each for each in types_here if isinstance(each, type)]
        records = [each for each in models if issubclass(each, BaseModel)]
        known_keys = sorted({key for each in records for key, _ in _list_fields(each)})
        close = difflib.get_close_matches(str(location[-1]), known_keys, n=1)
        parts = [f"close to it is {key}" for key in close]
        if lists_keys and known_keys:
            more = ", …" if len(known_keys) > _MOST_KEYS else ""
            parts.append(f"known are {', '.join(known_keys[:_MOST_KEYS])}{more}")
        reason += f": {'; '.join(parts)}" if parts else ""
    elif problem["type"] in {"literal_error", "enum"}:
        value, expected = _find_value(fields, location), str(problem.get("ctx", {})["expected"])
        if isinstance(value, str | int | float):
            allowed = expected.replace(" or ", ", ").replace("'", "").split(", ")
            close = difflib.get_close_matches(str(value), allowed, n=1)
            nearest = f", close to it is {close[0]}" if close else ""
            reason += f", is {make_one_line(repr(value), _LONGEST)}{nearest}"
    return FieldProblem(_name_location(location, fields), reason)


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
