"""Policies go to TOML and back without a loss."""

from __future__ import annotations

import copy
import datetime
import importlib.util
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import pytest
from test_same_as_the_command import EXAMPLES

import privet as pv


@pytest.mark.parametrize("name", EXAMPLES)
def test_files_come_back_as_they_are(name: str, examples: Any, tmp_path: Path) -> None:
    path = examples(name) / "policy.toml"
    policy = pv.Policy.read(path)
    assert policy.to_toml() == path.read_text(encoding="utf-8")
    again = pv.Policy.from_dict(policy.to_dict(), folder=path.parent)
    assert again == policy
    assert again.to_dict() == policy.to_dict()
    policy.write(tmp_path / "copy.toml")
    assert pv.Policy.read(tmp_path / "copy.toml") == policy
    assert pickle.loads(pickle.dumps(policy)) == policy == copy.deepcopy(policy)


def test_what_is_built_is_what_is_written() -> None:
    tree = pv.Hierarchy.from_dict({"Oslo": "Norway", "Rome": "Italy"})
    policy = pv.Policy(
        {
            "mrn": pv.identifier(),
            "city": pv.quasi(tree),
            "odd name.": pv.quasi("trees/odd.csv"),
            "disease": pv.sensitive(),
            "label": pv.class_label(),
            "note": pv.other(),
        },
        [
            pv.k_anonymity(10),
            pv.l_diversity(Fraction(5, 2), column="disease"),
            pv.l_plus_diversity("disease", theta={"flu": Decimal("0.50"), "cold": 0.1 + 0.2}),
            pv.l_plus_diversity("label", default="1/3"),
        ],
        pv.full_domain(suppression_limit="1%", time_limit=datetime.timedelta(seconds=1.5)),
        seed=7,
        data={"missing": ["", "?"]},
        ledger={"path": "ledger.jsonl"},
    )
    read = pv.Policy.parse(policy.to_toml())
    assert read == policy
    document = read.to_dict()
    assert document["columns"]["city"]["hierarchy"] == [["Oslo", "Norway", "*"], ["Rome", "Italy", "*"]]
    assert document["privacy"]["l-diversity"]["l"] == "5/2"
    assert document["privacy"]["l-plus-diversity"][0]["theta"] == {
        "flu": Decimal("0.50"), "cold": Decimal("0.30000000000000004"),
    }
    assert document["method"]["time_limit"] == "1500ms"
    assert document["ledger"] == {"path": "ledger.jsonl"}


def test_hierarchies_that_are_built_from_the_data() -> None:
    people = pandas.DataFrame({"age": [17, 19, 23, 38], "zip": ["94103", "94105", "10001", "10002"]})
    policy = pv.Policy({"age": pv.quasi(pv.intervals(10)), "zip": pv.quasi(pv.mask(1, 2))}, pv.k_anonymity(2), "full-domain")
    with pytest.raises(pv.PolicyError, match="bind"):
        policy.to_toml()
    bound = policy.bind(people)
    assert ["94103", "9410*", "94***", "*"] in bound.to_dict()["columns"]["zip"]["hierarchy"]
    assert pv.Policy.parse(bound.to_toml()) == bound
    release = pv.anonymize(people, policy, seed=1)
    assert release.audit.passed and release.risk().k >= 2
    assert pv.audit(people, release.to_pandas(), bound).passed


def test_set_changes_one_key() -> None:
    policy = pv.Policy({"age": pv.quasi()}, pv.k_anonymity(2), "mondrian")
    assert policy.set("privacy.k-anonymity.k", 9).to_dict()["privacy"] == {"k-anonymity": {"k": 9}}
    odd = pv.Policy({"a.b": pv.quasi()}, pv.k_anonymity(2), "mondrian").set(["columns", "a.b", "role"], "other")
    assert odd.columns == {"a.b": {"role": "other"}}
    assert policy.set("seed", 4).to_dict()["seed"] == 4
    assert policy.to_dict()["privacy"] == {"k-anonymity": {"k": 2}}
    assert "k-anonymity(k=2)" in repr(policy) and "mondrian" in policy._repr_html_()


def test_functions_are_what_the_engine_declares() -> None:
    place = Path(__file__).parent.parent / "generate"
    loader = importlib.machinery.SourceFileLoader("generate", str(place))
    spec = importlib.util.spec_from_loader("generate", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    for name, text in module.written().items():
        held = (Path(pv.__file__).parent / name).read_text(encoding="utf-8")
        assert held == text, f"run crates/privet-python/generate: {name} is not what the engine declares"
