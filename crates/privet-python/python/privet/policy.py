"""Policies: what each column is, what must hold, and how the release is made."""

from __future__ import annotations

import copy
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from . import _privet, _toml
from ._frames import ArrowStream, DataLike, data_of
from .errors import DataError, InputError, PolicyError
from .hierarchies import Builder, Hierarchy

__all__ = [
    "Clause",
    "Column",
    "Policy",
    "PolicyLike",
    "class_label",
    "identifier",
    "item_set",
    "mixed",
    "other",
    "policy_of",
    "pseudonym",
    "quasi",
    "quasi_sensitive",
    "sensitive",
]

#: A hierarchy, a way to build one, a dict of parents, paths, a frame, or the name of a file.
HierarchyLike: TypeAlias = (
    "Hierarchy | Builder | Mapping[Any, Any] | Sequence[Sequence[object]] | ArrowStream | str | os.PathLike[str]"
)


@dataclass(frozen=True)
class Clause:
    """A requirement or a method: its name and its keys."""

    name: str
    keys: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The keys that were given."""
        return {key: value for key, value in self.keys.items() if value is not None}

    def __repr__(self) -> str:
        keys = ", ".join(f"{key}={_shown(value)}" for key, value in self.to_dict().items())
        return f"{self.name}({keys})"


def _shown(value: object) -> str:
    return str(value) if isinstance(value, (Decimal, Fraction)) else repr(value)


@dataclass(frozen=True)
class Column:
    """What a column is: its role, its hierarchy, and other keys of ``[columns.NAME]``."""

    role: str
    hierarchy: HierarchyLike | None = None
    keys: Mapping[str, Any] = field(default_factory=dict)


def identifier(**keys: Any) -> Column:
    """A column that names a person directly. It is dropped."""
    return Column("identifier", None, keys)


def quasi(hierarchy: HierarchyLike | None = None, **keys: Any) -> Column:
    """A column that others may know: it is generalised along its hierarchy."""
    return Column("quasi-identifier", hierarchy, keys)


def sensitive(hierarchy: HierarchyLike | None = None, **keys: Any) -> Column:
    """A column that nobody may learn about a person."""
    return Column("sensitive", hierarchy, keys)


def quasi_sensitive(**keys: Any) -> Column:
    """A set of terms that public knowledge may turn into something sensitive."""
    return Column("quasi-sensitive", None, keys)


def pseudonym(**keys: Any) -> Column:
    """A column that names a person directly, by which tables are to be joined. It is published as a keyed hash."""
    return Column("pseudonym", None, keys)


def item_set(separator: str = "|", hierarchy: HierarchyLike | None = None, **keys: Any) -> Column:
    """A set of items, a few of which others may know: they are generalised along their hierarchy.

    Cells are texts with ``separator`` between the items, or lists, for which it is ``"|"``.
    """
    return Column("set", hierarchy, {"separator": separator, **keys})


def mixed(hierarchy: HierarchyLike, **keys: Any) -> Column:
    """A column some of whose values can be seen on a person, while nobody may learn the others."""
    return Column("mixed", hierarchy, keys)


def class_label(**keys: Any) -> Column:
    """What analysis wants to predict."""
    return Column("class", None, keys)


def other(**keys: Any) -> Column:
    """A column that is carried through as it is."""
    return Column("other", None, keys)


def _place(folder: str | os.PathLike[str] | None) -> str:
    return os.fspath(Path(folder) / "policy.toml") if folder is not None else "policy.toml"


class Policy:
    """What the publisher wants. Built here, or read from TOML; either way the text is the policy.

    >>> from privet import k_anonymity, l_diversity, mondrian, quasi, sensitive
    >>> policy = Policy(
    ...     {"age": quasi(), "zip": quasi(), "disease": sensitive()},
    ...     [k_anonymity(2), l_diversity(column="disease", l=2)],
    ...     mondrian(),
    ...     seed=7,
    ... )
    >>> print(policy.to_toml())
    seed = 7
    <BLANKLINE>
    [data]
    <BLANKLINE>
    [columns.age]
    role = "quasi-identifier"
    <BLANKLINE>
    [columns.zip]
    role = "quasi-identifier"
    <BLANKLINE>
    [columns.disease]
    role = "sensitive"
    <BLANKLINE>
    [privacy.k-anonymity]
    k = 2
    <BLANKLINE>
    [privacy.l-diversity]
    column = "disease"
    l = 2
    <BLANKLINE>
    [method]
    name = "mondrian"
    <BLANKLINE>
    >>> Policy.parse(policy.to_toml()) == policy
    True
    """

    def __init__(
        self,
        columns: Mapping[str, Column | str | Mapping[str, Any]] | None = None,
        privacy: Clause | Sequence[Clause] = (),
        method: Clause | str | None = None,
        *,
        seed: int | None = None,
        data: Mapping[str, Any] | None = None,
        items: Mapping[str, Any] | None = None,
        folder: str | os.PathLike[str] | None = None,
        **sections: Mapping[str, Any],
    ) -> None:
        if columns is not None and not isinstance(columns, Mapping):
            raise PolicyError("the columns are a dict", help="write {'age': quasi(), 'disease': sensitive()}")
        document: dict[str, Any] = {} if seed is None else {"seed": checked_seed(seed)}
        document["data"] = dict(data or {})
        if items is not None:
            document["items"] = {key: _hierarchy_value(value) if key == "hierarchy" else value
                                 for key, value in items.items()}
        builders: dict[str, Builder] = {}
        if columns:
            document["columns"] = {
                str(name): _column(str(name), column, builders) for name, column in columns.items()
            }
        document["privacy"] = _privacy([privacy] if isinstance(privacy, (Clause, str)) else privacy)
        if method is not None:
            clause = Clause(method) if isinstance(method, str) else method
            document["method"] = {"name": clause.name, **clause.to_dict()}
        document |= {name.replace("_", "-"): dict(section) for name, section in sections.items()}
        self._builders = builders
        self._path = _place(folder)
        self._text = _toml.write(document)
        self._policy = _privet.Policy(self._text, self._path)
        # As it is read: a fraction is a text by now.
        self._document = _toml.read(self._text)

    @classmethod
    def _of(cls, policy: _privet.Policy, builders: Mapping[str, Builder] | None = None) -> Policy:
        made = cls.__new__(cls)
        made._policy = policy
        made._text = policy.text
        made._path = os.fspath(policy.path)
        made._document = _toml.read(policy.text)
        made._builders = dict(builders or {})
        return made

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """Reads a policy file. Relative paths in it start where it is."""
        return cls._of(_privet.Policy.read(os.fspath(path)))

    @classmethod
    def parse(cls, text: str, folder: str | os.PathLike[str] | None = None) -> Policy:
        """Takes the text of a policy. Relative paths in it start in ``folder``, or where the process runs."""
        return cls._of(_privet.Policy(text, _place(folder)))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], folder: str | os.PathLike[str] | None = None) -> Policy:
        """Takes a policy as nested dicts, as :meth:`to_dict` gives it."""
        return cls.parse(_toml.write(document), folder)

    def to_dict(self) -> dict[str, Any]:
        """The policy as nested dicts. Numbers with a fraction are exact decimals."""
        self._all_built()
        return copy.deepcopy(self._document)

    def to_toml(self) -> str:
        """The policy as TOML: as it was read, or as it was built."""
        self._all_built()
        return self._text

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a policy file, which the command takes too."""
        text = self.to_toml()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def set(self, key: str | Sequence[str], value: Any) -> Policy:
        """The same policy with another value for a key; ``None`` removes it.

        The key is a path with dots, or a list of names where a name has a dot in it.

        >>> policy = Policy({"age": quasi()}, [Clause("k-anonymity", {"k": 2})], "mondrian")
        >>> policy.set("privacy.k-anonymity.k", 5).to_dict()["privacy"]
        {'k-anonymity': {'k': 5}}
        """
        document = copy.deepcopy(self._document)
        names = key.split(".") if isinstance(key, str) else list(key)
        *sections, last = names
        table: Any = document
        for name in sections:
            table = table.setdefault(name, {}) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise PolicyError(f"'{'.'.join(names)}' is not a key of one table", help="change the dict of policy.to_dict() instead")
        if value is None:
            table.pop(last, None)
        else:
            table[last] = value
        return Policy._of(_privet.Policy(_toml.write(document), self._path), self._builders)

    def bind(self, data: DataLike | None) -> Policy:
        """The same policy with all hierarchies that are to be built from the data.

        Every call that takes a policy and data does so itself.
        """
        if not self._builders:
            return self
        held, document = data_of(data, about=self.data), copy.deepcopy(self._document)
        for name, builder in self._builders.items():
            counts = self._policy.values(held, name)
            if not counts:
                raise DataError(f"column '{name}' has no values", help=f"{builder!r} builds its hierarchy from them")
            document["columns"][name]["hierarchy"] = [list(path) for path in builder.build_counted(counts).paths]
        return Policy._of(_privet.Policy(_toml.write(document), self._path))

    def _all_built(self) -> None:
        for name, builder in self._builders.items():
            raise PolicyError(
                f"the hierarchy of column '{name}' is to be built by {builder!r}, and nothing says from which values",
                help="call policy.bind(data) first",
            )

    @property
    def data(self) -> dict[str, Any]:
        """What the policy says of the data."""
        return copy.deepcopy(self._document.get("data", {}))

    @property
    def columns(self) -> dict[str, dict[str, Any]]:
        """What the policy says of each column."""
        return copy.deepcopy(self._document.get("columns", {}))

    @property
    def quasi_identifiers(self) -> list[str]:
        """The names of the quasi-identifiers."""
        return [name for name, column in self.columns.items() if column.get("role") == "quasi-identifier"]

    @property
    def kind(self) -> str:
        """What the policy is about: ``table``, ``transactions``, ``query-log`` or ``vocabularies``."""
        return str(self._document.get("data", {}).get("kind", "table"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        return (self._document, self._builders) == (other._document, other._builders)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self._text, self._path, self._builders))

    def _summary(self) -> str:
        privacy = self._document.get("privacy", {})
        clauses = [
            Clause(name, table)
            for name, tables in privacy.items()
            for table in (tables if isinstance(tables, list) else [tables])
        ]
        method = self._document.get("method", {}).get("name", "the usual method")
        asked = " and ".join(map(repr, clauses)) or "nothing asked"
        return f"{asked} by {method}"

    def __repr__(self) -> str:
        return f"Policy({self._summary()}, {len(self._document.get('columns', {}))} columns)"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(str(column.get('role', '')))}</td>"
            f"<td>{escape(self._shown_hierarchy(name, column))}</td></tr>"
            for name, column in self._document.get("columns", {}).items()
        )
        head = "<tr><th>column</th><th>role</th><th>hierarchy</th></tr>"
        return f"<p><b>Policy</b>: {escape(self._summary())}</p><table>{head}{rows}</table>"

    def _shown_hierarchy(self, name: str, column: Mapping[str, Any]) -> str:
        if name in self._builders:
            return repr(self._builders[name])
        tree = column.get("hierarchy", "")
        return f"{len(tree)} values" if isinstance(tree, list) else str(tree)


#: A policy, what has one (such as a draft), or a policy file.
PolicyLike: TypeAlias = "Policy | HasPolicy | str | os.PathLike[str]"


@runtime_checkable
class HasPolicy(Protocol):
    """What has a policy, as drafts and plans have."""

    @property
    def policy(self) -> Policy: ...


def policy_of(value: PolicyLike) -> Policy:
    """The policy that is meant."""
    if isinstance(value, Policy):
        return value
    if isinstance(value, (str, os.PathLike)):
        if isinstance(value, str) and "\n" in value:
            raise PolicyError("the policy is a text, and a path is wanted", help="write Policy.parse(text)")
        return Policy.read(value)
    if isinstance(value, Mapping):
        raise PolicyError("the policy is a dict", help="write Policy.from_dict(document), or Policy(columns, privacy, method)")
    held = getattr(value, "policy", None)
    if isinstance(held, Policy):
        return held
    raise PolicyError(f"a policy cannot be a {type(value).__name__}", help="give a Policy, or the path of a policy file")


def _restored(text: str, path: str, builders: Mapping[str, Builder]) -> Policy:
    return Policy._of(_privet.Policy(text, path), builders)


def _hierarchy_value(hierarchy: Any) -> Any:
    if isinstance(hierarchy, Hierarchy):
        return [list(path) for path in hierarchy.paths]
    if isinstance(hierarchy, Mapping):
        return [list(path) for path in Hierarchy.from_dict(hierarchy).paths]
    if isinstance(hierarchy, (str, os.PathLike)):
        return os.fspath(hierarchy)
    if isinstance(hierarchy, (list, tuple)):
        return [list(path) for path in Hierarchy.from_paths(hierarchy).paths]
    if hasattr(hierarchy, "__arrow_c_stream__") or hasattr(hierarchy, "columns"):
        return [list(path) for path in Hierarchy.from_frame(hierarchy).paths]
    raise PolicyError(
        f"a hierarchy cannot be a {type(hierarchy).__name__}",
        help="give a Hierarchy, a way to build one such as intervals(5), a dict of parents, a frame, or the path of a file",
    )


def checked_seed(seed: object) -> int:
    """A seed that the engine takes."""
    try:
        number = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if isinstance(seed, bool) or not 0 <= number < 2**64:
        raise InputError(f"a seed cannot be {seed!r}", help="it is a whole number from 0 to 2**64 - 1, and a secret")
    return number


def _column(name: str, column: Column | str | Mapping[str, Any], builders: dict[str, Builder]) -> dict[str, Any]:
    if isinstance(column, str):
        column = Column(column)
    if isinstance(column, Mapping):
        return dict(column)
    if not isinstance(column, Column):
        raise PolicyError(
            f"column '{name}' cannot be a {type(column).__name__}", help="write quasi(), sensitive(), identifier() or other()"
        )
    table: dict[str, Any] = {"role": column.role}
    if isinstance(column.hierarchy, Builder):
        builders[name] = column.hierarchy
    elif column.hierarchy is not None:
        table["hierarchy"] = _hierarchy_value(column.hierarchy)
    return table | dict(column.keys)


def _privacy(clauses: Sequence[Clause | str]) -> dict[str, Any]:
    privacy: dict[str, Any] = {}
    for clause in clauses:
        if not isinstance(clause, Clause):
            raise PolicyError(f"{clause!r} is not a requirement", help="write k_anonymity(5), or a list of requirements")
        if clause.name not in privacy:
            privacy[clause.name] = clause.to_dict()
        elif isinstance(privacy[clause.name], list):
            privacy[clause.name].append(clause.to_dict())
        else:
            privacy[clause.name] = [privacy[clause.name], clause.to_dict()]
    return privacy
