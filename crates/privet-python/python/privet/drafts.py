"""A first policy for data."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from . import _privet
from ._frames import DataLike, data_of
from ._progress import Progress, watched
from .hierarchies import Hierarchy
from .policy import Policy

if TYPE_CHECKING:
    import pandas

__all__ = ["Draft", "draft"]


@dataclass(frozen=True, repr=False)
class Draft:
    """A policy that runs as it is, and why each column got its role. Review it before anything is published."""

    policy: Policy
    #: What the data are: ``table``, ``transactions`` or ``query-log``.
    kind: str
    records: int
    #: A dict for each column: its role, why, and what it singles out.
    columns: tuple[dict[str, Any], ...]

    def to_frame(self) -> pandas.DataFrame:
        """The columns as a frame."""
        import pandas

        return pandas.DataFrame([{**column, "figures": "; ".join(column["figures"])} for column in self.columns])

    def __repr__(self) -> str:
        roles = ", ".join(f"{column['name']}: {column['role'] or 'left out'}" for column in self.columns)
        return f"Draft({self.kind} of {self.records} records{'; ' if roles else ''}{roles})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(column['name'])}</td><td>{escape(column['role'] or 'left out')}</td>"
            f"<td>{escape(column['reason'])}</td><td>{column['singles_out']:.1%}</td></tr>"
            for column in self.columns
        )
        head = "<tr><th>column</th><th>role</th><th>why</th><th>singles out</th></tr>"
        return f"<table>{head}{rows}</table><p>Review draft.policy before anything is published.</p>"


def draft(
    data: DataLike,
    *,
    kind: str | None = None,
    preset: str | None = None,
    public: bool = False,
    progress: Progress = None,
) -> Draft:
    """Looks at data and drafts a policy, as ``privet init`` does.

    ``kind`` is ``"table"``, ``"transactions"`` or ``"query-log"``; detected when left out. ``preset`` starts from what a rule asks
    for, such as ``"gdpr"``. ``public`` drafts for publication to everybody.
    """
    held = data_of(data)
    with watched(progress) as report:
        found = json.loads(_privet.draft(held, kind, preset, public, report))
    text = found["text"]
    for tree in found["hierarchies"]:
        text = _in_place(text, tree["file"], Hierarchy(tuple(map(tuple, tree["paths"]))).__toml__())
    folder = os.getcwd() if isinstance(data, (str, os.PathLike)) else None
    return Draft(Policy.parse(text, folder), found["kind"], found["records"], tuple(found["columns"]))


def _in_place(text: str, file: str, paths: str) -> str:
    """The policy with a tree in the place of the name of its file, commented out where the name is."""
    named = re.compile(rf"^(?P<off>#?\s*)hierarchy = {re.escape(json.dumps(file, ensure_ascii=False))}", re.MULTILINE)

    def lines(match: re.Match[str]) -> str:
        off = match["off"]
        return "\n".join(off + line for line in f"hierarchy = {paths}".splitlines())

    return named.sub(lines, text)
