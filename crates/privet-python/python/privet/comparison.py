"""Policies side by side: what each would lose and risk."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

from . import _privet
from ._frames import DataLike, data_of
from ._plots import bars_svg, scatter_svg
from ._progress import Progress, watched
from .errors import InputError
from .hierarchies import Svg
from .policy import Policy, PolicyLike, policy_of

if TYPE_CHECKING:
    import pandas

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, repr=False)
class Comparison:
    """What several policies on the same data would lose and risk. Nothing was published.

    :meth:`to_frame` gives a row for each policy, and so does whatever reads the Arrow C interface: ``polars.DataFrame(comparison)``.
    """

    #: The table, its header first.
    table: tuple[tuple[str, ...], ...]
    #: Every policy with what was measured, as the command prints it with ``--json``.
    details: tuple[dict[str, Any], ...]
    #: What to know when reading the table.
    notes: tuple[str, ...]
    axes: tuple[str, str]
    #: A label, the loss and the risk of each policy that can be drawn.
    points: tuple[tuple[str, float, float], ...]
    measure: str
    losses: tuple[tuple[str, float], ...]

    def to_frame(self) -> pandas.DataFrame:
        """A row for each policy."""
        import pandas

        frame = pandas.DataFrame(self.table[1:], columns=list(self.table[0]))
        for name in frame.columns[2:]:
            numbers = pandas.to_numeric(frame[name].where(frame[name] != "-"), errors="coerce")
            if (numbers.notna() == (frame[name] != "-")).all() and name != "note":
                frame[name] = numbers
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        import pyarrow

        return pyarrow.Table.from_pandas(self.to_frame(), preserve_index=False).__arrow_c_stream__(requested_schema)

    def plot(self) -> Svg:
        """Risk against loss, a point for each policy."""
        return Svg(scatter_svg(self.points, *self.axes))

    def plot_losses(self) -> Svg:
        """The loss of each policy as a share of the worst."""
        return Svg(bars_svg(self.losses, self.measure))

    def __len__(self) -> int:
        return len(self.table) - 1

    def __repr__(self) -> str:
        return f"Comparison({len(self)} policies by {self.measure})"

    def _repr_html_(self) -> str:
        cells = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self.table]
        rows = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table>{rows}</table>{self.plot().text}<p>{escape(' '.join(self.notes))}</p>"


def compare(
    data: DataLike | None,
    policies: PolicyLike | Sequence[PolicyLike] | Mapping[str, PolicyLike],
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    progress: Progress = None,
) -> Comparison:
    """Decides several policies on the same data, and measures what each would lose and risk.

    ``vary`` gives keys of a policy values to try, in all combinations.

    >>> from privet import Policy, k_anonymity, quasi
    >>> people = {"age": [34, 36, 61, 67]}
    >>> policy = Policy({"age": quasi()}, k_anonymity(2), "mondrian")
    >>> compare(people, policy, vary={"privacy.k-anonymity.k": [2, 4]}).to_frame()["policy"].tolist()
    ['privacy.k-anonymity.k=2', 'privacy.k-anonymity.k=4']
    """
    named = _named(policies)
    if not named:
        raise InputError("there is no policy to compare", help="name one or more policies")
    if vary:
        settings = [dict(zip(vary, values)) for values in product(*vary.values())]
        varied = {}
        for label, policy in named.items():
            for setting in settings:
                changed = policy
                for key, value in setting.items():
                    changed = changed.set(key, value)
                text = " ".join(f"{key}={value}" for key, value in setting.items())
                varied[text if len(named) == 1 else f"{label} {text}"] = changed
        named = varied
    held = data_of(data, about=next(iter(named.values())).data)
    bound = [(label, policy.bind(held)._policy) for label, policy in named.items()]
    with watched(progress) as report:
        found = json.loads(_privet.compare(bound, held, report))
    notes = [*found["doubts"], *([found["note"]] if found["note"] else [])]
    return Comparison(
        tuple(map(tuple, found["table"])), tuple(found["json"]["policies"]), tuple(notes), tuple(found["axes"]),
        tuple(map(tuple, found["points"])), found["measure"], tuple(map(tuple, found["bars"])),
    )


def _named(policies: PolicyLike | Sequence[PolicyLike] | Mapping[str, PolicyLike]) -> dict[str, Policy]:
    if isinstance(policies, Mapping):
        return {str(label): policy_of(policy) for label, policy in policies.items()}
    if not isinstance(policies, Sequence) or isinstance(policies, str):
        return {"as written": policy_of(policies)}
    named: dict[str, Policy] = {}
    for number, given in enumerate(policies, 1):
        policy = policy_of(given)
        label = os.fspath(given) if isinstance(given, (str, os.PathLike)) else policy._summary()
        named[f"{label} ({number})" if label in named else label] = policy
    return named
