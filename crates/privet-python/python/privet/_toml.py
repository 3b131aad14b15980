"""Policies as TOML: numbers keep every digit, on the way in and on the way out."""

from __future__ import annotations

import datetime
import json
import math
import os
import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .errors import PolicyError

__all__ = ["inline", "key", "read", "write"]

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def read(text: str) -> dict[str, Any]:
    """A document as nested dicts; numbers with a fraction are exact decimals."""
    return tomllib.loads(text, parse_float=Decimal)


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.match(name) else _text(name)


def _text(text: str) -> str:
    # What JSON escapes, TOML reads, but for the delete character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(value: Fraction | Decimal | float) -> str:
    if not isinstance(value, Fraction) and not math.isfinite(value):
        raise PolicyError(f"{value} is not a finite number", help="thresholds are exact: 0.3, '3/10', Fraction(3, 10)")
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else f'"{value.numerator}/{value.denominator}"'
    if isinstance(value, Decimal):
        digits = format(value, "f")
        return digits if "." in digits else str(int(value))
    # The shortest spelling that is read as the same number. Subclasses have spellings of their own.
    return repr(float(value))


def _duration(value: datetime.timedelta) -> str:
    milliseconds = value // datetime.timedelta(milliseconds=1)
    return f'"{milliseconds // 1000}s"' if milliseconds % 1000 == 0 else f'"{milliseconds}ms"'


def inline(value: object) -> str:
    """A value on one line, or a hierarchy with a line for each leaf."""
    toml = getattr(value, "__toml__", None)
    if toml is not None:
        return str(toml())
    if type(value).__module__.partition(".")[0] == "numpy" and isinstance(getattr(value, "ndim", None), int):
        # A float of fewer bits has a shortest spelling of its own.
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        return inline(float(str(value)) if kind == "f" and not getattr(value, "shape") else getattr(value, "tolist")())
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, (Fraction, Decimal, float)):
        return _number(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, os.PathLike):
        return _text(os.fspath(value))
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    if isinstance(value, Mapping):
        parts = (f"{key(str(name))} = {inline(part)}" for name, part in value.items() if part is not None)
        return "{ " + ", ".join(parts) + " }"
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(part, (list, tuple)) for part in value):
            return "[\n" + "".join(f"  {inline(part)},\n" for part in value) + "]"
        return "[" + ", ".join(inline(part) for part in value) + "]"
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    raise PolicyError(
        f"a policy cannot hold what is of the type {type(value).__name__}: {_shortened(value)}",
        help="it holds texts, numbers (int, float, Decimal, Fraction), booleans, lists and dicts",
    )


def _shortened(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:59] + "…"


def _keys(table: Mapping[str, object]) -> str:
    return "".join(f"{key(name)} = {inline(value)}\n" for name, value in table.items() if value is not None)


def write(document: Mapping[str, Any]) -> str:
    """A document of sections, and of sections within ``columns`` and ``privacy``."""
    loose = {name: value for name, value in document.items() if not isinstance(value, Mapping)}
    parts = [_keys(loose)] if loose else []
    for name, section in document.items():
        if not isinstance(section, Mapping):
            continue
        if name not in ("columns", "privacy"):
            parts.append(f"[{key(name)}]\n{_keys(section)}")
            continue
        for inner, table in section.items():
            if isinstance(table, Mapping):
                parts.append(f"[{name}.{key(inner)}]\n{_keys(table)}")
            else:
                parts += [f"[[{name}.{key(inner)}]]\n{_keys(one)}" for one in table]
    return "\n".join(parts)
