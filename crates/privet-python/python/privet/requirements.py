"""What a release has to meet, one function for each requirement.

Written by ``generate`` from what the engine declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias

from .policy import Clause

__all__ = [
    "average_risk",
    "beta_likeness",
    "coherence",
    "delta_disclosure",
    "delta_presence",
    "ff_anonymity",
    "household_risk",
    "individual_risk",
    "k_anonymity",
    "k_map",
    "kl_privacy",
    "km_anonymity",
    "l_diversity",
    "l_plus_diversity",
    "lkc_privacy",
    "matching_l_diversity",
    "n_t_closeness",
    "population_uniqueness",
    "privacy_degree",
    "projection",
    "qs_closeness",
    "qs_diversity",
    "sample_uniqueness",
    "t_closeness",
    "transactional_k_anonymity",
    "vocabulary_k_anonymity",
]

#: An exact number: 3, 0.3, "3/10", "30%", Decimal("0.3") or Fraction(3, 10).
Number: TypeAlias = "int | float | str | Decimal | Fraction"


def k_anonymity(
    k: int,
    *,
    unit: Literal["person", "household"] | None = None,
) -> Clause:
    """Every released record looks like at least k - 1 others.

    ``k``: the least size of a class, as in k = 5.
    ``unit``: what is counted in place of records, by all requirements: people, as `person` in [data] tells them, or the
        households of the column with that role; left out: people where something tells them, else records.
    """
    return Clause("k-anonymity", {"k": k, "unit": unit})


def l_diversity(
    l: Number,
    *,
    column: str | None = None,
    kind: Literal["distinct", "frequency", "entropy", "recursive"] | None = None,
    c: Number | None = None,
) -> Clause:
    """Every class has at least l well-represented values of a sensitive column.

    ``l``: how diverse, as in l = 3.
    ``column``: the sensitive column, as in column = "disease"; left out: every sensitive column.
    ``kind``: what well represented means: distinct, frequency, entropy or recursive. Default: distinct.
    ``c``: the factor of recursive (c,l)-diversity, as in c = 4.
    """
    return Clause("l-diversity", {"column": column, "l": l, "kind": kind, "c": c})


def l_plus_diversity(
    column: str,
    *,
    l: Number | None = None,
    default: Number | None = None,
    theta_rule: Literal["frequency"] | None = None,
    theta: Mapping[str, Number] | None = None,
) -> Clause:
    """In every class no value of a sensitive column exceeds its own threshold.

    ``column``: the sensitive column, as in column = "disease".
    ``l``: every value's threshold is 1/l, as in l = 4.
    ``default``: the threshold of values without one of their own, as in default = "1/4".
    ``theta_rule``: frequency: values more frequent than the mean get a threshold as much larger than the default.
    ``theta``: thresholds of single values, as in theta = { Cancer = "3/10", Flu = 0.5 }.
    """
    return Clause("l-plus-diversity", {"column": column, "l": l, "default": default, "theta_rule": theta_rule, "theta": theta})


def lkc_privacy(
    L: int,
    K: int,
    C: Number,
    *,
    column: str | None = None,
) -> Clause:
    """Records that agree on at most L quasi-identifiers are at least K, and no sensitive value exceeds C among
    them.

    ``L``: how many quasi-identifiers of a person an attacker knows at most, as in L = 2.
    ``K``: the least number of records that agree on them, as in K = 5.
    ``C``: the largest share of these records with the same sensitive value, above 0, as in C = 0.5.
    ``column``: the sensitive column, as in column = "disease"; left out: every sensitive column; with C = 1 there may
        be none.
    """
    return Clause("lkc-privacy", {"L": L, "K": K, "C": C, "column": column})


def kl_privacy(
    k: int,
    m: int,
    *,
    column: str | None = None,
    l: Number | None = None,
    theta: Mapping[str, Number] | None = None,
    n: int | None = None,
    power: str | Mapping[str, Number] | None = None,
) -> Clause:
    """In every class, knowing m items of a column of sets points at k records or more, and reveals no sensitive
    item.

    ``k``: the least number of records of a class that fit what is known, as in k = 5.
    ``m``: how many items the adversary knows next to the quasi-identifiers, as in m = 2; at most 4.
    ``column``: the column of sets, as in column = "diagnoses".
    ``l``: no sensitive item is surer than 1/l, as in l = 5 or "10/3". Default: 1.
    ``theta``: the confidence allowed in single sensitive items, as in theta = { "HIV test" = "1/10" }.
    ``n``: how many items the adversary knows to be absent. Default: 0.
    ``power``: what known items count of the m: items, one each; leaves, a group as many as it has leaves; or weights of
        items, as in power = { Beer = 2 }, where a group counts as little as any item below it; only with n = 0.
    """
    return Clause("kl-privacy", {"column": column, "k": k, "l": l, "m": m, "theta": theta, "n": n, "power": power})


def matching_l_diversity(
    column: str,
    l: int,
    *,
    max_posterior: Number | None = None,
) -> Clause:
    """L values stay possible for everybody, whatever rules the adversary knows.

    ``column``: the sensitive column, as in column = "disease".
    ``l``: how many values must stay possible for everybody, as in l = 4.
    ``max_posterior``: how sure the adversary may become of a value, if all assignments are equally likely to them, as
        in "1/4".
    """
    return Clause("matching-l-diversity", {"column": column, "l": l, "max_posterior": max_posterior})


def qs_diversity(
    column: str,
    c: Number,
    l: int,
) -> Clause:
    """Nobody's terms point at few labels, whatever public table one links them to.

    ``column``: the quasi-sensitive column, as in column = "symptoms".
    ``c``: how many times likelier the likeliest label may be, above 0, as in c = 1.0.
    ``l``: how many labels must stay possible, as in l = 3.
    """
    return Clause("qs-diversity", {"column": column, "c": c, "l": l})


def qs_closeness(
    column: str,
    t: Number,
    *,
    prior: Literal["microdata", "uniform", "weight"] | None = None,
) -> Clause:
    """What a group's terms reveal is nearly what was believed before.

    ``column``: the quasi-sensitive column, as in column = "symptoms".
    ``t``: the largest distance, as in t = 0.2.
    ``prior``: what is believed beforehand: the mean over the original table, all labels alike, or the knowledge file's
        column 'weight'. Default: microdata.
    """
    return Clause("qs-closeness", {"column": column, "t": t, "prior": prior})


def t_closeness(
    t: Number,
    *,
    column: str | None = None,
    distance: Literal["equal", "ordered", "hierarchical", "per-value"] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Clause:
    """In every class a sensitive column is distributed much as in the whole table.

    ``t``: the largest distance, as in t = 0.2.
    ``column``: the sensitive column, as in column = "disease"; left out: every sensitive column.
    ``distance``: what moving a value costs: equal, ordered or hierarchical; per-value where cells hold several values.
        Default: equal.
    ``columns``: where no column is named, the distance of those that have another, as in columns = { age_at_onset =
        "ordered" }.
    """
    return Clause("t-closeness", {"column": column, "t": t, "distance": distance, "columns": columns})


def beta_likeness(
    beta: Number,
    *,
    column: str | None = None,
    kind: Literal["basic", "enhanced"] | None = None,
) -> Clause:
    """No sensitive value is more than 1 + beta times as frequent in a class as in the whole table.

    ``beta``: the largest gain relative to the share in the whole table, above 0, as in beta = 2.
    ``column``: the sensitive column, as in column = "disease"; left out: every sensitive column.
    ``kind``: basic: the gain is at most beta; enhanced: at most beta and −ln p. Default: basic.
    """
    return Clause("beta-likeness", {"column": column, "beta": beta, "kind": kind})


def delta_disclosure(
    delta: Number,
    *,
    column: str | None = None,
    absent: Literal["violates", "skip"] | None = None,
) -> Clause:
    """In every class each sensitive value is less than 2^delta times as frequent or as rare as in the whole table.

    ``delta``: what the logarithm of the ratio stays below, above 0, as in delta = 2.
    ``column``: the sensitive column, as in column = "disease"; left out: every sensitive column.
    ``absent``: what a value means that a class lacks: violates or skip. Default: violates.
    """
    return Clause("delta-disclosure", {"column": column, "delta": delta, "absent": absent})


def k_map(
    k: int,
    *,
    by: Literal["population", "weights", "poisson", "zero-truncated-poisson"] | None = None,
    significance: Number | None = None,
) -> Clause:
    """Behind every class there are at least k people of the population.

    ``k``: the least number of people behind a class, as in k = 5.
    ``by``: where that number comes from; left out: population where [population] has a path, else weights where a
        column has that role.
    ``significance``: for poisson and zero-truncated-poisson: how likely a class of fewer people may pass, as in 0.01.
    """
    return Clause("k-map", {"k": k, "by": by, "significance": significance})


def delta_presence(
    min: Number,
    max: Number,
    *,
    on_suppression: Literal["refuse", "ignore"] | None = None,
) -> Clause:
    """Of the people behind every class of the population, a share from min to max is in the data.

    ``min``: the least share, as in min = 0.
    ``max``: the largest share, as in max = "1/5".
    ``on_suppression``: refuse: no class may be left out; ignore: only classes with released records are bounded, and
        presence is hidden partly. Default: refuse.
    """
    return Clause("delta-presence", {"min": min, "max": max, "on_suppression": on_suppression})


def average_risk(
    max: Number,
    *,
    highest: Number | None = None,
    at_risk: Number | None = None,
) -> Clause:
    """On average a released record is found with a chance of at most max.

    ``max``: the largest average, as in max = "1/20".
    ``highest``: the chance above which a record is at risk, as in highest = "1/5".
    ``at_risk``: the largest share of records at risk, as in at_risk = 0.05; 0 where only 'highest' is given.
    """
    return Clause("average-risk", {"max": max, "highest": highest, "at_risk": at_risk})


def sample_uniqueness(
    max: Number,
) -> Clause:
    """At most a share max of the released records is alone in its class.

    ``max``: the largest share, as in max = 0.01.
    """
    return Clause("sample-uniqueness", {"max": max})


def population_uniqueness(
    max: Number,
    *,
    estimator: Literal["zayatz", "pitman", "snb", "dankar"] | None = None,
) -> Clause:
    """An estimated share of at most max of the population is unique in the released columns.

    ``max``: the largest share, as in max = 0.001.
    ``estimator``: how the share is estimated: zayatz, pitman, snb, or the rule of Dankar and others, which chooses one
        of them. Default: dankar.
    """
    return Clause("population-uniqueness", {"max": max, "estimator": estimator})


def individual_risk(
    max: Number,
) -> Clause:
    """With survey weights, a record of every class is found with a chance of at most max.

    ``max``: the largest chance, as in max = 0.01.
    """
    return Clause("individual-risk", {"max": max})


def household_risk(
    max: Number,
) -> Clause:
    """Somebody of a household is found with a chance of at most max.

    ``max``: the largest chance, as in max = 0.05.
    """
    return Clause("household-risk", {"max": max})


def n_t_closeness(
    n: int,
    t: Number,
    *,
    column: str | None = None,
    distance: Literal["equal", "ordered", "hierarchical", "per-value"] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Clause:
    """In every class a sensitive column is distributed much as in a larger group of at least n like records.

    ``n``: how many records the larger group has at least, as in n = 1000.
    ``t``: the largest distance, as in t = 0.2.
    ``column``: the sensitive column, as in column = "disease"; left out: every sensitive column.
    ``distance``: what moving a value costs: equal, ordered or hierarchical; per-value where cells hold several values.
        Default: equal.
    ``columns``: where no column is named, the distance of those that have another, as in columns = { age_at_onset =
        "ordered" }.
    """
    return Clause("n-t-closeness", {"column": column, "n": n, "t": t, "distance": distance, "columns": columns})


def ff_anonymity(
    threat: Number,
    *,
    observable: Number | None = None,
) -> Clause:
    """No guarded value follows from what can be observed, whatever columns and levels it is from.

    ``threat``: the largest probability of an inference times the sensitivity of what it tells, as in threat = 0.5.
    ``observable``: how observable a value must be for an adversary to see it, as in observable = 1.0. Default: 1.
    """
    return Clause("ff-anonymity", {"observable": observable, "threat": threat})


def projection(
    alpha: Number,
    beta: Number,
    *,
    max_discernibility: Number | None = None,
) -> Clause:
    """Several tables, each with some of the sensitive columns: what may be lost and what exposed.

    ``alpha``: the largest share of association that may be lost, as in alpha = 0.3.
    ``beta``: the largest share of information that may be exposed, as in beta = 0.3.
    ``max_discernibility``: the largest DM of a table: the sum of its classes' sizes squared, as in 3.5e9.
    """
    return Clause("projection", {"alpha": alpha, "beta": beta, "max_discernibility": max_discernibility})


def km_anonymity(
    k: int,
    m: int,
) -> Clause:
    """Knowing up to m items points at k transactions or more.

    ``k``: the least number of transactions that fit what is known, as in k = 5; 1 asks for nothing.
    ``m``: how many items the adversary knows, as in m = 3.
    """
    return Clause("km-anonymity", {"k": k, "m": m})


def coherence(
    h: Number,
    k: int,
    p: int,
) -> Clause:
    """Knowing up to p items points at k transactions or more, and at no sensitive item with confidence above h.

    ``h``: the largest confidence in a sensitive item, as in h = "40%".
    ``k``: the least number of transactions that fit what is known, as in k = 5; 1 asks for nothing.
    ``p``: how many items the adversary knows, as in p = 2.
    """
    return Clause("coherence", {"h": h, "k": k, "p": p})


def transactional_k_anonymity(
    k: int,
) -> Clause:
    """Every released transaction looks like at least k - 1 others.

    ``k``: the least number of transactions that fit what is known, as in k = 5; 1 asks for nothing.
    """
    return Clause("transactional-k-anonymity", {"k": k})


def privacy_degree(
    p: Number,
) -> Clause:
    """Among transactions that look alike, no sensitive item is surer than 1/p.

    ``p``: no sensitive item is surer than 1/p, as in p = 5.
    """
    return Clause("privacy-degree", {"p": p})


def vocabulary_k_anonymity(
    k: int,
    *,
    distinct_users: bool | None = None,
    min_term_users: int | None = None,
) -> Clause:
    """Every published vocabulary is identical to at least k - 1 others.

    ``k``: how many identical vocabularies there must be, as in k = 5.
    ``distinct_users``: whether the k vocabularies must be of k different users; true where users are known.
    ``min_term_users``: how many people used a printed term at least; k where users are known, else 1.
    """
    return Clause("vocabulary-k-anonymity", {"k": k, "distinct_users": distinct_users, "min_term_users": min_term_users})
