"""``python -m privet`` is the command ``privet``."""

from __future__ import annotations

import sys

from . import _privet


def main() -> int:
    """Runs the command."""
    return _privet.command([sys.executable, "-m", "privet"], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
