"""Anonymisation as a step of scikit-learn.

What comes out of a step is for the model behind it, in the same order as what went in. It is not a release: publish
:meth:`Anonymizer.release_`, whose rows are shuffled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import numpy
import pandas
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .errors import DataError, InputError
from .judgement import Audit
from .methods import mondrian
from .policy import Policy, other, quasi
from .release import Plan, Release, anonymize
from .requirements import k_anonymity

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Anonymizer"]

#: Carries the place of a row through the engine; it is dropped before anything is returned.
_ROW = "privet row"

_RANGE = re.compile(r"\s*[\[(]?\s*(-?[\d.]+(?:[eE][-+]?\d+)?)\s*(?:,|-|–|\.\.)\s*(-?[\d.]+(?:[eE][-+]?\d+)?)\s*[\])]?\s*\Z")


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Generalises rows so that they meet a policy.

    Parameters
    ----------
    policy
        What must hold. Without one every column is a quasi-identifier, generalised by ``mondrian`` so that ``k`` rows look alike.
    k
        The least size of a class, where there is no policy.
    seed
        What all random choices derive from.
    unseen
        What :meth:`transform` does with rows that :meth:`fit` did not see. ``"refuse"`` raises, because the guarantee is about
        the rows that were seen. ``"plan"`` applies the plan to all rows given, as :meth:`privet.Plan.apply` does, and raises
        where the result does not pass its audit.
    numbers
        ``"midpoint"`` gives ranges of numbers by their middle, so that models can use them; ``"label"`` as they are published.

    >>> X = pandas.DataFrame({"age": [34.0, 36.0, 61.0, 67.0]})
    >>> Anonymizer(k=2).fit_transform(X)["age"].tolist()
    [35.0, 35.0, 64.0, 64.0]
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        k: int = 2,
        seed: int = 0,
        unseen: Literal["refuse", "plan"] = "refuse",
        numbers: Literal["midpoint", "label"] = "midpoint",
    ) -> None:
        self.policy = policy
        self.k = k
        self.seed = seed
        self.unseen = unseen
        self.numbers = numbers

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Decides what becomes of the rows."""
        frame = self._frame(X, reset=True)
        if self.unseen not in ("refuse", "plan") or self.numbers not in ("midpoint", "label"):
            raise InputError("'unseen' is 'refuse' or 'plan', and 'numbers' is 'midpoint' or 'label'")
        policy = self._policy(frame)
        numbered = _numbered(frame)
        release = anonymize(numbered, policy, seed=self.seed, attacks="none", progress=False)
        self.plan_: Plan = release.plan
        self.audit_: Audit = release.audit
        self._policy_ = policy
        self._seen_ = frame
        self._rows_ = self._in_order(release, frame)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:
        """The generalised rows, in the order of those given."""
        return self.fit(X, y)._out(X, self._rows_)

    def transform(self, X: Any) -> Any:
        """The generalised rows. Rows that :meth:`fit` did not see are refused, unless ``unseen="plan"``."""
        check_is_fitted(self)
        frame = self._frame(X, reset=False)
        if frame.reset_index(drop=True).equals(self._seen_.reset_index(drop=True)):
            return self._out(X, self._rows_)
        if self.unseen == "refuse":
            raise DataError(
                "these are not the rows that were there at fit, and nothing is known about who looks like them",
                help="call fit_transform(X), or use Anonymizer(unseen='plan'), which applies the plan to all rows given",
            )
        release = self.plan_.apply(_numbered(frame), seed=self.seed, attacks="none", progress=False)
        return self._out(X, self._in_order(release, frame))

    def release_(self, attacks: str = "cheap") -> Release:
        """The rows of fit as a release that can be published, without their order."""
        check_is_fitted(self)
        policy = self._policy_.to_dict() if not self._policy_._builders else self._policy_.bind(self._seen_).to_dict()
        policy["columns"].pop(_ROW, None)
        return anonymize(self._seen_, Policy.from_dict(policy), seed=self.seed, attacks=attacks, progress=False)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns, which stay."""
        check_is_fitted(self)
        return numpy.asarray(self._rows_.columns, dtype=object)

    def _frame(self, X: Any, *, reset: bool) -> pandas.DataFrame:
        if hasattr(X, "columns") and not isinstance(X, pandas.DataFrame) and hasattr(X, "to_pandas"):
            X = X.to_pandas()
        if isinstance(X, pandas.DataFrame):
            validate_data(self, X, skip_check_array=True, reset=reset)
            if not len(X):
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            return X.rename(columns=str)
        array = validate_data(self, X, dtype=None, ensure_min_samples=1, reset=reset)
        if array.dtype.kind in "OUS":
            array = validate_data(self, X, dtype="numeric", reset=reset)
        return pandas.DataFrame(array, columns=[f"x{place}" for place in range(array.shape[1])])

    def _policy(self, frame: pandas.DataFrame) -> Policy:
        if self.policy is None:
            k = min(self.k, len(frame))
            columns = {name: quasi() for name in frame.columns} | {_ROW: other()}
            return Policy(columns, k_anonymity(k), mondrian())
        document = self.policy.bind(frame).to_dict()
        document["columns"][_ROW] = {"role": "other"}
        return Policy.from_dict(document)

    def _in_order(self, release: Release, frame: pandas.DataFrame) -> pandas.DataFrame:
        """The released rows in the order of the frame; a row that is left out shows nothing."""
        found = release.to_pandas().set_index(_ROW)
        found.index = found.index.astype(int)
        found = found.reindex(range(len(frame)))
        quasi_identifiers = set(release.policy.quasi_identifiers)
        for name in found.columns:
            if name in quasi_identifiers and found[name].isna().any() and not frame[name].isna().any():
                found[name] = found[name].astype(object).where(found[name].notna(), "*")
            if self.numbers == "midpoint" and pandas.api.types.is_numeric_dtype(frame[name]):
                found[name] = _midpoints(found[name])
        return found

    def _out(self, X: Any, rows: pandas.DataFrame) -> Any:
        if isinstance(X, pandas.DataFrame):
            made = rows.copy()
            made.index = X.index
            return made
        return rows.to_numpy()


def _numbered(frame: pandas.DataFrame) -> pandas.DataFrame:
    if _ROW in frame.columns:
        raise DataError(f"a column is called '{_ROW}'", help="rename it")
    return frame.reset_index(drop=True).assign(**{_ROW: numpy.arange(len(frame))})


def _midpoints(cells: pandas.Series[Any]) -> pandas.Series[Any]:
    def middle(cell: Any) -> float:
        if isinstance(cell, (int, float, numpy.number)):
            return float(cell)
        text = str(cell).strip()
        if text.startswith("{") and text.endswith("}"):
            parts = [middle(part) for part in text[1:-1].split(",")]
            return float(numpy.mean(parts))
        try:
            return float(text)
        except ValueError:
            pass
        match = _RANGE.match(text)
        return (float(match[1]) + float(match[2])) / 2 if match else float("nan")

    found = cells.map(middle).astype(float)
    # What is hidden is in the middle of what is shown.
    return found.fillna(found.mean() if found.notna().any() else 0.0)
