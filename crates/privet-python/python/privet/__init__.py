"""Publish data about people without publishing the people.

>>> import privet
>>> people = {"age": [34, 36, 61, 67], "disease": ["flu", "cold", "flu", "asthma"]}
>>> policy = privet.Policy(
...     {"age": privet.quasi(), "disease": privet.sensitive()},
...     [privet.k_anonymity(2), privet.l_diversity(column="disease", l=2)],
...     privet.mondrian(),
... )
>>> release = privet.anonymize(people, policy)
>>> len(release), release.audit.passed
(4, True)
"""

from . import methods as _methods
from . import requirements as _requirements
from ._privet import Table, __version__
from .comparison import Comparison, compare
from .drafts import Draft, draft
from .errors import (
    AuditFailed,
    Busy,
    DataError,
    Error,
    Infeasible,
    InputError,
    InternalError,
    PolicyError,
)
from .hierarchies import Builder, Hierarchy, Svg, dates, flat, groups, intervals, mask, prefix
from .judgement import Attacks, Audit, Check, Finding, Risk, attack, audit, risk
from .methods import *  # noqa: F403
from .policy import (
    Clause,
    Column,
    Policy,
    class_label,
    identifier,
    item_set,
    mixed,
    other,
    pseudonym,
    quasi,
    quasi_sensitive,
    sensitive,
)
from .release import Plan, Published, Release, Report, anonymize, decide
from .requirements import *  # noqa: F403

__all__ = [
    "Attacks",
    "Audit",
    "AuditFailed",
    "Builder",
    "Busy",
    "Check",
    "Clause",
    "Column",
    "Comparison",
    "DataError",
    "Draft",
    "Error",
    "Finding",
    "Hierarchy",
    "Infeasible",
    "InputError",
    "InternalError",
    "Plan",
    "Policy",
    "PolicyError",
    "Published",
    "Release",
    "Report",
    "Risk",
    "Svg",
    "Table",
    "__version__",
    "anonymize",
    "attack",
    "audit",
    "class_label",
    "compare",
    "dates",
    "decide",
    "draft",
    "flat",
    "groups",
    "identifier",
    "intervals",
    "item_set",
    "mask",
    "mixed",
    "other",
    "prefix",
    "pseudonym",
    "quasi",
    "quasi_sensitive",
    "risk",
    "sensitive",
]
__all__ += _methods.__all__
__all__ += _requirements.__all__
