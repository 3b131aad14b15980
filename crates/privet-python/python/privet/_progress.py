"""How far long work is: a line in a terminal, or in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["Progress", "watched"]

#: Gets the stage, what is done of it, the total where it is known, and a note.
Report: TypeAlias = Callable[[str, int, "int | None", str], None]

#: ``True`` shows a bar, ``False`` shows none, ``None`` shows one where somebody watches; or a function that is called.
Progress: TypeAlias = "bool | None | Report"

#: Work that ends within this time needs no bar.
_PATIENCE = 0.4


class _Line:
    """A line that is written over."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.began = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, total: int | None, note: str) -> None:
        seconds = time.monotonic() - self.began
        if seconds < _PATIENCE:
            return
        text = f"{stage or 'starting'}"
        if total:
            share = min(1.0, done / total)
            text += f" {share:4.0%}|{'█' * round(20 * share):20}|"
        text += f" {int(seconds) // 60:02}:{int(seconds) % 60:02}"
        if note:
            text += f" {note}"
        self.file.write("\r" + text.ljust(self.width))
        self.file.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            self.file.write("\r" + " " * self.width + "\r")
            self.file.flush()


def _in_notebook() -> bool:
    shell: Any = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


@contextmanager
def watched(progress: Progress) -> Iterator[Report | None]:
    """What is called while work is under way."""
    if callable(progress):
        yield progress
    elif progress or (progress is None and (sys.stderr.isatty() or _in_notebook())):
        line = _Line(sys.stderr)
        try:
            yield line
        finally:
            line.close()
    else:
        yield None
