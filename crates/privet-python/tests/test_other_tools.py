"""The audit of what other tools make finds the faults that they are known for."""

from __future__ import annotations

from typing import Any

import numpy
import pandas
import pytest

import privet as pv

N = 400


def people() -> pandas.DataFrame:
    generator = numpy.random.default_rng(7)
    return pandas.DataFrame({
        "age": generator.integers(18, 80, N),
        "zip": generator.integers(94100, 94120, N).astype(str),
        "disease": generator.choice(["flu", "cold", "asthma", "hiv"], N),
    })


def policy(**data: Any) -> pv.Policy:
    return pv.Policy(
        {"age": pv.quasi(), "zip": pv.quasi(), "disease": pv.sensitive()}, pv.k_anonymity(5), "mondrian", data=data
    )


def test_a_pandas_cut_with_missing_values() -> None:
    """Those whose age is missing, or outside of the bins, are a class of their own, which `groupby` does not count."""
    original = people()
    original.loc[[3, 50], "age"] = 99
    ages = pandas.cut(original["age"], [17, 40, 60, 80])
    release = pandas.DataFrame({"age": ages.astype(str), "zip": "941**", "disease": original["disease"]})
    release.loc[ages.isna(), "age"] = None
    assert release.groupby(["age", "zip"]).size().min() >= 5, "as pandas counts, all is well"
    found = pv.audit(original, release, policy(on_missing="value"))
    assert not found.passed
    assert any("k-anonymity" in check.name and not check.holds for check in found.checks), found
    assert pv.risk(release, ["age", "zip"]).k == 2


def test_anjana_publishes_the_row_number() -> None:
    anonymity = pytest.importorskip("anjana.anonymity", exc_type=ImportError)
    original = people()
    hierarchies = {
        "age": {0: original["age"].values, 1: (original["age"] // 20 * 20).astype(str).values,
                2: numpy.array(["*"] * N)},
        "zip": {0: original["zip"].values, 1: original["zip"].str[:4].values, 2: numpy.array(["*"] * N)},
    }
    release = anonymity.k_anonymity(original.copy(), [], ["age", "zip"], 5, 10, hierarchies)
    assert "index" in release.columns, "the row number is there as soon as a row is left out"
    found = pv.audit(original, release, policy())
    assert not found.passed
    assert any("index" in check.detail or "index" in check.name for check in found.failures), str(found)


def test_anonypy_counts_what_is_not_there() -> None:
    anonypy = pytest.importorskip("anonypy", exc_type=ImportError)
    original = people()
    original.loc[[1, 2, 3], "zip"] = None
    for column in ("zip", "disease"):
        original[column] = original[column].astype("category")
    try:
        rows = anonypy.Preserver(original, ["age", "zip"], "disease").anonymize_k_anonymity(k=5)
    except Exception as error:  # noqa: BLE001
        pytest.skip(f"anonypy fails by itself: {error}")
    made = pandas.DataFrame(rows)
    spelled = made.loc[made.index.repeat(made["count"])].drop(columns="count")
    spelled["age"] = spelled["age"].map(lambda cell: cell[0] if isinstance(cell, list) else cell).astype(str)
    spelled["zip"] = spelled["zip"].map(lambda cell: cell[0] if isinstance(cell, list) else cell).astype(str)
    found = pv.audit(original, spelled, policy(on_missing="value"))
    assert not found.passed, str(found)
