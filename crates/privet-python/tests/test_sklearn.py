"""Anonymisation as a step of scikit-learn."""

from __future__ import annotations

import numpy
import pandas
import pytest

pytest.importorskip("sklearn")

from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

import privet as pv  # noqa: E402
from privet.sklearn import Anonymizer  # noqa: E402

UNSEEN = "rows that were not there at fit are refused"
#: Checks that ask for what the guarantee forbids.
NOT_WANTED = {
    "check_methods_subset_invariance": UNSEEN,
    "check_methods_sample_order_invariance": UNSEEN,
    "check_fit_idempotent": UNSEEN,
}


def test_the_usual_checks() -> None:
    results = check_estimator(Anonymizer(k=2), expected_failed_checks=NOT_WANTED, on_fail=None, on_skip=None)
    failed = [(one["check_name"], one["exception"]) for one in results if one["status"] == "failed"]
    assert not failed, failed


def test_rows_stay_in_order_and_meet_the_policy() -> None:
    generator = numpy.random.default_rng(1)
    X = pandas.DataFrame({"age": generator.integers(18, 90, 300), "city": generator.choice(["a", "b"], 300)})
    step = Anonymizer(k=5, numbers="label")
    out = step.fit_transform(X)
    assert out.index.equals(X.index) and list(out.columns) == ["age", "city"]
    assert pv.risk(out, ["age", "city"]).k >= 5
    assert step.audit_.passed
    assert step.release_().risk().k >= 5
    assert step.transform(X).equals(out)
    with pytest.raises(pv.DataError, match="at fit"):
        step.transform(X.head(10))
    later = Anonymizer(k=5, unseen="plan").fit(X)
    assert later.transform(X.head(200)).shape == (200, 2)


def test_a_policy_and_a_pipeline() -> None:
    generator = numpy.random.default_rng(2)
    X = pandas.DataFrame({"age": generator.integers(18, 90, 400), "income": generator.normal(50, 9, 400).round(1)})
    y = (X["age"] > 50).astype(int)
    policy = pv.Policy({"age": pv.quasi(), "income": pv.quasi()}, pv.k_anonymity(5), "mondrian")
    pipeline = make_pipeline(Anonymizer(policy), LogisticRegression(max_iter=1000))
    assert pipeline.fit(X, y).score(X, y) > 0.8
    # A plan for rows that are not there at fit needs hierarchies that know their values.
    tree = pv.intervals(10).build(range(18, 90))
    policy = pv.Policy({"age": pv.quasi(tree)}, pv.k_anonymity(5), pv.full_domain(suppression_limit="5%"))
    pipeline = make_pipeline(Anonymizer(policy, unseen="plan"), LogisticRegression(max_iter=1000))
    assert cross_val_score(pipeline, X[["age"]], y, cv=3, error_score="raise").mean() > 0.7
