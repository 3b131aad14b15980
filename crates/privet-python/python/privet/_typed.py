"""Released tables in the types of the original's columns.

Columns that are published as they are come out typed. Quasi-identifiers come out as text, since they may hold groups: such a
column gets its type back where every cell is spelled as a value of the type, and stays text otherwise. A group is never taken for
a value: the month ``2024-03`` is not the first of March, and ``*`` is not true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._privet import Table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["to_arrow", "to_pandas", "to_polars"]

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?\Z")
_BOOLEAN = {"true": True, "false": False}


def _all_like(like: Callable[[str], object], texts: Iterable[object]) -> bool:
    """Whether all that are there are like that; missing ones are neither."""
    return all(isinstance(text, str) and like(text) for text in texts if isinstance(text, str) and text)


def to_pandas(table: Table, form: Table | None, types: Mapping[str, Any]) -> pandas.DataFrame:
    """For pandas, with the types of the original's columns."""
    import pandas
    import pyarrow

    if not types:
        untyped: pandas.DataFrame = to_arrow(table, form).to_pandas()
        return untyped
    made = pyarrow.table(table)
    frame: pandas.DataFrame = made.to_pandas()
    for name in frame.columns:
        wanted, held = types.get(name), frame[name]
        if wanted is None or held.dtype == wanted:
            continue
        is_text = pyarrow.types.is_string(made.schema.field(str(name)).type)
        if is_text and not isinstance(wanted, pandas.CategoricalDtype):
            if pandas.api.types.is_bool_dtype(wanted):
                if not _all_like(_BOOLEAN.__contains__, held.unique()):
                    continue
                held = held.map(_BOOLEAN)
            elif pandas.api.types.is_numeric_dtype(wanted):
                if not _all_like(_NUMBER.match, held.unique()):
                    continue
            elif not pandas.api.types.is_string_dtype(wanted):
                continue
        try:
            typed = held.astype(wanted)
        except (TypeError, ValueError, OverflowError):
            continue
        # A category that the original does not have would become a missing value.
        if not (typed.isna() & held.notna()).any():
            frame[name] = typed
    return frame


def to_arrow(table: Table, form: Table | None) -> pyarrow.Table:
    """For pyarrow, with the types of the original's columns."""
    import pyarrow
    import pyarrow.compute

    made = pyarrow.table(table)
    if form is None:
        return made
    wanted = {field.name: field.type for field in pyarrow.table(form).schema}
    for place, name in enumerate(made.column_names):
        kind, held = wanted.get(name), made.column(place)
        if kind is None or held.type == kind:
            continue
        if pyarrow.types.is_string(held.type):
            if pyarrow.types.is_boolean(kind):
                if not _all_like(_BOOLEAN.__contains__, pyarrow.compute.unique(held).to_pylist()):
                    continue
            elif pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_decimal(kind):
                if not _all_like(_NUMBER.match, pyarrow.compute.unique(held).to_pylist()):
                    continue
            elif pyarrow.types.is_dictionary(kind):
                if not _is_text(kind.value_type):
                    continue
            elif not _is_text(kind):
                continue
        try:
            typed = (held.dictionary_encode() if pyarrow.types.is_dictionary(kind) else held).cast(kind)
        except (pyarrow.ArrowException, NotImplementedError):
            continue
        made = made.set_column(place, pyarrow.field(name, kind), typed)
    return made


def _is_text(kind: pyarrow.DataType) -> bool:
    import pyarrow

    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) or pyarrow.types.is_string_view(kind))


def to_polars(table: Table, form: Table | None) -> polars.DataFrame:
    """For polars, with the types of the original's columns."""
    import polars

    frame = polars.DataFrame(table)
    if form is None:
        return frame
    wanted = polars.DataFrame(form).schema
    for name in frame.columns:
        kind, held = wanted.get(name), frame[name]
        if kind is None or held.dtype == kind:
            continue
        if held.dtype == polars.String:
            if kind == polars.Boolean:
                if not _all_like(_BOOLEAN.__contains__, held.unique().to_list()):
                    continue
                held = held.replace_strict(_BOOLEAN, return_dtype=polars.Boolean)
            elif kind.is_numeric():
                if not _all_like(_NUMBER.match, held.unique().to_list()):
                    continue
            elif not isinstance(kind, (polars.Categorical, polars.Enum)):
                continue
        typed = held.cast(kind, strict=False)
        if typed.null_count() == held.null_count():
            frame = frame.with_columns(typed.alias(name))
    return frame
