"""The few pieces of SVG that the plots are made of, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def tag(name: str, *children: str, **attributes: str | float) -> str:
    """An element.

    Args:
        name: of the element.
        *children: markup, already escaped.
        **attributes: underscores become hyphens, a trailing one is dropped (``class_``); numbers are rounded to 0.01.
    """
    written = "".join(f' {_attribute_name(key)}="{_attribute(value)}"' for key, value in attributes.items())
    inner = "".join(children)
    return f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>"


def _attribute_name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _attribute(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(x: float, y: float, content: str, **attributes: str | float) -> str:
    """A line of text."""
    return tag("text", escape(content), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str | float) -> str:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def rect(x: float, y: float, width: float, height: float, *children: str, **attributes: str | float) -> str:
    """A rectangle; a ``title`` child is its tooltip."""
    return tag("rect", *children, x=x, y=y, width=max(width, 0.0), height=height, **attributes)


def tooltip(content: str) -> str:
    """What browsers show over the parent element."""
    return tag("title", escape(content))


def polyline(points: Iterable[tuple[float, float]], **attributes: str | float) -> str:
    """Connected points."""
    written = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return tag("polyline", points=written, fill="none", **attributes)


def path(segments: Iterable[Sequence[float]], **attributes: str | float) -> str:
    """Separate line segments x1, y1, x2, y2 as one element."""
    written = "".join(f"M{number(a)} {number(b)}L{number(c)} {number(d)}" for a, b, c, d in segments)
    return tag("path", d=written, fill="none", **attributes)


def drawing(width: float, height: float, *children: str, label: str) -> str:
    """A whole drawing that scales with the page.

    Args:
        width: of its own coordinates.
        height: likewise.
        *children: markup.
        label: for readers who do not see it.
    """
    box = f"0 0 {number(width)} {number(height)}"
    return tag("svg", *children, viewBox=box, role="img", aria_label=label)
