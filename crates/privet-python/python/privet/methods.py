"""How a release is made, one function for each method.

Written by ``generate`` from what the engine declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias

from .policy import Clause

__all__ = [
    "aa",
    "anatomy",
    "codip",
    "codip_star",
    "ff",
    "ff_optimal",
    "full_domain",
    "injector",
    "l_plus_optimize",
    "lg",
    "lg_bag",
    "mm",
    "mog",
    "mondrian",
    "og",
    "quasi_sensitive_method",
    "simulated_annealing",
    "ssg",
]

#: An exact number: 3, 0.3, "3/10", "30%", Decimal("0.3") or Fraction(3, 10).
Number: TypeAlias = "int | float | str | Decimal | Fraction"


def full_domain(
    *,
    cost: Literal["LM", "NCP", "DM", "CM", "average-class-size", "height", "precision", "entropy"] | None = None,
    suppression_limit: Number | None = None,
    least_levels: Mapping[str, int] | None = None,
    break_minimality: int | None = None,
    refine: bool | None = None,
    time_limit: str | timedelta | None = None,
) -> Clause:
    """The optimal generalisation level for every column, proven over the whole lattice.

    ``cost``: what the release should lose least of; all costs are reported. Default: LM.
    ``suppression_limit``: the largest share of records that may be left out, as in 0.05. Default: 0.
    ``least_levels``: the lowest level that a column may be published at, as in { zip = 2 }; 0 is the value itself.
    ``break_minimality``: publish one of this many best vectors, drawn by the seed, so that nobody can reason from the
        best one.
    ``refine``: whether the records below a child of a shown node may form a class of their own while the rest keeps the
        node, largest saving first, until nothing can be split any more. Default: false.
    ``time_limit``: how long the search may take, as in "30s"; it then returns the best so far and what is proven about
        it.
    """
    return Clause("full-domain", {"cost": cost, "suppression_limit": suppression_limit, "least_levels": least_levels, "break_minimality": break_minimality, "refine": refine, "time_limit": time_limit})


def mondrian(
    *,
    cost: Literal["LM", "NCP", "DM", "CM", "average-class-size", "height", "precision", "entropy"] | None = None,
    partitioning: Literal["strict", "relaxed"] | None = None,
    numbers: Literal["ranges", "hierarchy"] | None = None,
    labels: Literal["hierarchy", "ranges", "sets"] | None = None,
    splits: Literal["hierarchy", "free"] | None = None,
    refine: bool | None = None,
    time_limit: str | timedelta | None = None,
) -> Clause:
    """Multi-dimensional partitioning from the top: small classes, quickly.

    ``cost``: the cost that is reported first; it does not steer this method. Default: LM.
    ``partitioning``: strict keeps records with equal values together; relaxed may part them at the median. Default:
        strict.
    ``numbers``: whether numeric columns are split at medians into ranges, or along their hierarchy like categories.
        Default: ranges.
    ``labels``: what cells show: nodes of the hierarchy, ranges of numbers, or sets of the values that occur in the
        class; a column may have labels of its own; without it, 'numbers' decides for numbers and others show nodes.
    ``splits``: whether columns with sets as labels are split along their hierarchy, or anywhere by the least summed
        loss; without a hierarchy they are always split freely. Default: hierarchy.
    ``refine``: whether the records below a child of a shown node may form a class of their own while the rest keeps the
        node, largest saving first, until nothing can be split any more. Default: false.
    ``time_limit``: how long the search may take, as in "30s"; it then returns the best so far and what is proven about
        it.
    """
    return Clause("mondrian", {"cost": cost, "partitioning": partitioning, "numbers": numbers, "labels": labels, "splits": splits, "refine": refine, "time_limit": time_limit})


def l_plus_optimize(
    *,
    suppression: Literal["none", "all-rec", "vio-rec", "all-sa", "vio-sa"] | None = None,
    cost: Literal["LM", "DM", "CM"] | None = None,
    cost_value: Number | None = None,
    cost_record: Number | None = None,
    approximation: Number | None = None,
    top: int | None = None,
    break_minimality: bool | int | None = None,
    extra_generalisation: Number | None = None,
    search: Literal["interval", "enumeration"] | None = None,
    order: Literal["descending", "ascending"] | None = None,
    tighten: bool | None = None,
    time_limit: str | timedelta | None = None,
) -> Clause:
    """The optimal cut through every taxonomy under l+-diversity, with five ways to suppress, proven.

    ``suppression``: what happens to a class that violates a threshold: none, all-rec, vio-rec, all-sa or vio-sa.
        Default: all-rec.
    ``cost``: what the release should lose least of: LM, DM or CM. Default: LM.
    ``cost_value``: what a suppressed sensitive cell costs under LM; the number of quasi-identifiers when left out.
    ``cost_record``: what a suppressed record costs under LM; twice the number of quasi-identifiers when left out.
    ``approximation``: how far above the optimum the answer may be: 0.01 for one per cent. Default: 0.
    ``top``: how many of the best cuts are looked for. Default: 1.
    ``break_minimality``: publish one of this many best cuts (true: of the top ones), drawn by the seed, so that nobody
        can reason from the best one. Default: false.
    ``extra_generalisation``: how likely a class is published one step more general than necessary in one column, drawn
        by the seed, so that nobody can reason from what was necessary. Default: 0.
    ``search``: how the best cut is searched for: on intervals of cuts, or by the thesis' enumeration tree, for
        comparison. Default: interval.
    ``order``: for search = "enumeration": whether values of many or of few records are specialised first. Default:
        descending.
    ``tighten``: for search = "enumeration": bound a cut anew each time one of its values has been locked. Default:
        true.
    ``time_limit``: how long the search may take, as in "30s"; it then returns the best so far and what is proven about
        it.
    """
    return Clause("l-plus-optimize", {"suppression": suppression, "cost": cost, "cost_value": cost_value, "cost_record": cost_record, "approximation": approximation, "top": top, "break_minimality": break_minimality, "extra_generalisation": extra_generalisation, "search": search, "order": order, "tighten": tighten, "time_limit": time_limit})


def simulated_annealing(
    *,
    suppression: Literal["none", "all-rec", "vio-rec", "all-sa", "vio-sa"] | None = None,
    cost: Literal["LM", "DM", "CM"] | None = None,
    cost_value: Number | None = None,
    cost_record: Number | None = None,
    time_limit: str | timedelta | None = None,
    steps: int | None = None,
) -> Clause:
    """A good cut through every taxonomy under l+-diversity by simulated annealing, without proof.

    ``suppression``: what happens to a class that violates a threshold: none, all-rec, vio-rec, all-sa or vio-sa.
        Default: all-rec.
    ``cost``: what the release should lose least of: LM, DM or CM. Default: LM.
    ``cost_value``: what a suppressed sensitive cell costs under LM; the number of quasi-identifiers when left out.
    ``cost_record``: what a suppressed record costs under LM; twice the number of quasi-identifiers when left out.
    ``time_limit``: how long the search takes, as in "30s"; 10 seconds when neither this nor steps is given.
    ``steps``: how many moves are tried, instead of as many as the time allows; the seed then decides the result.
    """
    return Clause("simulated-annealing", {"suppression": suppression, "cost": cost, "cost_value": cost_value, "cost_record": cost_record, "time_limit": time_limit, "steps": steps})


def injector(
    *,
    strategy: Literal["near", "balanced", "local", "paper"] | None = None,
    infeasible: Literal["fail", "suppress"] | None = None,
    publish: Literal["two-tables", "permuted"] | None = None,
) -> Clause:
    """Exact quasi-identifiers in groups in which the adversary's knowledge does not help.

    ``strategy``: near puts people together who are near each other; balanced gives groups of the same size without
        regard to who is in them, local splits the table first, paper is the published algorithm. Default: near.
    ``infeasible``: what happens when some records can never have l possible values: fail, or leave out as few as
        possible. Default: fail.
    ``publish``: two-tables: qit.csv with the quasi-identifiers and st.csv with the values of each group; permuted: one
        table with the values shuffled within groups. Default: two-tables.
    """
    return Clause("injector", {"strategy": strategy, "infeasible": infeasible, "publish": publish})


def anatomy(
    *,
    publish: Literal["two-tables", "permuted"] | None = None,
) -> Clause:
    """Exact quasi-identifiers in groups of l different values, blind to what the adversary knows.

    ``publish``: two-tables: qit.csv with the quasi-identifiers and st.csv with the values of each group; permuted: one
        table with the values shuffled within groups. Default: two-tables.
    """
    return Clause("anatomy", {"publish": publish})


def codip_star(
    *,
    persist: bool | None = None,
    cost: Literal["DM", "LM"] | None = None,
    break_minimality: int | None = None,
) -> Clause:
    """Several tables with disjoint sensitive columns, with those together that reveal most about each other.

    ``persist``: whether a merge that breaks a limit is followed by the next best one instead of the end. Default:
        false.
    ``cost``: what each table should lose least of: DM or LM. Default: DM.
    ``break_minimality``: publish each table at one of this many best vectors of levels, drawn by the seed, so that
        nobody can reason from the best one.
    """
    return Clause("codip-star", {"persist": persist, "cost": cost, "break_minimality": break_minimality})


def codip(
    *,
    cost: Literal["DM", "LM"] | None = None,
    break_minimality: int | None = None,
    time_limit: str | timedelta | None = None,
) -> Clause:
    """Several tables with disjoint sensitive columns, the plan of least association loss of all.

    ``cost``: what each table should lose least of: DM or LM. Default: DM.
    ``break_minimality``: publish each table at one of this many best vectors of levels, drawn by the seed, so that
        nobody can reason from the best one.
    ``time_limit``: how long the search may take, as in "30s"; it then returns the best so far and what is proven about
        it.
    """
    return Clause("codip", {"cost": cost, "break_minimality": break_minimality, "time_limit": time_limit})


def ff_optimal(
    *,
    cost: Literal["LM"] | None = None,
    compare: bool | None = None,
    time_limit: str | timedelta | None = None,
) -> Clause:
    """The cuts of least cost under FF-anonymity, proven.

    ``cost``: what the release should lose least of: LM. Default: LM.
    ``compare``: attack a k-anonymous and l-diverse versions of the table too, and report what they leave open. Default:
        false.
    ``time_limit``: how long the search may take, as in "30s"; it then returns the best so far and what is proven about
        it.
    """
    return Clause("ff-optimal", {"cost": cost, "compare": compare, "time_limit": time_limit})


def ff(
    *,
    cost: Literal["LM"] | None = None,
    compare: bool | None = None,
) -> Clause:
    """The most specific cuts that a top-down search reaches under FF-anonymity; nothing can be specialised further.

    ``cost``: what the release should lose least of: LM. Default: LM.
    ``compare``: attack a k-anonymous and l-diverse versions of the table too, and report what they leave open. Default:
        false.
    """
    return Clause("ff", {"cost": cost, "compare": compare})


def quasi_sensitive_method(
    *,
    partitioning: Literal["strict", "relaxed"] | None = None,
    numbers: Literal["ranges", "hierarchy"] | None = None,
    search: Literal["adaptive", "dfs"] | None = None,
    infeasible: Literal["merge", "suppress", "fail"] | None = None,
    time_limit: str | timedelta | None = None,
) -> Clause:
    """Groups by Mondrian, then removes as few terms as it can, so that a public table reveals little.

    ``partitioning``: strict keeps records with equal values together; relaxed may part them at the median. Default:
        strict.
    ``numbers``: whether numeric columns are split at medians into ranges, or along their hierarchy like categories.
        Default: ranges.
    ``search``: adaptive tries the most promising removals first; dfs takes them as they come: a baseline. Default:
        adaptive.
    ``infeasible``: what becomes of a group that no removal can save: joined with its sibling, withheld, or the run
        fails. Default: merge.
    ``time_limit``: how long the search may take, as in "30s"; it then returns the best so far and what is proven about
        it. Default: 10s.
    """
    return Clause("quasi-sensitive", {"partitioning": partitioning, "numbers": numbers, "search": search, "infeasible": infeasible, "time_limit": time_limit})


def og(
    *,
    cost: Literal["NCP", "LM"] | None = None,
    search: Literal["conflicts", "enumeration"] | None = None,
    phase: Literal["auto", "eager", "lazy"] | None = None,
    alpha: Number | None = None,
    item_suppression_limit: Number | None = None,
    suppression_limit: Number | None = None,
    time_limit: str | timedelta | None = None,
) -> Clause:
    """The cut of the item tree that loses least of all that meet the requirement, proven.

    ``cost``: what the release should lose least of; both are reported. Default: NCP.
    ``search``: enumeration: the thesis' own search over itemsets and cuts, for comparison; much slower. Default:
        conflicts.
    ``phase``: when to look for threats: eager, all of them first; lazy, only those of the best cut so far; auto, both.
        Default: auto.
    ``alpha``: how much worse than the optimum the answer may be, as in 0.05 for 5 %. Default: 0.
    ``item_suppression_limit``: the largest share of item occurrences that may be removed, as in 0.01: some items, or
        groups of them, are then removed from all transactions; only where no adversary knows absent items (n = 0).
        Default: 0.
    ``suppression_limit``: the largest share of transactions that may be removed, as in 0.01; only where no adversary
        knows absent items (n = 0). Default: 0.
    ``time_limit``: how long the search may take, as in "30s"; it then returns the best so far and what is proven about
        it.
    """
    return Clause("og", {"cost": cost, "search": search, "phase": phase, "alpha": alpha, "item_suppression_limit": item_suppression_limit, "suppression_limit": suppression_limit, "time_limit": time_limit})


def mog(
    *,
    cost: Literal["NCP", "LM"] | None = None,
    item_suppression_limit: Number | None = None,
    suppression_limit: Number | None = None,
) -> Clause:
    """Og in rounds of growing power: valid, and often but not always the optimum.

    ``cost``: what the release should lose least of; both are reported. Default: NCP.
    ``item_suppression_limit``: the largest share of item occurrences that may be removed, as in 0.01: some items, or
        groups of them, are then removed from all transactions; only where no adversary knows absent items (n = 0).
        Default: 0.
    ``suppression_limit``: the largest share of transactions that may be removed, as in 0.01; only where no adversary
        knows absent items (n = 0). Default: 0.
    """
    return Clause("mog", {"cost": cost, "item_suppression_limit": item_suppression_limit, "suppression_limit": suppression_limit})


def aa(
    *,
    cost: Literal["NCP", "LM"] | None = None,
) -> Clause:
    """K^m-anonymity by greedy generalisation: quick, good, without proof of how good.

    ``cost``: what the release should lose least of; both are reported. Default: NCP.
    """
    return Clause("aa", {"cost": cost})


def lg(
    *,
    cost: Literal["NCP", "LM"] | None = None,
) -> Clause:
    """Every transaction looks like k - 1 others, by splitting from the top: very quick, items at mixed levels.

    ``cost``: what the release should lose least of; both are reported. Default: NCP.
    """
    return Clause("lg", {"cost": cost})


def mm(
    *,
    cost: Literal["NCP", "LM"] | None = None,
) -> Clause:
    """(h,k,p)-coherence by leaving items out everywhere: what is published is published as it is.

    ``cost``: the cost that is reported first; it does not steer this method. Default: NCP.
    """
    return Clause("mm", {"cost": cost})


def ssg(
    *,
    matching: Literal["auto", "exact", "greedy"] | None = None,
    centre: Literal["vote", "hyper", "generalise"] | None = None,
    penalty: Literal["occurrence", "uniform"] | None = None,
    residual: bool | int | None = None,
    withhold: bool | None = None,
    min_vote: int | None = None,
    visits: int | None = None,
    pool: int | None = None,
    slack: int | None = None,
) -> Clause:
    """Clusters vocabularies by meaning and publishes one typical vocabulary for each cluster.

    ``matching``: how occurrences find partners; auto is exact up to 64 of them and greedy beyond. Default: auto.
    ``centre``: what is printed for partners: the term nearest to all, all of them, or what they have in common.
        Default: vote.
    ``penalty``: what a bag of partners costs that is given up: as many as it has occurrences, or one. Default:
        occurrence.
    ``residual``: whether left-overs are printed as what they have in common, where the distances have a tree; or how
        far they may be apart, as in 12. Default: true.
    ``withhold``: whether a vocabulary is left out that would cost its cluster more than its own occurrences. Default:
        false.
    ``min_vote``: how many members of its cluster must have a typical term. Default: 1.
    ``visits``: how many vocabularies are looked at for one cluster where there are more than 20,000; large ones count
        for several. Default: 2000.
    ``pool``: how many of them stay candidates for one cluster where there are more than 20,000. Default: 60.
    ``slack``: how many good candidates are enough for each that is needed, where there are more than 20,000. Default:
        15.
    """
    return Clause("ssg", {"matching": matching, "centre": centre, "penalty": penalty, "residual": residual, "withhold": withhold, "min_vote": min_vote, "visits": visits, "pool": pool, "slack": slack})


def lg_bag() -> Clause:
    """Vocabularies are generalised from the top until k look alike: very quick, general words, counts kept where
    all have them."""
    return Clause("lg-bag", {})
