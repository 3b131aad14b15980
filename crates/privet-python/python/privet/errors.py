"""What can go wrong, by kind. Messages are those of the command."""

from __future__ import annotations

__all__ = [
    "AuditFailed",
    "Busy",
    "DataError",
    "Error",
    "Infeasible",
    "InputError",
    "InternalError",
    "PolicyError",
]


class Error(Exception):
    """Something went wrong: what, where, and what would be accepted instead.

    ``exit_status`` is the one with which the command ends for an error of this kind.

    >>> error = Error("'k' is 0", file="policy.toml", line=4, help="write k = 5")
    >>> print(error)
    policy.toml:4: 'k' is 0
      help: write k = 5
    """

    exit_status: int = 1

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        help: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.help = help

    def __str__(self) -> str:
        place = ""
        if self.file is not None:
            place = f"{self.file}:" + ("" if self.line is None else f"{self.line}:") + " "
        help = "" if self.help is None else f"\n  help: {self.help}"
        return f"{place}{self.message}{help}"

    def __reduce__(self) -> tuple[object, ...]:
        state = {"message": self.message, "file": self.file, "line": self.line, "help": self.help}
        return (type(self), (self.message,), state)


class InputError(Error, ValueError):
    """What was given is at fault: the data, a hierarchy, the policy, or the surroundings."""

    exit_status = 2


class PolicyError(InputError):
    """The policy is at fault; ``line`` names its line."""


class DataError(InputError):
    """The data are at fault, or cannot be read."""


class Infeasible(Error):
    """No release can meet the requirement."""

    exit_status = 3


class AuditFailed(Error):
    """An audit found a violation; nothing was published."""

    exit_status = 4


class Busy(Error):
    """Another run is writing to the same target."""

    exit_status = 75


class InternalError(Error):
    """A defect of Privet itself."""
