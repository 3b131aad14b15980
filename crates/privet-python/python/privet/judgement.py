"""What the independent audit, attackers and figures of risk say about a frame."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _privet
from ._frames import ArrowStream, DataLike, data_of, is_frame
from ._plots import histogram_svg
from ._progress import Progress, watched
from .errors import AuditFailed, InputError
from .hierarchies import Svg
from .policy import Policy, PolicyLike, policy_of

if TYPE_CHECKING:
    import pandas

    from .release import Release

__all__ = ["Attacks", "Audit", "Check", "Finding", "Risk", "attack", "audit", "risk"]

#: ``"cheap"``, ``"all"``, ``"none"``, or the names of attacks.
Choice: TypeAlias = "str | Sequence[str]"


def _chosen(attacks: Choice) -> list[str]:
    return [attacks] if isinstance(attacks, str) else list(attacks)


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    holds: bool
    detail: str
    worst: str | None = None
    concerned: int = 0
    undetermined: bool = False


@dataclass(frozen=True, repr=False)
class Audit:
    """What the independent audit found."""

    passed: bool
    kind: str
    #: How many records there are: ``original``, ``dropped``, ``released``, ``suppressed``.
    records: dict[str, int]
    classes: int
    checks: tuple[Check, ...]
    warnings: tuple[str, ...]
    text: str

    @staticmethod
    def _of(found: dict[str, Any], warnings: Sequence[str] = ()) -> Audit:
        known = Check.__dataclass_fields__
        checks = tuple(Check(**{key: value for key, value in check.items() if key in known})
                       for check in found["checks"])
        return Audit(found["passed"], found.get("kind", "table"), found["records"], found["classes"], checks,
                     tuple(found.get("warnings", warnings)), found.get("text", ""))

    @property
    def failures(self) -> list[Check]:
        """The checks that do not hold."""
        return [check for check in self.checks if not check.holds]

    def raise_if_failed(self) -> Audit:
        """Raises :class:`AuditFailed` unless everything holds."""
        if not self.passed:
            failed = "; ".join(f"{check.name}: {check.detail}" for check in self.failures)
            raise AuditFailed(f"the audit failed: {failed}", help="see .checks, or print(audit)")
        return self

    def to_frame(self) -> pandas.DataFrame:
        """The checks as a frame."""
        import pandas

        return pandas.DataFrame([vars(check) for check in self.checks])

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        verdict = "passed" if self.passed else "FAILED: " + ", ".join(check.name for check in self.failures)
        return f"Audit({verdict}; {self.records['released']} records in {self.classes} classes)"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{'✓' if check.holds else '✗'}</td><td>{escape(check.name)}</td><td>{escape(check.detail)}</td></tr>"
            for check in self.checks
        )
        colour, verdict = ("#1a7f37", "passed") if self.passed else ("#b42318", "failed")
        return f"<p>audit <b style='color:{colour}'>{verdict}</b></p><table>{rows}</table>"


@dataclass(frozen=True, repr=False)
class Finding:
    """What an attack found."""

    name: str
    #: The finding in a line.
    line: str
    #: What somebody who is about to publish should read; nothing where the attack does not succeed.
    warning: str | None
    #: Everything that it has to say, as the command prints it with ``--json``.
    details: dict[str, Any]

    def __str__(self) -> str:
        return self.line

    def __repr__(self) -> str:
        return f"Finding({self.name}: {'succeeds' if self.warning else 'does not succeed'})"


@dataclass(frozen=True, repr=False)
class Attacks:
    """What attackers found who know more than the policy assumes."""

    found: tuple[Finding, ...]
    #: The names of attacks that were not run, with the reasons.
    not_run: dict[str, str]

    @staticmethod
    def _of(text: str) -> Attacks:
        read = json.loads(text)
        found = tuple(Finding(one["attack"] if "attack" in one else one.get("name", ""), one.pop("line"),
                              one.pop("warned"), one) for one in read["found"])
        return Attacks(found, {one["name"]: one["reason"] for one in read["not_run"]})

    @property
    def warnings(self) -> list[str]:
        """What somebody who is about to publish should read."""
        return [finding.warning for finding in self.found if finding.warning]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, name: str) -> Finding:
        for finding in self.found:
            if finding.name == name:
                return finding
        raise KeyError(self.not_run.get(name, name))

    def to_frame(self) -> pandas.DataFrame:
        """A row for each attack."""
        import pandas

        rows = [{"attack": one.name, "succeeds": one.warning is not None, "finding": one.line} for one in self.found]
        return pandas.DataFrame(rows, columns=["attack", "succeeds", "finding"])

    def __str__(self) -> str:
        return "\n".join(map(str, self.found))

    def __repr__(self) -> str:
        return f"Attacks({len(self.found)} tried, {len(self.warnings)} with a warning)"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{'⚠' if one.warning else '✓'}</td><td>{escape(one.line)}</td></tr>" for one in self.found
        )
        return f"<table>{rows}</table>"


def audit(
    original: DataLike | None,
    release: DataLike | Mapping[str, ArrowStream] | Release,
    policy: PolicyLike,
    *,
    progress: Progress = None,
) -> Audit:
    """Audits any frame against the original and a policy, with none of the code that makes releases.

    Where a method publishes several tables, ``release`` is a dict of frames by the names that :attr:`Release.names` has, or the path
    of the folder that they are in.

    >>> from privet import Policy, k_anonymity, quasi
    >>> original = {"age": [34, 36, 61]}
    >>> policy = Policy({"age": quasi()}, k_anonymity(2), "mondrian")
    >>> found = audit(original, {"age": ["34-36", "34-36", "61"]}, policy)
    >>> found.passed
    False
    >>> [check.name for check in found.failures]
    ['k-anonymity (k = 2)']
    """
    asked = policy_of(policy)
    held = data_of(original, about=asked.data)
    judged = _judged(release, asked.data)
    with watched(progress) as report:
        found = _privet.audit(asked.bind(held)._policy, held, judged, report)
    return Audit._of(json.loads(found))


def attack(
    original: DataLike | None,
    release: DataLike | Mapping[str, ArrowStream] | Release,
    policy: PolicyLike,
    *,
    attacks: Choice = "all",
    progress: Progress = None,
) -> Attacks:
    """Attacks any frame, as somebody would who has it and knows more than the policy assumes.

    ``attacks`` is ``"all"``, ``"cheap"``, or the names of some.
    """
    asked = policy_of(policy)
    held = data_of(original, about=asked.data)
    judged = _judged(release, asked.data)
    with watched(progress) as report:
        found = _privet.attack(asked.bind(held)._policy, held, judged, _chosen(attacks), report)
    return Attacks._of(found)


def _judged(release: Any, about: dict[str, Any] | None = None) -> Any:
    rows = getattr(release, "_rows", None)
    if isinstance(release, Mapping) and release and all(is_frame(table) for table in release.values()):
        return [(str(name), data_of(table, name=str(name))) for name, table in release.items()]
    return rows if isinstance(rows, _privet.Rows) else data_of(release, name="release", about=about)


@dataclass(frozen=True, repr=False)
class Risk:
    """How risky a table is for those who are in it, where records are alike that agree on the quasi-identifiers."""

    quasi_identifiers: tuple[str, ...]
    #: How many classes there are of each size.
    sizes: dict[int, int]
    #: All figures of ``privet risk`` as its JSON has them, if a policy was given: estimates of unique people, survey weights,
    #: households, special uniques, and which columns identify.
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def records(self) -> int:
        """How many records there are."""
        return sum(size * count for size, count in self.sizes.items())

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return sum(self.sizes.values())

    @property
    def k(self) -> int:
        """The size of the smallest class."""
        return min(self.sizes, default=0)

    @property
    def uniques(self) -> int:
        """How many records are alone in their class."""
        return self.sizes.get(1, 0)

    @property
    def greatest(self) -> float:
        """The risk of those who are worst off: 1 / smallest class."""
        return 1 / self.k if self.k else 0.0

    @property
    def mean(self) -> float:
        """The mean risk: classes / records."""
        return self.classes / self.records if self.records else 0.0

    def at_risk(self, threshold: float) -> float:
        """The share of records whose risk, 1 / size of their class, is above a threshold."""
        above = sum(size * count for size, count in self.sizes.items() if 1 / size > threshold)
        return above / self.records if self.records else 0.0

    def to_frame(self) -> pandas.DataFrame:
        """A row for each size of class."""
        import pandas

        rows = [{"size": size, "classes": count, "records": size * count, "risk": 1 / size}
                for size, count in sorted(self.sizes.items())]
        return pandas.DataFrame(rows, columns=["size", "classes", "records", "risk"])

    def plot(self) -> Svg:
        """The share of records by the size of their class."""
        return Svg(histogram_svg(self.sizes))

    def __repr__(self) -> str:
        return (f"Risk(smallest class {self.k}, {self.uniques} of {self.records} records unique, "
                f"mean {self.mean:.4f} by {', '.join(self.quasi_identifiers)})")

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.plot().text}"


def risk(
    data: DataLike | Release,
    quasi_identifiers: Sequence[str] | Policy,
    *,
    missing: Sequence[str] = ("",),
    on_missing: str = "value",
    largest: int | None = None,
    progress: Progress = None,
) -> Risk:
    """How risky a table is. Missing values are values like any other, unless ``on_missing="drop"``.

    With a policy in place of the names, its roles, its population and what it says of missing values count, and
    :attr:`Risk.figures` has all that ``privet risk`` measures. Sets of up to ``largest`` columns are looked at.

    >>> people = {"age": [34, 34, 61], "city": ["Cork", "Cork", "Galway"]}
    >>> risk(people, ["age", "city"])
    Risk(smallest class 1, 1 of 3 records unique, mean 0.6667 by age, city)
    >>> from privet import Policy, k_anonymity, quasi
    >>> policy = Policy({"age": quasi(), "city": quasi()}, k_anonymity(2), "mondrian")
    >>> risk(people, policy).figures["special_uniques"]["by_size"]
    {'1': 2, '2': 0}
    """
    if isinstance(quasi_identifiers, Policy):
        policy = quasi_identifiers
        measured = _judged(data, policy.data)
        if isinstance(measured, list):
            raise InputError("risks are of one table", help="give one of them")
        if isinstance(measured, _privet.Rows):
            raise InputError(
                "with a policy, the risk is that of the data that it is about", help="write release.risk() for a release"
            )
        with watched(progress) as report:
            found = json.loads(_privet.measure_risk(policy.bind(measured)._policy, measured, largest, report))
        sizes = {int(size): count for size, count in found["sizes"].items()}
        return Risk(tuple(found["columns"]), sizes, found["figures"])
    if largest is not None:
        raise InputError("'largest' needs a policy", help="write risk(df, policy, largest=2)")
    if isinstance(quasi_identifiers, str) or not quasi_identifiers:
        raise InputError("the quasi-identifiers are a list of names", help="write risk(df, ['age', 'zip'])")
    if on_missing not in ("value", "drop"):
        raise InputError(f"'on_missing' cannot be {on_missing!r}", help="write 'value' or 'drop'")
    held = _judged(data)
    if isinstance(held, list):
        raise InputError("risks are of one table", help="give one of them")
    if isinstance(held, _privet.Rows):
        held = data_of(held.table(held.names[0]), name="release")
    with watched(progress) as report:
        sizes = _privet.class_sizes(held, list(map(str, quasi_identifiers)), list(missing), on_missing == "value", report)
    return Risk(tuple(map(str, quasi_identifiers)), sizes)
