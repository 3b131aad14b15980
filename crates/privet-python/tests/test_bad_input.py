"""Bad input: one clear exception of the right kind, and nothing written."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pytest

import privet as pv

PEOPLE = pandas.DataFrame({"age": [34, 36, 61, 67], "disease": ["flu", "cold", "flu", "asthma"]})
POLICY = pv.Policy({"age": pv.quasi(), "disease": pv.sensitive()}, pv.k_anonymity(2), pv.mondrian(), seed=1)


def refused(kind: type[pv.Error], shown: str, data: Any = PEOPLE, policy: Any = POLICY, **options: Any) -> pv.Error:
    with pytest.raises(kind) as raised:
        pv.anonymize(data, policy, **options)
    assert type(raised.value) is kind
    assert shown in str(raised.value), str(raised.value)
    return raised.value


def test_what_is_no_table() -> None:
    refused(pv.DataError, "to_frame", PEOPLE["age"])
    refused(pv.DataError, "to_frame", polars.Series("age", [1, 2]))
    refused(pv.DataError, "cannot be an int", 7)
    refused(pv.DataError, "collect()", polars.from_pandas(PEOPLE).lazy())
    refused(pv.DataError, "name the columns", PEOPLE.to_numpy())
    refused(pv.DataError, "pandas.DataFrame(rows)", PEOPLE.to_dict("records"))
    refused(pv.DataError, "cannot be a set", {1, 2})
    refused(pv.DataError, "no columns", pandas.DataFrame())
    refused(pv.DataError, "differ in length", {"age": [1, 2], "disease": ["a"]})
    refused(pv.DataError, "not a list of items", ["a", 1])


def test_an_object_column_of_mixed_types() -> None:
    mixed = PEOPLE.assign(disease=["flu", 1, 2.5, None])
    error = refused(pv.DataError, "'disease'", mixed)
    assert "astype" in str(error)
    refused(pv.DataError, "'disease'", {"age": [1, 2], "disease": ["a", 1]})


def test_a_frame_without_the_policys_column() -> None:
    error = refused(pv.PolicyError, "the data has no column 'disease'", PEOPLE[["age"]])
    assert error.line == POLICY.to_toml().splitlines().index("[columns.disease]") + 1
    assert error.help


@pytest.mark.parametrize("number", [float("inf"), float("nan"), Decimal("Infinity")])
def test_thresholds_are_finite(number: Any) -> None:
    with pytest.raises(pv.PolicyError, match="not a finite number"):
        pv.Policy({"age": pv.quasi()}, pv.t_closeness(number), "mondrian")


@pytest.mark.parametrize("number", [
    0.3, "3/10", "30%", Fraction(3, 10), Decimal("0.3"), Decimal("0.30"), numpy.float64(0.3), numpy.float32(0.3),
])
def test_thresholds_are_exact(number: Any) -> None:
    policy = pv.Policy(
        {"age": pv.quasi(), "disease": pv.sensitive()},
        pv.l_plus_diversity("disease", default=number),
        pv.full_domain(suppression_limit="100%"),
    )
    ten = pandas.DataFrame({"age": [1] * 10, "disease": ["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"]})
    assert len(pv.anonymize(ten, policy)) == 10
    eleven = pandas.concat([ten, pandas.DataFrame({"age": [1], "disease": ["a"]})])
    with pytest.raises(pv.Infeasible, match="4 of all 11 records"):
        pv.anonymize(eleven, policy)


def test_a_hierarchy_that_misses_values() -> None:
    tree = pv.Hierarchy.from_dict({34: "30-39", 36: "30-39", 61: "60-69"})
    policy = pv.Policy({"age": pv.quasi(tree), "disease": pv.sensitive()}, pv.k_anonymity(2), pv.full_domain())
    error = refused(pv.PolicyError, "'67'", policy=policy)
    assert error.help
    assert tree.missing_values(PEOPLE["age"]) == ["67"]


def test_a_hierarchy_that_is_no_tree() -> None:
    with pytest.raises(pv.InputError, match="two parents|above itself|cycle"):
        pv.Hierarchy.from_paths([["a", "x", "*"], ["b", "y", "*"], ["a", "y", "*"]])
    with pytest.raises(pv.InputError, match="above itself"):
        pv.Hierarchy.from_dict({"a": "b", "b": "c", "c": "b"})
    with pytest.raises(pv.InputError, match="some values and groups"):
        pv.Hierarchy.from_dict({"a": "b", "c": ["d"]})
    text = POLICY.to_toml().replace('role = "quasi-identifier"', 'role = "quasi-identifier"\nhierarchy = [["a"], 3]')
    refused(pv.PolicyError, "list of paths", policy=pv.Policy.parse(text))


def test_faults_of_policies_name_their_line() -> None:
    with pytest.raises(pv.PolicyError, match="TOML") as raised:
        pv.Policy.parse("[data]\nseed = \n")
    assert raised.value.line == 2
    refused(pv.PolicyError, "did you mean 'k-anonymity'", policy=POLICY.set("privacy.k-anonimity.k", 3))
    refused(pv.PolicyError, "a whole number from 1", policy=POLICY.set("privacy.k-anonymity.k", 0))
    with pytest.raises(pv.PolicyError, match="a policy cannot hold"):
        POLICY.set("privacy.k-anonymity.k", object())
    with pytest.raises(pv.InputError):
        pv.Policy.read("/no/such/policy.toml")


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_seeds_are_whole_numbers(seed: Any) -> None:
    refused(pv.InputError, "a seed cannot be", seed=seed)
    with pytest.raises(pv.InputError, match="a seed cannot be"):
        pv.Policy({"age": pv.quasi()}, pv.k_anonymity(2), "mondrian", seed=seed)


@pytest.mark.parametrize("limit", [float("inf"), float("nan"), "soon", -3])
def test_time_limits_are_durations(limit: Any) -> None:
    with pytest.raises(pv.InputError):
        pv.anonymize(PEOPLE, POLICY.set("method", {"name": "full-domain"}), time_limit=limit)


def test_parts_of_a_policy_of_the_wrong_type() -> None:
    made: list[tuple[str, Any]] = [
        ("columns are a dict", lambda: pv.Policy(["age"], pv.k_anonymity(2))),  # type: ignore[arg-type]
        ("column 'age' cannot be a int", lambda: pv.Policy({"age": 5}, pv.k_anonymity(2))),  # type: ignore[dict-item]
        ("'k-anonymity' is not a requirement", lambda: pv.Policy({"age": pv.quasi()}, "k-anonymity")),  # type: ignore[arg-type]
        ("hierarchy cannot be a int", lambda: pv.Policy({"age": pv.quasi(5)}, pv.k_anonymity(2))),  # type: ignore[arg-type]
    ]
    for shown, make in made:
        with pytest.raises(pv.PolicyError, match=shown):
            make()


def test_an_empty_frame() -> None:
    refused(pv.DataError, "has no values", PEOPLE.head(0), pv.Policy(
        {"age": pv.quasi(pv.intervals(10))}, pv.k_anonymity(2), pv.full_domain()))
    with pytest.raises(pv.Error):
        pv.anonymize(PEOPLE.head(0), POLICY)


def test_what_is_no_policy() -> None:
    for policy, shown in [
        ({"age": "quasi-identifier"}, "Policy.from_dict"), (POLICY.to_toml(), "Policy.parse"), (None, "a NoneType"), (7, "a int"),
    ]:
        refused(pv.PolicyError, shown, policy=policy)
        with pytest.raises(pv.PolicyError):
            pv.audit(PEOPLE, PEOPLE, policy)  # type: ignore[arg-type]
        with pytest.raises(pv.PolicyError):
            pv.decide(PEOPLE, policy)  # type: ignore[arg-type]


def test_what_no_release_can_meet() -> None:
    error = refused(pv.Infeasible, "", policy=POLICY.set("privacy.k-anonymity.k", 5))
    assert error.exit_status == 3


def test_an_audit_that_fails_can_raise() -> None:
    found = pv.audit(PEOPLE, PEOPLE, POLICY)
    with pytest.raises(pv.AuditFailed, match="k-anonymity"):
        found.raise_if_failed()


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    release = pv.anonymize(PEOPLE, POLICY)
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").write_text("mine", encoding="utf-8")
    with pytest.raises(pv.InputError):
        release.publish("there")
    with pytest.raises(pv.InputError):
        release.publish("no/such/place")
    with pytest.raises(pv.InputError, match="format"):
        release.publish("out", format="docx")
    with pytest.raises(pv.InputError, match="there is no attack"):
        release.publish("out", attacks=["nonsense"])
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "there", "tmp"]


def test_exceptions_can_be_sent_elsewhere() -> None:
    error = pv.PolicyError("wrong", file="policy.toml", line=3, help="write it right")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.help) == (str(error), 3, "write it right")
    assert issubclass(pv.PolicyError, ValueError) and issubclass(pv.PolicyError, pv.Error)
