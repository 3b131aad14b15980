"""Single values as the engine spells them."""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal

__all__ = ["is_missing", "label"]

_ZEROS = re.compile(r"(\.\d*?)0+(?=\D|\Z)")


def is_missing(value: object) -> bool:
    """``None``, and whatever is not equal to itself: NaN, NaT, NA.

    >>> [is_missing(value) for value in (None, float("nan"), "", 0)]
    [True, True, False, False]
    """
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # The NA of pandas is neither equal nor unequal to anything.
        return True


def label(value: object) -> str:
    """A value as it is spelled where it is the cell of a frame.

    >>> [label(value) for value in (34, 34.0, 0.1, 1e-7, True, Decimal("1.50"))]
    ['34', '34', '0.1', '0.0000001', 'true', '1.50']
    >>> label(datetime.datetime(2024, 3, 17, 12, 30, 5, 250000, tzinfo=datetime.timezone.utc))
    '2024-03-17T12:30:05.25Z'
    """
    if isinstance(value, str):
        return str(value)
    if type(value).__module__.partition(".")[0] == "numpy":
        if type(value).__name__ == "datetime64":
            return _without_zeros(str(value))
        # A float of fewer bits has a shortest spelling of its own.
        is_float = getattr(getattr(value, "dtype", None), "kind", "") == "f"
        item = getattr(value, "item", None)
        value = float(str(value)) if is_float else item() if callable(item) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value):
        text = format(Decimal(repr(value)), "f")
        return text.removesuffix(".0")
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        text = _without_zeros(value.isoformat())
        # Other zones of this offset are spelled with it.
        return text.removesuffix("+00:00") + "Z" if str(value.tzinfo) in ("UTC", "Etc/UTC", "GMT") else text
    if isinstance(value, datetime.time):
        return _without_zeros(value.isoformat())
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


def _without_zeros(text: str) -> str:
    """A time without the zeros at the end of its fraction."""
    return _ZEROS.sub(lambda found: found[1].removesuffix("."), text, count=1)
