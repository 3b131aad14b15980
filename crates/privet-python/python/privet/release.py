"""From a frame and a policy to a release."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _privet, _typed
from ._frames import DataLike, data_of, types_of
from ._plots import bars_svg
from ._privet import Table
from ._progress import Progress, watched
from .errors import AuditFailed, InputError
from .hierarchies import Svg
from .judgement import Attacks, Audit, Choice, Risk, _chosen, attack, audit, risk
from .policy import Policy, PolicyLike, checked_seed, policy_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Plan", "Published", "Release", "anonymize", "decide"]


@dataclass(frozen=True, repr=False)
class Published:
    """A release directory: ``public/`` is safe to publish, ``steward/`` is private."""

    path: Path
    manifest: dict[str, Any]
    audit: Audit
    warnings: tuple[str, ...]

    @property
    def public(self) -> Path:
        """What is safe to publish."""
        return self.path / "public"

    @property
    def steward(self) -> Path:
        """What has to stay private."""
        return self.path / "steward"

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"Published({os.fspath(self.path)!r}: public/ is safe to publish, keep steward/ private)"


class Release:
    """What was made of data under a policy: released rows, which passed the audit, and what is known about them.

    Any library that reads the Arrow C interface takes it as it is: ``polars.DataFrame(release)``.
    """

    def __init__(
        self,
        decision: _privet.Decision,
        rows: _privet.Rows,
        policy: Policy,
        audit: Audit,
        attacks: Attacks,
        types: Mapping[str, Any],
    ) -> None:
        self._decision = decision
        self._rows = rows
        # The types of the columns, where the data are a frame of pandas.
        self._types = types
        #: The policy, with all hierarchies built.
        self.policy = policy
        #: What the independent audit found.
        self.audit = audit
        #: What attackers found.
        self.attacks = attacks
        #: What to know before anything is published.
        self.warnings: tuple[str, ...] = (*decision.warnings(), *audit.warnings, *attacks.warnings)

    @property
    def seed(self) -> int:
        """What all random choices derive from. Keep it secret."""
        return self._decision.seed

    @property
    def plan(self) -> Plan:
        """The plan that the release follows."""
        return Plan(json.loads(self._decision.plan()), self.policy, self._decision)

    @property
    def optimal(self) -> bool:
        """Whether no better plan exists, by the measure of loss."""
        return self._decision.optimal

    @property
    def loss(self) -> float:
        """What is lost, as a share of what could be lost by the measure."""
        return self._decision.loss[1]

    @property
    def measure(self) -> str:
        """The measure of loss."""
        return self._decision.loss[0]

    @property
    def read(self) -> int:
        """How many records were read."""
        return self._decision.records[1]

    def __len__(self) -> int:
        return self._decision.records[0]

    @property
    def names(self) -> list[str]:
        """The names of the released tables, as their files are called."""
        return list(self._rows.names)

    @property
    def assignment(self) -> str | None:
        """Which record is published as what, as CSV, for methods that publish groups or vocabularies. Keep it secret."""
        return self._rows.assignment

    def table(self, name: str | None = None) -> Table:
        """A released table."""
        if name is None:
            if len(self.names) > 1:
                raise InputError(
                    f"the release has {len(self.names)} tables", help="name one of " + ", ".join(map(repr, self.names))
                )
            name = self.names[0]
        if name not in self.names:
            raise InputError(f"the release has no table '{name}'", help="it has " + ", ".join(map(repr, self.names)))
        return self._rows.table(name, self._lists())

    def _lists(self) -> list[str]:
        """The columns of lists that are published as sets. A quasi-identifier is generalised as a whole."""
        form, columns = self._form, self.policy.columns
        if form is None:
            return []
        return [name for name, kind in zip(form.names, form.types)
                if "List(" in kind and columns.get(name, {}).get("role") not in ("quasi-identifier", "mixed")]

    @property
    def _form(self) -> Table | None:
        return self._decision.data.form

    def to_arrow(self, name: str | None = None) -> pyarrow.Table:
        """A released table for pyarrow, with the types that the data have."""
        return _typed.to_arrow(self.table(name), self._form)

    def to_polars(self, name: str | None = None) -> polars.DataFrame:
        """A released table for polars, with the types that the data have."""
        return _typed.to_polars(self.table(name), self._form)

    def to_pandas(self, name: str | None = None) -> pandas.DataFrame:
        """A released table for pandas. Columns that are published as they are have the types that the data have."""
        return _typed.to_pandas(self.table(name), self._form, self._types)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table().__arrow_c_stream__(requested_schema)

    def risk(self) -> Risk:
        """How risky the released table is."""
        return risk(self, self.policy.quasi_identifiers)

    def publish(
        self,
        target: str | os.PathLike[str],
        *,
        force: bool = False,
        format: str | None = None,
        attacks: Choice = "cheap",
        progress: Progress = None,
    ) -> Published:
        """Makes the release directory, as ``privet anonymize`` does: the same bytes for the same data, policy and seed.

        ``format`` is that of the released files, such as ``"parquet"``; else it is that of the data, and CSV for data in memory.
        """
        with watched(progress) as report:
            text = self._decision.publish(os.fspath(target), force, format, _chosen(attacks), report)
        found = json.loads(text)
        return Published(Path(target), found["manifest"], Audit._of(found["audit"]), tuple(found["warnings"]))

    def _file(self, *place: str) -> str:
        with tempfile.TemporaryDirectory(prefix="privet-") as folder:
            target = Path(folder) / "release"
            self.publish(target, progress=False)
            return target.joinpath(*place).read_text(encoding="utf-8")

    @property
    def manifest(self) -> dict[str, Any]:
        """What the steward's manifest of the published release would say. It is a secret."""
        manifest: dict[str, Any] = json.loads(self._file("steward", "manifest.json"))
        return manifest

    def report(self, edition: str = "steward") -> Report:
        """The report, as a page: the steward's, or the one for the public."""
        if edition not in ("steward", "public"):
            raise InputError(f"there is no edition {edition!r}", help="write 'steward' or 'public'")
        return Report(self._file(edition, "report.html"))

    def plot_loss(self) -> Svg:
        """What is lost, and what is left out, as shares."""
        return Svg(bars_svg(self._shares()))

    def _shares(self) -> list[tuple[str, float]]:
        shares = [(f"lost ({self.measure})", self.loss)]
        if self.read:
            shares.append(("records left out", 1 - len(self) / self.read))
        plan = self.plan.to_dict()
        for column, level in (plan.get("levels") or {}).items():
            highest = plan.get("highest", {}).get(column, 0)
            if highest:
                shares.append((f"level of {column}: {level} of {highest}", level / highest))
        return shares

    def __repr__(self) -> str:
        verdict = "passed" if self.audit.passed else "FAILED"
        optimal = ", proven optimal" if self.optimal else ""
        return (f"Release({len(self)} of {self.read} records, {self.loss:.1%} lost ({self.measure}{optimal}), audit "
                f"{verdict}, {self._warned()})")

    def _warned(self) -> str:
        count = len(self.warnings)
        return f"{count or 'no'} warning{'' if count == 1 else 's'}"

    def _repr_html_(self) -> str:
        warnings = "".join(f"<li>{escape(warning)}</li>" for warning in self.warnings)
        listed = f"<details><summary>{self._warned()}</summary><ul>{warnings}</ul></details>"
        risks = ""
        if self.policy.kind == "table" and self.policy.quasi_identifiers and len(self.names) == 1 and len(self):
            risks = self.risk().plot().text
        return (f"<p><b>{escape(repr(self))}</b></p>{bars_svg(self._shares())}<br>{risks}"
                f"{listed if warnings else ''}<p>release.publish(folder) makes the release directory; "
                "release.report() is the steward's report.</p>")


@dataclass(frozen=True, repr=False)
class Report:
    """A report as a page."""

    html: str

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:600px;border:0" '
                'sandbox=""></iframe>')

    def __repr__(self) -> str:
        return f"Report({len(self.html)} characters)"


class Plan:
    """What was decided, apart from the data. It can be saved, and applied to other data of the same form."""

    def __init__(
        self, plan: Mapping[str, Any], policy: Policy, decision: _privet.Decision | None = None
    ) -> None:
        self._plan = dict(plan)
        self._decision = decision
        #: The policy that it was made under.
        self.policy = policy

    def to_dict(self) -> dict[str, Any]:
        """The plan as ``steward/plan.json`` has it."""
        return json.loads(json.dumps(self._plan))  # type: ignore[no-any-return]

    @property
    def rule(self) -> str:
        """What kind of plan it is."""
        return str(self._plan["rule"])

    @property
    def levels(self) -> dict[str, int]:
        """The level of each column, where the plan has levels."""
        return dict(self._plan.get("levels") or {})

    def to_bytes(self) -> bytes:
        """The plan with its policy, without the seed."""
        document = self.policy.to_dict()
        document.pop("seed", None)
        bare = Policy.from_dict(document)
        held = {"plan": self._plan, "policy": bare.to_toml(), "folder": os.fspath(Path(self.policy._path).parent)}
        return json.dumps({"privet": _privet.__version__, **held}, ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, held: bytes) -> Plan:
        """Takes what :meth:`to_bytes` gave."""
        try:
            read = json.loads(held)
            return cls(read["plan"], Policy.parse(read["policy"], read["folder"]))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError("this is not a saved plan", help="save one with plan.save(path)") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan with its policy to a file."""
        Path(path).write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Reads a saved plan."""
        return cls.from_bytes(Path(path).read_bytes())

    def apply(
        self,
        data: DataLike | None = None,
        *,
        policy: PolicyLike | None = None,
        seed: int | None = None,
        attacks: Choice = "cheap",
        progress: Progress = None,
    ) -> Release:
        """Applies the plan: to the data that it was made for, or to others of the same form.

        Classes of other data that fall below the policy's requirements are left out. Data with values that the plan does not
        know are refused, unless the policy lists them in ``data.missing`` and drops missing values; and so is a plan whose effect on
        a record depends on other records.
        """
        if data is None and self._decision is None:
            raise InputError("a loaded plan has no data of its own", help="name the data: plan.apply(df)")
        with watched(progress) as report:
            if data is None and self._decision is not None:
                return _released(self._decision, self.policy, attacks, {}, report)
            asked = self.policy if policy is None else policy_of(policy)
            held = data_of(data, about=asked.data)
            asked = asked.bind(held)
            decision = _privet.Decision.make(asked._policy, held, _seed(seed), json.dumps(self._plan), report)
            return _released(decision, asked, attacks, types_of(data), report)

    def __reduce__(self) -> tuple[Any, ...]:
        # What was decided stays here; the plan goes without it.
        return (Plan, (self._plan, self.policy))

    def __repr__(self) -> str:
        levels = ", ".join(f"{column} {level}" for column, level in self.levels.items())
        return f"Plan({self.rule}{': ' if levels else ''}{levels})"


def _released(
    decision: _privet.Decision,
    policy: Policy,
    attacks: Choice,
    types: Mapping[str, Any],
    report: Any,
) -> Release:
    rows = decision.apply(report)
    found = Audit._of(json.loads(_privet.audit(policy._policy, decision.data, rows, report)))
    if not found.passed:
        failed = "; ".join(f"{check.name}: {check.detail}" for check in found.failures)
        raise AuditFailed(f"the release failed its audit: {failed}", help="nothing was published")
    tried = Attacks((), {})
    if _chosen(attacks) not in ([], ["none"]):
        tried = Attacks._of(_privet.attack(policy._policy, decision.data, rows, _chosen(attacks), report))
    return Release(decision, rows, policy, found, tried, types)


def anonymize(
    data: DataLike | None,
    policy: PolicyLike,
    *,
    seed: int | None = None,
    time_limit: object | None = None,
    attacks: Choice = "cheap",
    count: str | None = None,
    progress: Progress = None,
) -> Release:
    """Decides, applies, audits and attacks. Nothing is written: see :meth:`Release.publish`.

    ``data`` is a frame, a dict of lists, a list of transactions, a path, or ``None`` for the file that the policy names.
    ``count`` names a column that says how often each row is there. ``time_limit`` is seconds, a text such as ``"5m"``, or a
    timedelta.

    >>> from privet import Policy, k_anonymity, quasi
    >>> people = {"age": [34, 36, 61, 67], "city": ["Cork", "Cork", "Galway", "Galway"]}
    >>> policy = Policy({"age": quasi(), "city": quasi()}, k_anonymity(2), "mondrian")
    >>> release = anonymize(people, policy)
    >>> release
    Release(4 of 4 records, 6.1% lost (LM), audit passed, no warnings)
    """
    asked = policy_of(policy)
    if time_limit is not None:
        asked = asked.set("method.time_limit", _limit(time_limit))
    held = data_of(data, count=count, about=asked.data)
    asked = asked.bind(held)
    with watched(progress) as report:
        decision = _privet.Decision.make(asked._policy, held, _seed(seed), None, report)
        return _released(decision, asked, attacks, types_of(data), report)


def _limit(time_limit: object) -> object:
    """A number is seconds."""
    if isinstance(time_limit, (int, float)) and not isinstance(time_limit, bool):
        try:
            return timedelta(seconds=time_limit)
        except (ValueError, OverflowError):
            raise InputError(f"a time limit cannot be {time_limit} seconds", help="write 30, or '5m'") from None
    return time_limit


def _seed(seed: int | None) -> int | None:
    return None if seed is None else checked_seed(seed)


def decide(
    data: DataLike | None,
    policy: PolicyLike,
    *,
    seed: int | None = None,
    time_limit: object | None = None,
    count: str | None = None,
    progress: Progress = None,
) -> Plan:
    """Searches for the best plan. ``count`` names a column that says how often each row is there: distinct rows are enough."""
    asked = policy_of(policy)
    if time_limit is not None:
        asked = asked.set("method.time_limit", _limit(time_limit))
    held = data_of(data, count=count, about=asked.data)
    asked = asked.bind(held)
    with watched(progress) as report:
        decision = _privet.Decision.make(asked._policy, held, _seed(seed), None, report)
    return Plan(json.loads(decision.plan()), asked, decision)
