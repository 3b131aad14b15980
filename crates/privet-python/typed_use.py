"""What people write, checked by mypy --strict. It is not run."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import polars as pl

import privet as pv
from privet.sklearn import Anonymizer

frame = pd.DataFrame({"age": [1, 2], "disease": ["a", "b"]})
policy = pv.Policy(
    {"age": pv.quasi(pv.intervals(5)), "disease": pv.sensitive()},
    [pv.k_anonymity(2), pv.l_diversity(2, column="disease"), pv.t_closeness(Fraction(1, 3), column="disease")],
    pv.full_domain(suppression_limit="1%"),
    seed=7,
)
release = pv.anonymize(frame, policy, time_limit=30, progress=False)
pv.anonymize(pl.DataFrame({"age": [1]}), "policy.toml")
pv.anonymize({"age": [1, 2]}, pv.draft(frame))
pv.anonymize([["bread", "milk"], ["beer"]], policy)
to_pandas: pd.DataFrame = release.to_pandas()
to_polars: pl.DataFrame = release.to_polars()
pv.decide(frame, policy).save("plan.privet")
pv.Plan.load("plan.privet").apply(frame)
pv.audit(frame, release, policy).raise_if_failed()
pv.audit(frame, to_pandas, policy)
pv.audit(frame, {"qit.csv": to_polars, "st.csv": to_polars}, policy)
pv.attack(frame, to_pandas, policy, attacks=["linking"]).to_frame()
pv.compare(frame, {"mine": policy}, vary={"seed": [1, 2]}).to_frame()
k: int = pv.risk(frame, ["age"]).k
pv.Hierarchy.from_dict({"flu": "infection"}).plot(frame["disease"])
pv.quasi(frame)
pl.DataFrame(release)
Anonymizer(k=2).fit_transform(frame)


def watch(stage: str, done: int, total: int | None, note: str) -> None:
    """Called while work is under way."""


pv.anonymize(frame, policy, progress=watch)
