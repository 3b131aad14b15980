"""Hierarchies: what a value becomes, step by step, on the way to ``*``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _toml
from ._frames import table_of
from ._labels import is_missing, label
from ._plots import tree_svg
from ._privet import Taxonomy
from .errors import InputError

if TYPE_CHECKING:
    import pandas

__all__ = ["Builder", "Hierarchy", "dates", "flat", "groups", "intervals", "mask", "prefix"]

Number: TypeAlias = "int | float | Decimal | Fraction | str"


@dataclass(frozen=True)
class Hierarchy:
    """A tree of values. Each path goes from a leaf to the root.

    >>> tree = Hierarchy.from_dict({"Oslo": "Norway", "Bergen": "Norway", "Rome": "Italy"})
    >>> print(tree)
    *
    ├─ Norway
    │  ├─ Oslo
    │  └─ Bergen
    └─ Italy
       └─ Rome
    >>> tree.generalise("Oslo", 1)
    'Norway'
    """

    paths: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        Taxonomy.of_paths([list(path) for path in self.paths])

    @staticmethod
    def _of(tree: Taxonomy) -> Hierarchy:
        return Hierarchy(tuple(tuple(path) for path in tree.paths()))

    @property
    def _tree(self) -> Taxonomy:
        return Taxonomy.of_paths([list(path) for path in self.paths])

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[object]]) -> Hierarchy:
        """From paths ``[leaf, …, root]``, one for each leaf."""
        return cls._of(Taxonomy.of_paths([[label(step) for step in path] for path in paths]))

    @classmethod
    def from_dict(cls, tree: Mapping[Any, Any], root: str = "*") -> Hierarchy:
        """From a dict of parents, or from groups with their values, as deep as the tree is.

        >>> Hierarchy.from_dict({"apple": "fruit", "pear": "fruit", "fruit": "food"}, root="food").paths[0]
        ('apple', 'fruit', 'food')
        >>> Hierarchy.from_dict({"fruit": ["apple", "pear"], "nuts": ["almond"]}).paths[2]
        ('almond', 'nuts', '*')
        """
        grouped = [isinstance(value, Iterable) and not isinstance(value, (str, bytes)) for value in tree.values()]
        if any(grouped):
            if not all(grouped):
                raise InputError(
                    "the dict names parents of some values and groups of others",
                    help="give {value: parent, …}, or {group: [value, …], …}",
                )
            return cls.from_paths(_nested(tree, [root]))
        above = {label(child): label(parent) for child, parent in tree.items()}
        inner = set(above.values())
        paths: list[list[str]] = []
        for child in above:
            if child in inner:
                continue
            path = [child]
            while path[-1] in above:
                parent = above[path[-1]]
                if parent in path:
                    raise InputError(f"'{parent}' is above itself in the hierarchy", help="remove the cycle")
                path.append(parent)
            paths.append(path if path[-1] == root else [*path, root])
        if not paths:
            raise InputError("every value of the hierarchy is above another", help="remove the cycle")
        return cls.from_paths(paths)

    @classmethod
    def from_frame(cls, frame: object, root: str | None = "*") -> Hierarchy:
        """From a frame with a column for each level, the values first. ``root`` is added where it is not the last one."""
        paths = [[cell for cell in row if cell != ""] for row in table_of(frame).rows()]
        if root is not None:
            paths = [path if path and path[-1] == root else [*path, root] for path in paths]
        return cls.from_paths(paths)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Hierarchy:
        """From a hierarchy file: a line ``leaf;…;root`` for each leaf, as ARX and Amnesia write it."""
        return cls._of(Taxonomy.read(os.fspath(path)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a hierarchy file."""
        self._tree.write(os.fspath(path))

    @property
    def levels(self) -> int:
        """How many levels there are, the values and the root included."""
        return self._tree.levels

    @property
    def leaves(self) -> list[str]:
        """The values."""
        return [path[0] for path in self.paths]

    def generalise(self, value: object, level: int) -> str:
        """What a value is shown as at a level; 0 is the value itself."""
        return self._tree.at_level(label(value), level)

    def missing_values(self, values: Iterable[object]) -> list[str]:
        """The values that have no leaf."""
        return self._tree.missing(sorted({label(value) for value in values if not is_missing(value)}))

    def to_frame(self) -> pandas.DataFrame:
        """A frame with a column for each level."""
        import pandas

        rows = [list(path) for path in self.paths]
        return pandas.DataFrame(rows, columns=[f"level{level}" for level in range(self.levels)])

    def plot(self, counts: Mapping[str, int] | Iterable[object] | None = None, *, most: int = 40) -> Svg:
        """A drawing of the tree. ``counts``, or the column itself, says how many records there are of each value."""
        return Svg(tree_svg(self.paths, _counted(counts), most))

    def __toml__(self) -> str:
        return _toml.inline([list(path) for path in self.paths])

    def __str__(self) -> str:
        return self._tree.draw(None).rstrip("\n")

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.paths)} values, {self.levels} levels)"

    def _repr_html_(self) -> str:
        return self.plot().text


@dataclass(frozen=True, repr=False)
class Svg:
    """A plot as SVG; notebooks show it."""

    text: str

    def _repr_svg_(self) -> str:
        return self.text

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def __repr__(self) -> str:
        return f"Svg({len(self.text)} characters)"


def _nested(tree: Any, above: list[str]) -> list[list[str]]:
    if isinstance(tree, Mapping):
        paths = []
        for name, below in tree.items():
            paths += _nested(below, [label(name), *above]) or [[label(name), *above]]
        return paths
    return [[label(leaf), *above] for leaf in tree]


def _counted(counts: Mapping[str, int] | Iterable[object] | None) -> dict[str, int]:
    if counts is None:
        return {}
    if isinstance(counts, Mapping):
        return {label(value): int(count) for value, count in counts.items()}
    found: dict[str, int] = {}
    for value in counts:
        if not is_missing(value):
            spelled = label(value)
            found[spelled] = found.get(spelled, 0) + 1
    return found


@dataclass(frozen=True)
class Builder:
    """A way to make a hierarchy from the values of a column: a policy builds it when it sees the data.

    >>> ages = intervals(10, fanout=2).build([17, 19, 23, 38])
    >>> ages.generalise("17", 1), ages.generalise("17", 2)
    ('[10,20)', '[10,30)')
    """

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(self, values: Iterable[object]) -> Hierarchy:
        """The hierarchy of these values; missing ones are left out."""
        counts: dict[str, int] = {}
        for value in values:
            if not is_missing(value):
                spelled = label(value)
                counts[spelled] = counts.get(spelled, 0) + 1
        return self.build_counted(list(counts.items()))

    def build_counted(self, counts: list[tuple[str, int]]) -> Hierarchy:
        """The same from distinct values, each with how often it occurs."""
        if self.kind == "prefix":
            lengths = sorted(self.options["lengths"], reverse=True)
            paths = [[value, *(value[:length] + "*" for length in lengths), "*"] for value, _ in counts]
            return Hierarchy.from_paths(paths)
        return Hierarchy._of(Taxonomy.build(self.kind, counts, **self.options))

    def __repr__(self) -> str:
        """As it is called."""
        options = dict(self.options)
        if self.kind == "equal-width":
            return f"intervals({options['width']}, fanout={options['fanout']})"
        if self.kind in ("equal-bins", "equal-frequency"):
            count = "bins" if self.kind == "equal-bins" else "quantiles"
            return f"intervals({count}={options['bins']}, fanout={options['fanout']})"
        if self.kind == "breaks":
            return f"intervals(breaks=[{', '.join('[' + ', '.join(level) + ']' for level in options['breaks'])}])"
        if self.kind in ("prefixes", "prefix"):
            name, numbers = ("mask", options["steps"]) if self.kind == "prefixes" else ("prefix", options["lengths"])
            return f"{name}({', '.join(map(str, numbers))})"
        if self.kind == "joined":
            return f"groups({len(set(options['groups'].values()))} of {len(options['groups'])} values)"
        return f"{self.kind}()"


def _decimal(value: Number) -> str:
    if isinstance(value, (float, Fraction, Decimal)):
        text = _toml.inline(value)
        if text.startswith('"'):
            raise InputError(f"{value} cannot be written with decimals", help="give a width such as 5 or 0.5")
        return text
    return str(value)


def intervals(
    width: Number | None = None,
    *,
    fanout: int = 2,
    bins: int | None = None,
    quantiles: int | None = None,
    breaks: Sequence[Number] | Sequence[Sequence[Number]] | None = None,
) -> Builder:
    """Ranges of numbers: of one ``width``, ``bins`` of one width, ``quantiles`` with about equally many records, or between
    ``breaks``. Each next level joins ``fanout`` of them; ``breaks`` may be a list for each level.

    >>> intervals(breaks=[[18, 30, 65], [18, 65]]).build([17, 42, 70]).paths[1]
    ('42', '[30,65)', '[18,65)', '*')
    """
    given = [name for name, value in
             {"width": width, "bins": bins, "quantiles": quantiles, "breaks": breaks}.items() if value is not None]
    if len(given) != 1:
        raise InputError("intervals need exactly one of width, bins, quantiles and breaks",
                         help="write intervals(5), intervals(bins=8), intervals(quantiles=8) or intervals(breaks=[18, 65])")
    if breaks is not None:
        levels: list[Any] = list(breaks)
        if not any(isinstance(level, (list, tuple)) for level in levels):
            levels = [levels]
        return Builder("breaks", {"breaks": [[_decimal(number) for number in level] for level in levels]})
    if width is not None:
        return Builder("equal-width", {"width": _decimal(width), "fanout": fanout})
    if bins is not None:
        return Builder("equal-bins", {"bins": bins, "fanout": fanout})
    return Builder("equal-frequency", {"bins": quantiles, "fanout": fanout})


def dates() -> Builder:
    """Dates by day, month, quarter, year and decade.

    >>> dates().build(["2024-03-17"]).paths[0]
    ('2024-03-17', '2024-03', '2024-Q1', '2024', '2020s', '*')
    """
    return Builder("dates")


def mask(*steps: int) -> Builder:
    """Codes masked from the right: how many characters at each level; one at a time when left out.

    >>> mask(2, 3).build(["94103"]).paths[0]
    ('94103', '941**', '*')
    """
    return Builder("prefixes", {"steps": list(steps)})


def prefix(*lengths: int) -> Builder:
    """Codes by their first characters: the longest prefix first.

    >>> prefix(3, 1).build(["E11.9", "E10.1"]).paths[0]
    ('E11.9', 'E11*', 'E*', '*')
    """
    if not lengths or min(lengths) < 1:
        raise InputError("prefix needs lengths from 1", help="write prefix(3, 1)")
    return Builder("prefix", {"lengths": list(lengths)})


def flat() -> Builder:
    """Every value directly below ``*``."""
    return Builder("flat")


def groups(names: Mapping[str, Sequence[object]], *, rare: int = 0, other: str = "other") -> Builder:
    """Groups by name, each with its values. Values of fewer than ``rare`` records are joined as ``other``.

    >>> groups({"north": ["Oslo", "Bergen"]}).build(["Oslo", "Bergen", "Rome"]).generalise("Oslo", 1)
    'north'
    """
    of: dict[str, str] = {}
    for name, values in names.items():
        for value in values:
            if of.setdefault(label(value), name) != name:
                raise InputError(f"'{value}' is in two groups", help="list every value once")
    return Builder("joined", {"groups": of, "least": rare, "other": other})
