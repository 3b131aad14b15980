"""Columns of every kind go in, and come out as they were where nothing is generalised."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import privet as pv

D = decimal.Decimal
DAY = datetime.date(2024, 3, 17)
NOON = datetime.datetime(2024, 3, 17, 12, 30, 5, 250000)

PANDAS: dict[str, pandas.Series] = {
    "int8": pandas.Series([1, 2, 3, 4], dtype="int8"),
    "int16": pandas.Series([1, 2, 3, 4], dtype="int16"),
    "int32": pandas.Series([1, 2, 3, 4], dtype="int32"),
    "int64": pandas.Series([-(2**63), 2, 3, 2**63 - 1], dtype="int64"),
    "uint8": pandas.Series([1, 2, 3, 255], dtype="uint8"),
    "uint64": pandas.Series([1, 2, 3, 2**64 - 1], dtype="uint64"),
    "Int64": pandas.Series([1, None, 3, 4], dtype="Int64"),
    "UInt16": pandas.Series([1, None, 3, 4], dtype="UInt16"),
    "float32": pandas.Series([0.5, 1.5, 2.5, 3.5], dtype="float32"),
    "float64": pandas.Series([0.1, 1e300, -2.5, 3.0], dtype="float64"),
    "float with NaN": pandas.Series([0.1, numpy.nan, -2.5, 3.0]),
    "Float64": pandas.Series([0.1, None, -2.5, 3.0], dtype="Float64"),
    "bool": pandas.Series([True, False, True, False]),
    "boolean": pandas.Series([True, None, True, False], dtype="boolean"),
    "str": pandas.Series(["a", "b", "c", "d"]),
    "object text": pandas.Series(["a", "b", "c", "d"], dtype=object),
    "object with None": pandas.Series(["a", None, "c", "d"], dtype=object),
    "string": pandas.Series(["a", None, "c", "ü 漢"], dtype="string"),
    "category": pandas.Series(["a", "b", "a", "b"], dtype="category"),
    "category with unused levels": pandas.Series(pandas.Categorical(["a", "b", "a", "b"], categories=["z", "b", "a"])),
    "ordered category": pandas.Series(pandas.Categorical(["lo", "hi", "lo", "hi"], ["lo", "hi"], ordered=True)),
    "category of numbers": pandas.Series([1, 2, 1, 2], dtype="category"),
    "category with NaN": pandas.Series(["a", None, "a", "b"], dtype="category"),
    "date objects": pandas.Series([DAY, DAY, None, DAY], dtype=object),
    "datetime": pandas.Series(pandas.to_datetime(["2024-03-17 12:30", "1969-01-01 00:00", "2024-03-18 01:00", "2024-03-19 23:59"])),
    "datetime with NaT": pandas.Series(pandas.to_datetime(["2024-03-17", None, "2024-03-18", "2024-03-19"])),
    "datetime UTC": pandas.Series(pandas.to_datetime(["2024-03-17"] * 4)).dt.tz_localize("UTC"),
    "datetime Berlin": pandas.Series(pandas.to_datetime(["2024-07-17"] * 4)).dt.tz_localize("Europe/Berlin"),
    "datetime New York": pandas.Series(pandas.to_datetime(["2024-11-03 06:30"] * 4)).dt.tz_localize("UTC")
    .dt.tz_convert("America/New_York"),
    "datetime offset": pandas.Series(pandas.to_datetime(["2024-07-17"] * 4)).dt.tz_localize("+02:00"),
    "datetime seconds": pandas.Series(numpy.array(["2024-03-17"] * 4, dtype="datetime64[s]")),
    "decimal": pandas.Series([D("1.10"), D("2.00"), None, D("-3.25")], dtype=object),
    "times": pandas.Series([datetime.time(12, 30), datetime.time(0), None, datetime.time(23, 59, 59)], dtype=object),
    "arrow string": pandas.Series(["a", "b", None, "d"], dtype=pandas.ArrowDtype(pyarrow.large_string())),
    "arrow int": pandas.Series([1, None, 3, 4], dtype=pandas.ArrowDtype(pyarrow.int32())),
    "arrow date": pandas.Series([DAY, None, DAY, DAY], dtype=pandas.ArrowDtype(pyarrow.date32())),
    "arrow decimal": pandas.Series([D("1.5"), None, D("2.5"), D("3.5")],
                                   dtype=pandas.ArrowDtype(pyarrow.decimal128(10, 1))),
    "arrow timestamp": pandas.Series([NOON, None, NOON, NOON], dtype=pandas.ArrowDtype(pyarrow.timestamp("us", "UTC"))),
    "sparse": pandas.Series(pandas.arrays.SparseArray([0.0, 1.5, 0.0, 0.0])),
    "all missing": pandas.Series([None] * 4, dtype="string"),
    "emoji and quotes": pandas.Series(['"', "a,b", "x\ny", "🙂"]),
}

POLICY = pv.Policy({"key": pv.quasi(), "value": pv.other()}, pv.k_anonymity(2), pv.mondrian(), seed=1)


def spelled(cells: Any) -> list[str]:
    return sorted("" if value is None or value is pandas.NaT or value is pandas.NA or value != value else str(value)
                  for value in cells)


def test_there_are_forty_kinds() -> None:
    assert len(PANDAS) >= 40


@pytest.mark.parametrize("kind", PANDAS)
def test_a_column_comes_out_as_it_went_in(kind: str) -> None:
    column = PANDAS[kind]
    frame = pandas.DataFrame({"key": [1, 1, 2, 2], "value": column})
    release = pv.anonymize(frame, POLICY, attacks="none")
    out = release.to_pandas()["value"]
    assert out.dtype == column.dtype, kind
    assert spelled(out) == spelled(column)
    if hasattr(column.dtype, "categories"):
        assert list(out.cat.categories) == list(column.cat.categories)


POLARS = {
    "i64": polars.Series([1, None, 3, 4]),
    "u32": polars.Series([1, 2, 3, 4], dtype=polars.UInt32),
    "f64 with NaN": polars.Series([1.5, float("nan"), None, 4.0]),
    "str": polars.Series(["a", None, "c", "d"]),
    "cat": polars.Series(["a", "b", "a", "b"], dtype=polars.Categorical),
    "enum": polars.Series(["a", "b", "a", "b"], dtype=polars.Enum(["b", "a", "unused"])),
    "date": polars.Series([DAY, None, DAY, DAY]),
    "datetime": polars.Series([NOON] * 4),
    "datetime zone": polars.Series([NOON] * 4).dt.replace_time_zone("Europe/Berlin"),
    "time": polars.Series([datetime.time(1, 2, 3)] * 4),
    "decimal": polars.Series([D("1.10"), D("2.00"), None, D("-3.25")], dtype=polars.Decimal(10, 2)),
    "bool": polars.Series([True, None, False, True]),
    "list": polars.Series([["a", "b"], ["c"], [], None]),
}


@pytest.mark.parametrize("kind", POLARS)
def test_polars_columns(kind: str) -> None:
    frame = polars.DataFrame({"key": [1, 1, 2, 2], "value": POLARS[kind]})
    release = pv.anonymize(frame, POLICY, attacks="none")
    out = release.to_polars()["value"]
    wanted = frame["value"]
    assert out.dtype == wanted.dtype
    if kind == "list":
        assert sorted(filter(None, out.to_list())) == [["a", "b"], ["c"]]
    elif kind in ("cat", "enum"):
        assert sorted(out.to_list()) == sorted(wanted.to_list())
    else:
        assert spelled(out.to_list()) == spelled(wanted.to_list())


@pytest.mark.parametrize("kind", [
    pyarrow.int8(), pyarrow.uint16(), pyarrow.int64(), pyarrow.float32(), pyarrow.decimal128(22, 2), pyarrow.bool_(),
    pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.date32(), pyarrow.date64(),
    pyarrow.time32("s"), pyarrow.time64("us"), pyarrow.timestamp("s"), pyarrow.timestamp("ns", "Europe/Berlin"),
    pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), pyarrow.dictionary(pyarrow.int32(), pyarrow.int64()),
    pyarrow.list_(pyarrow.string()), pyarrow.large_list(pyarrow.large_string()), pyarrow.list_(pyarrow.int32()),
], ids=str)
def test_arrow_columns(kind: pyarrow.DataType) -> None:
    number: list[Any] = [1, 0, None, 1]
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        value = pyarrow.array([[1, 2], [3], None, []]).cast(kind)
    elif pyarrow.types.is_temporal(kind):
        value = pyarrow.array([86_400_000 if pyarrow.types.is_date64(kind) else 1, 0, None, 0]).cast(
            pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64()).cast(kind)
    elif pyarrow.types.is_dictionary(kind):
        value = pyarrow.array(number).cast(kind.value_type).dictionary_encode().cast(kind)
    else:
        value = pyarrow.array(number).cast(kind)
    table = pyarrow.table({"key": [1, 1, 2, 2], "value": value})
    out = pv.anonymize(table, POLICY, attacks="none").to_arrow()["value"]
    assert out.type == kind
    spell = lambda cells: sorted(map(str, (cell or None for cell in cells)))  # noqa: E731
    assert spell(out.to_pylist()) == spell(value.to_pylist())


def test_a_group_is_not_taken_for_a_value() -> None:
    """The month 2024-03 is not the first of March, and a hidden cell is not true."""
    months = pandas.to_datetime(["2024-03-01", "2024-03-02", "2024-04-01", "2024-04-05"])
    frame = pandas.DataFrame({"day": months, "smokes": [True, False, True, True], "age": [30, 31, 30, 31]})
    hidden = pv.Hierarchy.from_paths([["true", "*"], ["false", "*"]])
    trees: dict[str, tuple[Any, set[str]]] = {
        "day": (pv.dates(), {"2024-03", "2024-04"}), "smokes": (hidden, {"*"}), "age": (pv.flat(), {"30", "31"}),
    }
    for held in (frame, polars.from_pandas(frame), pyarrow.Table.from_pandas(frame)):
        for name, (tree, shown) in trees.items():
            policy = pv.Policy({name: pv.quasi(tree)}, pv.k_anonymity(2), pv.full_domain(), seed=1)
            release = pv.anonymize(held, policy, attacks="none")
            for out in (release.to_pandas(), release.to_polars(), release.to_arrow()):
                assert set(map(str, pandas.Series(out[name].to_list() if hasattr(out[name], "to_list") else out[name].to_pylist()))) == shown
    # Where every cell is a value, the column is what it was.
    policy = pv.Policy({"smokes": pv.quasi(hidden), "age": pv.quasi(pv.flat())}, pv.k_anonymity(2), pv.full_domain(), seed=1)
    twice = pandas.concat([frame, frame])
    twice["smokes"] = twice["age"] > 30
    kept = pv.anonymize(twice, policy, attacks="none").to_pandas()
    assert kept.dtypes.to_dict() == frame[["smokes", "age"]].dtypes.to_dict()
    assert sorted(kept["age"]) == sorted(twice["age"]) and sorted(kept["smokes"]) == sorted(twice["smokes"])


def test_sets_are_lists_in_and_out() -> None:
    people = polars.DataFrame({
        "town": ["A", "A", "A", "B", "B", "B"],
        "ills": [["flu", "ulcer"], ["flu"], ["gastritis"], ["cough"], ["flu", "cough"], []],
    })
    tree = pv.Hierarchy.from_dict({"chest": ["flu", "cough"], "stomach": ["ulcer", "gastritis"]})
    policy = pv.Policy(
        {"town": pv.quasi(), "ills": pv.item_set(hierarchy=tree)}, pv.kl_privacy(k=2, m=1, column="ills"), "mondrian", seed=1,
    )
    release = pv.anonymize(people, policy, attacks="none")
    out = release.to_polars()
    assert out.schema["ills"] == polars.List(polars.String)
    assert sorted(map(sorted, out["ills"].to_list())) == [[], ["chest"], ["chest"], ["flu"], ["flu", "stomach"], ["stomach"]]
    assert pv.audit(people, out, policy).passed


def test_intervals_and_periods_are_text() -> None:
    ages = pandas.Series([20, 30, 50, None])
    frame = pandas.DataFrame({"key": [1, 1, 2, 2], "value": pandas.cut(ages, [17, 40, 60])})
    assert spelled(pv.anonymize(frame, POLICY, attacks="none").to_pandas()["value"]) == ["", "(17, 40]", "(17, 40]", "(40, 60]"]
    names = [uuid.UUID(int=number) for number in range(4)]
    frame["value"] = names
    assert spelled(pv.anonymize(frame, POLICY, attacks="none").to_pandas()["value"]) == list(map(str, names))
    frame["value"] = pandas.period_range("2024-01", periods=4, freq="M")
    assert "2024-02" in spelled(pv.anonymize(frame, POLICY, attacks="none").to_polars()["value"])


def test_an_index_is_not_data() -> None:
    frame = pandas.DataFrame({"key": [1, 1, 2, 2], "value": list("abcd")}, index=["x", "x", "y", "y"])
    release = pv.anonymize(frame, POLICY, attacks="none")
    assert list(release.to_pandas().columns) == ["key", "value"]


def test_levels_of_names_and_of_the_index_are_refused_with_help() -> None:
    index = pandas.MultiIndex.from_tuples([(1, 1), (1, 2), (2, 1), (2, 2)])
    for frame, shown in [
        (pandas.DataFrame({"key": [1, 1, 2, 2]}, index=index), "reset_index"),
        (pandas.DataFrame([[1, 2]], columns=pandas.MultiIndex.from_tuples([("a", "b"), ("a", "c")])), "join them"),
        (pandas.DataFrame([[1, 2]], columns=["a", "a"]), "rename"),
        (pandas.DataFrame([[1, 2]], columns=[1, "1"]), "rename"),
    ]:
        with pytest.raises(pv.DataError) as raised:
            pv.anonymize(frame, POLICY)
        assert shown in str(raised.value)


def test_names_that_are_not_text_are_spelled() -> None:
    frame = pandas.DataFrame({0: [1, 1, 2, 2], 1.5: list("abcd"), DAY: [1, 2, 3, 4]})
    policy = pv.Policy({0: pv.quasi(), "1.5": pv.other(), DAY: pv.other()}, pv.k_anonymity(2), "mondrian")  # type: ignore[dict-item]
    assert list(pv.anonymize(frame, policy, attacks="none").to_pandas().columns) == ["0", "1.5", "2024-03-17"]


def test_what_cannot_be_read_is_named() -> None:
    frame = polars.DataFrame({"key": [1, 1, 2, 2], "value": [{"a": 1}] * 4})
    with pytest.raises(pv.InputError, match="'value'"):
        pv.anonymize(frame, POLICY)
    # A column that the policy does not name is left out, whatever it is.
    policy = pv.Policy({"key": pv.quasi()}, pv.k_anonymity(2), "mondrian")
    assert pv.anonymize(frame, policy, attacks="none").to_polars().columns == ["key"]


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql("select i % 2 as key, i::decimal(10,2) as value from range(10) t(i)")
    release = pv.anonymize(found, POLICY, attacks="none")
    assert len(release) == 10


def test_counts_stand_for_rows() -> None:
    frame = pandas.DataFrame({"age": [34, 36, 61], "n": [3, 1, 5]})
    policy = pv.Policy({"age": pv.quasi()}, pv.k_anonymity(3), pv.full_domain(suppression_limit="50%"), seed=2)
    counted = pv.anonymize(frame, policy, count="n", attacks="none")
    spelled_out = pv.anonymize(frame.loc[frame.index.repeat(frame["n"]), ["age"]], policy, attacks="none")
    assert counted.to_arrow() == spelled_out.to_arrow()
    assert pv.decide(frame, policy, count="n").to_dict() == spelled_out.plan.to_dict()
