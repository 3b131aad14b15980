"""Plots as SVG, without a library for plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

__all__ = ["bars_svg", "histogram_svg", "scatter_svg", "tree_svg"]

_STYLE = "font-family:system-ui,sans-serif;font-size:12px"
_BLUE, _GREY = "#2f6f9f", "#8a8f98"


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    inner = "".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" style="{_STYLE}" role="img">{inner}</svg>')


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "currentColor") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _short(text: str, most: int = 28) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def bars_svg(bars: Sequence[tuple[str, float]], title: str = "") -> str:
    """Shares from 0 to 1 as bars."""
    top = 22 if title else 4
    parts = [_text(4, 14, title)] if title else []
    for place, (name, share) in enumerate(bars):
        y = top + 22 * place
        width = 240 * min(1.0, max(0.0, share))
        parts += [
            _text(4, y + 14, _short(name)),
            f'<rect x="190" y="{y + 3}" width="240" height="14" fill="{_GREY}" opacity="0.15"/>',
            f'<rect x="190" y="{y + 3}" width="{width:.1f}" height="14" fill="{_BLUE}"/>',
            _text(436, y + 14, f"{share:.1%}"),
        ]
    return _svg(490, top + 22 * len(bars) + 4, parts)


def _bins(sizes: Mapping[int, int]) -> list[tuple[str, int]]:
    """Records by the size of their class, in steps of a doubling."""
    bins: dict[int, int] = {}
    for size, count in sizes.items():
        low = 1 << (size.bit_length() - 1)
        bins[low] = bins.get(low, 0) + size * count
    return [(str(low) if low == 1 else f"{low}-{2 * low - 1}", bins[low]) for low in sorted(bins)]


def histogram_svg(sizes: Mapping[int, int]) -> str:
    """The share of records by the size of their class."""
    bins = _bins(sizes)
    total = sum(count for _, count in bins) or 1
    return bars_svg([(name, count / total) for name, count in bins], "records by the size of their class")


def scatter_svg(points: Sequence[tuple[str, float, float]], across: str, up: str) -> str:
    """Points with a label each; both axes begin at 0."""
    left, top, width, height = 56.0, 12.0, 380.0, 240.0
    most_x = max((x for _, x, _ in points), default=0) or 1
    most_y = max((y for _, _, y in points), default=0) or 1
    parts = [
        f'<path d="M{left} {top}V{top + height}H{left + width}" fill="none" stroke="{_GREY}"/>',
        _text(left + width / 2, top + height + 34, across, "middle"),
        f'<text x="14" y="{top + height / 2:.1f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {top + height / 2:.1f})">{escape(up)}</text>',
    ]
    for step in range(5):
        share = step / 4
        parts += [
            _text(left + width * share, top + height + 16, f"{most_x * share:.3g}", "middle", _GREY),
            _text(left - 6, top + height * (1 - share) + 4, f"{most_y * share:.3g}", "end", _GREY),
        ]
    for name, x, y in points:
        at = (left + width * x / most_x, top + height * (1 - y / most_y))
        parts += [
            f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="4" fill="{_BLUE}"><title>{escape(name)}</title></circle>',
            _text(at[0] + 7, at[1] - 5, _short(name, 20)),
        ]
    return _svg(left + width + 130, top + height + 44, parts)


def tree_svg(paths: Sequence[Sequence[str]], counts: Mapping[str, int], most: int) -> str:
    """A tree from left (the root) to right (the values); children beyond ``most`` rows are counted."""
    children: dict[str, list[str]] = {}
    below: dict[str, int] = {}
    for path in paths:
        known = [label for place, label in enumerate(path) if place == 0 or label != path[place - 1]]
        for label in known:
            below[label] = below.get(label, 0) + counts.get(path[0], 0)
        for child, parent in zip(known, known[1:]):
            under = children.setdefault(parent, [])
            if child not in under:
                under.append(child)
    root = paths[0][-1]
    total = below.get(root, 0)
    parts: list[str] = []
    row = 0
    hidden = 0
    # Nodes with their depth and the place of their parent.
    waiting: list[tuple[str, int, tuple[float, float] | None]] = [(root, 0, None)]
    width = 0.0
    while waiting:
        label, depth, above = waiting.pop()
        if row >= most:
            hidden += 1
            continue
        x, y = 8.0 + 26 * depth, 16.0 + 20 * row
        row += 1
        if above is not None:
            parts.append(f'<path d="M{above[0]:.1f} {above[1] + 5:.1f}V{y - 4:.1f}H{x - 4:.1f}" fill="none" '
                         f'stroke="{_GREY}"/>')
        shown = _short(label, 40) or "''"
        if counts:
            shown += f"  {below.get(label, 0)}" + (f" ({below.get(label, 0) / total:.1%})" if total else "")
        parts.append(_text(x, y, shown))
        width = max(width, x + 8 * len(shown))
        waiting += [(child, depth + 1, (x + 4, y)) for child in reversed(children.get(label, []))]
    if hidden:
        parts.append(_text(8, 16.0 + 20 * row, f"… {hidden} more", colour=_GREY))
        row += 1
    return _svg(max(width + 12, 120), 20 * row + 8, parts)
