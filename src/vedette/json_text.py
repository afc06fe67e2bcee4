"""JSON that a program of ours has written, and that somebody may have cut short, edited or taken for something else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vedette.errors import FileFormatError, MissingDataError


def read_json_object(path: Path, keys: Mapping[str, type | tuple[type, ...]], expected: str) -> dict[str, Any]:
    """Read a file that holds one object.

    Args:
        path: the file.
        keys: that it must have, and of which type their values are; it may have others.
        expected: what would be right, for messages.

    Raises:
        MissingDataError: it is not there, or cannot be read.
        FileFormatError: no JSON, no object, a key is missing or its value of another type.
    """
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingDataError(f"{path}: not there; expected {expected}") from None
    except OSError as error:
        raise MissingDataError(f"{path}: cannot be read ({error.strerror}); expected {expected}") from error
    except (ValueError, RecursionError) as error:
        raise FileFormatError(path, met=f"no JSON ({error})", expected=expected) from error
    check_keys(document, keys, path, expected)
    return document


def check_keys(value: object, keys: Mapping[str, type | tuple[type, ...]], path: Path, expected: str) -> None:
    """See that a value is an object with some keys.

    Args:
        value: as JSON gave it.
        keys: that it must have, and of which type their values are.
        path: named in errors.
        expected: what would be right, for messages.

    Raises:
        FileFormatError: it is none, a key is missing, or its value of another type.
    """
    if not isinstance(value, dict):
        raise FileFormatError(path, met=f"{type(value).__name__} {str(value)[:60]!r}", expected=expected)
    for key, kind in keys.items():
        if key not in value:
            raise FileFormatError(path, met=f"no key {key!r}", expected=expected)
        if not isinstance(value[key], kind):
            raise FileFormatError(path, met=f"{key} is {str(value[key])[:60]!r}", expected=expected)
