"""What several tests share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pytest


def command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command, which is the package's own."""
    return subprocess.run([sys.executable, "-m", "privet", *map(str, arguments)], capture_output=True, text=True, cwd=cwd)


def text_frame(path: Path) -> pyarrow.Table:
    """A CSV file with every cell as text."""
    header = path.open(encoding="utf-8").readline().rstrip("\n")
    delimiter = max(",;\t", key=header.count)
    names = pyarrow.csv.read_csv(path, parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter)).column_names
    return pyarrow.csv.read_csv(
        path,
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={name: pyarrow.string() for name in names}, strings_can_be_null=False
        ),
    )


def public_files(folder: Path) -> dict[str, bytes]:
    """All that is published."""
    return {path.name: path.read_bytes() for path in (folder / "public").iterdir()}


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Writes an example once, and says where."""
    home = tmp_path_factory.mktemp("examples")
    known: dict[str, Path] = {}

    def find(name: str) -> Path:
        if name not in known:
            made = command("example", name, str(home / name))
            assert made.returncode == 0, made.stderr
            known[name] = home / name
        return known[name]

    return find
