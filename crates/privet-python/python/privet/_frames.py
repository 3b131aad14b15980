"""Frames of any library, as the engine takes them, and tables of the engine as frames of any library."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from ._labels import is_missing, label
from ._privet import Data, Table
from .errors import DataError

if TYPE_CHECKING:
    import pandas

__all__ = ["ArrowStream", "DataLike", "data_of", "is_frame", "table_of", "types_of"]


@runtime_checkable
class ArrowStream(Protocol):
    """Whatever offers its rows as a stream of Arrow batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: What can be given as data: a frame, a dict of lists, a list of transactions, a path or several.
DataLike: TypeAlias = (
    "ArrowStream | Mapping[str, Sequence[object]] | Sequence[Sequence[str]] | Sequence[os.PathLike[str]] | str | "
    "os.PathLike[str] | Data"
)

_WANTED = (
    "give a data frame (pandas, polars, pyarrow, DuckDB, or anything else with __arrow_c_stream__), a dict of "
    "lists, a list of transactions, or a path"
)


#: What to do with what is nearly a frame, by the name of its type.
_NEARLY = {
    "LazyFrame": "give the rows: frame.collect()",
    "DataFrameGroupBy": "give the frame itself",
    "ndarray": "name the columns: pandas.DataFrame(array, columns=[...])",
    "Dataset": "give the rows: dataset.to_table()",
    "ChunkedArray": "give a table: pyarrow.table({'name': array})",
    "Array": "give a table: pyarrow.table({'name': array})",
}


def _is_pandas(value: object) -> bool:
    """Whether it is a frame, a series or an index of pandas, or of a library that builds on its classes."""
    if type(value).__module__.partition(".")[0] == "pandas":
        return True
    pandas: Any = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series))


def _of_pandas(frame: pandas.DataFrame) -> Any:
    """An Arrow table without the index, which is not data."""
    if frame.columns.nlevels > 1:
        raise DataError(
            "the frame has several levels of column names",
            help="join them first: df.columns = ['_'.join(map(str, name)) for name in df.columns]",
        )
    if frame.index.nlevels > 1:
        raise DataError(
            f"the frame's index has {frame.index.nlevels} levels, and an index is not published",
            help="make them columns with df.reset_index(), or drop them with df.reset_index(drop=True)",
        )
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"several columns are called '{twice}'", help="rename them first: df.columns = [...]")
    try:
        import pyarrow
    except ImportError as error:
        raise DataError("frames of pandas are read through pyarrow", help="pip install pyarrow") from error
    arrays = []
    for place, name in enumerate(names):
        series = _spelled(frame.iloc[:, place])
        try:
            arrays.append(pyarrow.array(series, from_pandas=True))
        except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
            kinds = sorted({type(value).__name__ for value in series.head(1000) if value is not None})
            raise DataError(
                f"column '{name}' holds values of several kinds ({', '.join(kinds[:5])}), or of one that cannot be read",
                help=f"give it one type first, such as df[{name!r}] = df[{name!r}].astype('string'), or drop it",
            ) from error
    if not arrays:
        raise DataError("the table has no columns", help=_WANTED)
    return pyarrow.table(dict(zip(names, arrays)))


def is_frame(value: object) -> bool:
    """Whether it is a table with columns, of whatever library."""
    return _is_pandas(value) or hasattr(value, "__arrow_c_stream__")


def _spelled(series: pandas.Series[Any]) -> pandas.Series[Any]:
    """Intervals, as ``pandas.cut`` makes them, periods and UUIDs as text, for which Arrow has no types; sparse columns in full."""
    import pandas

    unknown = (pandas.IntervalDtype, pandas.PeriodDtype)
    if isinstance(series.dtype, unknown):
        return series.astype(str).where(series.notna(), None)
    if isinstance(series.dtype, pandas.CategoricalDtype) and isinstance(series.dtype.categories.dtype, unknown):
        return series.cat.rename_categories(list(map(str, series.cat.categories)))
    if isinstance(series.dtype, pandas.SparseDtype):
        return series.astype(series.dtype.subtype)
    if series.dtype == object and isinstance(next(iter(series.dropna().head(1)), None), uuid.UUID):
        return series.map(str, na_action="ignore")
    return series


def table_of(value: Any) -> Table:
    """A frame as a table of Arrow batches."""
    if isinstance(value, Table):
        return value
    if type(value).__module__.partition(".")[0] == "pyspark":
        raise DataError(
            "a frame of Spark is on many machines",
            help="call privet.spark.anonymize, or bring it to this one with frame.toArrow()",
        )
    if _is_pandas(value):
        if not hasattr(value, "columns"):
            raise DataError(
                f"a {type(value).__name__} is one column, and a table is wanted", help="give series.to_frame()"
            )
        return Table(_of_pandas(value))
    if isinstance(value, Mapping):
        return _of_mapping(value)
    kind = type(value).__name__
    if hasattr(value, "__arrow_c_stream__") and kind not in _NEARLY:
        if hasattr(value, "to_frame") and not hasattr(value, "columns"):
            raise DataError(
                f"a {type(value).__name__} is one column, and a table is wanted", help="give series.to_frame()"
            )
        return Table(value)
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    raise DataError(f"data cannot be {article} {kind}", help=next((_NEARLY[name] for name in (kind, kind[-5:]) if name in _NEARLY), _WANTED))


def _of_mapping(columns: Mapping[str, Sequence[object]]) -> Table:
    try:
        import pyarrow
    except ImportError as error:
        raise DataError("dicts of lists are read through pyarrow", help="pip install pyarrow") from error
    arrays: dict[str, Any] = {}
    for name, values in columns.items():
        try:
            arrays[str(name)] = pyarrow.array(values, from_pandas=True)
        except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise DataError(
                f"column '{name}' holds values of several kinds, or of one that cannot be read",
                help="give it one type first, such as text",
            ) from error
    try:
        return Table(pyarrow.table(arrays))
    except pyarrow.ArrowException as error:
        raise DataError("the columns differ in length", help="give every column one value per row") from error


def data_of(
    value: DataLike | None,
    *,
    name: str = "data frame",
    count: str | None = None,
    about: Mapping[str, Any] | None = None,
) -> Data:
    """What a policy can be about: a frame, a dict of lists, transactions, or files. ``about`` is what its ``[data]`` says."""
    if isinstance(value, Data):
        return value
    if count is not None and (value is None or isinstance(value, (str, os.PathLike))):
        raise DataError("only frames have a column that counts their rows", help="read the file into a frame first")
    if value is None:
        return Data.named()
    if isinstance(value, (str, os.PathLike)):
        return Data.files([os.fspath(value)])
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        paths = [os.fspath(part) for part in value if isinstance(part, (str, os.PathLike))]
        if paths and len(paths) == len(value):
            return Data.files(paths)
        return Data.lists(name, [_items(number, part) for number, part in enumerate(value, 1)])
    if about and about.get("kind") == "transactions" and not hasattr(value, "columns") and hasattr(value, "to_frame"):
        # A column of lists, by itself.
        value = getattr(value, "to_frame")()
    table = table_of(value)
    if about and about.get("kind") == "transactions" and about.get("form", "lines") == "lines":
        lists = [column for column, kind in zip(table.names, table.types) if "List(" in kind]
        if len(lists) != 1:
            raise DataError(
                f"the policy is about transactions, and the frame has {len(lists) or 'no'} columns of lists",
                help="give one column of lists, a list of lists, or set form = 'long' in [data] for a row per item",
            )
        return Data.list_column(name, table, lists[0], about.get("person"))
    return Data.table(name, table, count)


def _items(number: int, items: object) -> list[str]:
    if isinstance(items, Mapping):
        raise DataError(
            f"row {number} is a dict, and rows are given as a frame", help="give pandas.DataFrame(rows) or polars.DataFrame(rows)"
        )
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise DataError(
            f"transaction {number} is not a list of items",
            help="give one list of texts per transaction, as in [['bread', 'milk'], ['beer']]",
        )
    return [label(item) for item in items if not is_missing(item)]


def types_of(value: object) -> dict[str, Any]:
    """The types of the columns of a frame of pandas."""
    if not _is_pandas(value) or not hasattr(value, "columns"):
        return {}
    return {str(name): kind for name, kind in getattr(value, "dtypes").items()}
