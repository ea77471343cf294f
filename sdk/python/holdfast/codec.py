"""JSON to the types of Python's type hints, and back."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import functools
import inspect
import json
import types
import typing
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class NotReadable(Exception):
    """A value that does not fit its type hint. `path` says which one: "args.order.lines[2]"."""

    def __init__(self, path: str, expected: str, found: Any) -> None:
        super().__init__(f"{path}: expected {expected}, got {json_kind(found)}")
        self.path = path


def json_kind(value: Any) -> str:
    for kind, name in ((bool, "a boolean"), (str, "a string"), (dict, "an object"), (list, "an array")):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "a number"


def _plain(value: Any) -> Any:
    """What json cannot write by itself."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


encode: Callable[[Any], str] = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain
).encode
"""The value as JSON text. Raises TypeError and ValueError for values that JSON does not have."""

Reader = Callable[[Any, str], Any]
_TIMES = (datetime.datetime, datetime.date, datetime.time)
_NAMES = {str: "a string", bool: "a boolean", int: "an integer", float: "a number"}


@functools.cache
def reader(hint: Any) -> Reader:
    """A function (value, path) that checks and converts a JSON value to the type of the hint."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, inspect.Parameter.empty, object):
        return lambda value, path: value
    if origin is typing.Annotated:
        return reader(arguments[0])
    if hint in (None, type(None)):
        return _exactly(lambda value: value is None, "null")
    if origin in (typing.Union, types.UnionType):
        return _any_of([reader(each) for each in arguments], str(hint))
    if origin is typing.Literal:
        return _exactly(lambda value: value in arguments, f"one of {', '.join(map(repr, arguments))}")
    if isinstance(hint, type) and origin is None:
        return _of_class(hint)
    if origin in (list, Sequence, set, frozenset):
        return _list_of(reader(arguments[0]), list if origin is Sequence else origin)
    if origin is tuple:
        return _tuple_of(arguments)
    if origin in (dict, Mapping):
        return _dict_of(reader(arguments[1]))
    raise TypeError(f"the type hint {hint!r} is not supported for arguments of tasks")


def _exactly(fits: Callable[[Any], bool], expected: str) -> Reader:
    def read(value: Any, path: str) -> Any:
        if not fits(value):
            raise NotReadable(path, expected, value)
        return value

    return read


def _of_class(hint: type) -> Reader:
    if hint is float:
        number = _exactly(lambda value: type(value) in (int, float), "a number")
        return lambda value, path: float(number(value, path))
    if hint in _NAMES:
        return _exactly(lambda value: type(value) is hint, _NAMES[hint])
    if hint in (list, dict):
        return _exactly(lambda value: isinstance(value, hint), "an array" if hint is list else "an object")
    if hint is tuple:
        return _list_of(reader(Any), tuple)
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint)
    convert: Callable[[Any], Any] | None = None
    if hint in _TIMES:
        convert = typing.cast(Any, hint).fromisoformat
    elif issubclass(hint, (enum.Enum, uuid.UUID)):
        convert = hint
    if convert is None:
        raise TypeError(f"the type {hint!r} is not supported for arguments of tasks; use a dataclass")

    def read(value: Any, path: str) -> Any:
        try:
            return convert(value)
        except (TypeError, ValueError, AttributeError):
            raise NotReadable(path, f"a {hint.__name__}", value) from None

    return read


def _any_of(readers: list[Reader], name: str) -> Reader:
    def read(value: Any, path: str) -> Any:
        for each in readers:
            try:
                return each(value, path)
            except NotReadable:
                continue
        raise NotReadable(path, name, value)

    return read


def _list_of(item: Reader, make: Callable[[Any], Any]) -> Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, list):
            raise NotReadable(path, "an array", value)
        return make([item(each, f"{path}[{index}]") for index, each in enumerate(value)])

    return read


def _tuple_of(hints: tuple[Any, ...]) -> Reader:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return _list_of(reader(hints[0]), tuple)
    items = [reader(each) for each in hints]

    def read(value: Any, path: str) -> Any:
        if not isinstance(value, list) or len(value) != len(items):
            raise NotReadable(path, f"an array of {len(items)}", value)
        return tuple(item(each, f"{path}[{index}]") for index, (item, each) in enumerate(zip(items, value)))

    return read


def _dict_of(item: Reader) -> Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise NotReadable(path, "an object", value)
        return {name: item(each, f"{path}.{name}") for name, each in value.items()}

    return read


def _dataclass(hint: type) -> Reader:
    fields: dict[str, tuple[Reader, bool]] | None = None  # read late: a dataclass may contain itself

    def read(value: Any, path: str) -> Any:
        nonlocal fields
        if fields is None:
            hints = typing.get_type_hints(hint)
            missing = dataclasses.MISSING
            fields = {
                each.name: (reader(hints[each.name]), each.default is missing and each.default_factory is missing)
                for each in dataclasses.fields(typing.cast(Any, hint)) if each.init
            }
        if not isinstance(value, dict):
            raise NotReadable(path, f"an object ({hint.__name__})", value)
        given = {}
        for name, (read_field, is_required) in fields.items():
            if name in value:
                given[name] = read_field(value[name], f"{path}.{name}")
            elif is_required:
                raise NotReadable(f"{path}.{name}", "a value", None)
        return hint(**given)

    return read


def schema(hint: Any) -> dict[str, Any]:
    """A JSON schema of what reader(hint) accepts."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema(each) for each in arguments]}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (list, Sequence, set, frozenset):
        return {"type": "array", "items": schema(arguments[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema(arguments[1])}
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object",
             tuple: "array", type(None): "null", None: "null"}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [each.value for each in hint]}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return {"type": "object", "title": hint.__name__}
    if origin is None and (hint is None or isinstance(hint, type)) and hint in names:
        return {"type": names[hint]}
    return {}
