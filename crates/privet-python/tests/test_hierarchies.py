"""Hierarchies from whatever people have."""

from __future__ import annotations

import decimal
from pathlib import Path

import pandas
import polars

import privet as pv

PATHS = (("Oslo", "Norway", "Europe"), ("Bergen", "Norway", "Europe"), ("Rome", "Italy", "Europe"))


def test_the_same_tree_in_every_form(tmp_path: Path) -> None:
    frame = pandas.DataFrame(PATHS, columns=["city", "country", "all"])
    trees = [
        pv.Hierarchy.from_paths(PATHS),
        pv.Hierarchy.from_dict({"Oslo": "Norway", "Bergen": "Norway", "Rome": "Italy"}, root="Europe"),
        pv.Hierarchy.from_dict({"Norway": ["Oslo", "Bergen"], "Italy": ["Rome"]}, root="Europe"),
        pv.Hierarchy.from_frame(frame, root=None),
        pv.Hierarchy.from_frame(polars.from_pandas(frame), root="Europe"),
    ]
    trees[0].write(tmp_path / "tree.csv")
    trees.append(pv.Hierarchy.read(tmp_path / "tree.csv"))
    for tree in trees:
        assert sorted(tree.paths) == sorted(PATHS)
    assert trees[0].to_frame().shape == (3, 3)
    assert trees[0].levels == 3


def test_deep_dicts_are_trees() -> None:
    tree = pv.Hierarchy.from_dict({"Europe": {"Norway": ["Oslo", "Bergen"], "Italy": ["Rome"]}, "Asia": {"Japan": ["Kyoto"]}})
    assert tree.generalise("Oslo", 1) == "Norway"
    assert tree.generalise("Kyoto", 2) == "Asia"
    assert tree.generalise("Kyoto", 3) == "*"


def test_builders() -> None:
    ages = pandas.Series([17, 19, 23, 38, None])
    assert pv.intervals(5).build(ages.dropna().astype(int)).generalise("17", 1) == "[15,20)"
    assert pv.intervals(bins=2).build([0, 10, 20]).levels >= 3
    assert pv.intervals(quantiles=2).build([1, 1, 1, 9]).levels >= 2
    assert pv.intervals(0.5).build([0.25, 0.75]).generalise("0.25", 1) == "[0,0.5)"
    assert pv.flat().build(["a", "b"]).levels == 2
    assert pv.dates().build(["2024-03-17", "2023-01-01"]).generalise("2024-03-17", 3) == "2024"
    assert pv.prefix(3, 1).build(["E11", "E1"]).generalise("E1", 1) == "E1*"
    assert pv.groups({"north": ["Oslo"]}, rare=2).build(["Oslo", "Rome", "Pisa"]).generalise("Oslo", 1) == "north"


def test_plots_show_what_there_is() -> None:
    tree = pv.Hierarchy.from_paths(PATHS)
    drawn = tree.plot(["Oslo", "Oslo", "Rome"])
    assert drawn.text.startswith("<svg") and "Norway" in drawn.text and "66.7%" in drawn.text
    assert "more" in tree.plot(most=2).text
    assert tree._repr_html_().startswith("<svg")
    nasty = pv.Hierarchy.from_paths([["<script>alert(1)</script>", "*"]])
    assert "<script" not in nasty.plot().text


def test_values_are_spelled_as_the_engine_spells_them() -> None:
    """A column of whole numbers with a gap is one of floats in pandas; times and dates have a spelling of their own."""
    columns = {
        "age": pandas.Series([17.0, 19.0, 23.5, None]),
        "years": pandas.Series([17, 19, None, 23], dtype="Int64"),
        "seen": pandas.Series(pandas.to_datetime(["2024-03-17 12:30:05.25", "2024-03-18", None, "2024-04-01"], format="ISO8601")),
        "zone": pandas.Series(pandas.to_datetime(["2024-03-17", "2024-07-17", None, "2024-04-01"])).dt.tz_localize("Europe/Berlin"),
        "utc": pandas.Series(pandas.to_datetime(["2024-03-17", "2024-07-17", None, "2024-04-01"])).dt.tz_localize("UTC"),
        "smokes": pandas.Series([True, False, None, True], dtype="boolean"),
        "paid": pandas.Series([decimal.Decimal("1.50"), decimal.Decimal("2.00"), None, decimal.Decimal("-3.25")]),
    }
    for name, column in columns.items():
        tree = pv.flat().build(column)
        frame = pandas.DataFrame({name: column})
        policy = pv.Policy({name: pv.quasi(tree)}, pv.k_anonymity(1), pv.full_domain(), data={"on_missing": "drop"})
        assert {row[0] for row in pv.anonymize(frame, policy, attacks="none").table().rows()} == set(tree.leaves), name
        assert tree.missing_values(column) == []
        assert ">*  3 (100.0%)<" in tree.plot(column).text, name
    assert pv.intervals(5).build(columns["age"]).generalise(17.0, 1) == "[15,20)"
    assert pv.intervals(5).build(columns["years"].tolist()).leaves == ["17", "19", "23"]


def test_groups_may_be_arrays() -> None:
    tree = pv.Hierarchy.from_dict({"north": pandas.Series(["Oslo", "Bergen"]), "south": {"Rome"}})
    assert tree.generalise("Rome", 1) == "south"


def test_a_policy_takes_hierarchies_in_every_form() -> None:
    frame = pandas.DataFrame(PATHS, columns=["city", "country", "all"])
    parents = {"Oslo": "Norway", "Bergen": "Norway", "Rome": "Italy", "Norway": "Europe", "Italy": "Europe"}
    for tree in (PATHS, frame, polars.from_pandas(frame), parents, pv.Hierarchy.from_paths(PATHS)):
        held = pv.Policy({"city": pv.quasi(tree)}, pv.k_anonymity(2), "full-domain").columns["city"]["hierarchy"]
        assert sorted(path[:2] for path in held) == sorted([city, country] for city, country, _ in PATHS)


def test_builders_are_shown_as_they_are_called() -> None:
    for builder, shown in [
        (pv.intervals(5), "intervals(5, fanout=2)"), (pv.intervals(bins=8), "intervals(bins=8, fanout=2)"),
        (pv.intervals(breaks=[18, 65]), "intervals(breaks=[[18, 65]])"), (pv.mask(1, 2), "mask(1, 2)"),
        (pv.prefix(3, 1), "prefix(3, 1)"), (pv.dates(), "dates()"), (pv.flat(), "flat()"),
    ]:
        assert repr(builder) == shown
