"""Area shared by two rotated rectangles, for many pairs at once, without building a polygon.

In the frame of rectangle B, `|x| <= L, |y| <= W`, each vertical line cuts rectangle A in one piece from y_low to
y_high, and B leaves `clamp(y_high) - clamp(y_low)` of it, where clamp limits to [-W, W] (nothing is left where both
ends are clamped to the same bound). So the shared area is the integral of clamp(y) dx along the outline of A, x limited
to [-L, L]: four edges, each a piecewise linear function of x with a closed form.

```
        ┌───────────────┐ W
        │      ╱╲       │
        │    ╱    ╲     │
      ──┼──╱── A  ╱ ──  │
        │  ╲    ╱     B │
        └────╲╱─────────┘ -W
       -L              L
```

Nothing is decided by comparing nearly equal numbers, so identical, touching and coinciding edges need no tolerance:
the result is continuous in its input and right to rounding.
"""

from __future__ import annotations

import numpy as np

from vedette.geometry.arrays import NDArrayFloat

# Pairs computed together: the dozen (4, block) temporaries then stay in a core's cache.
_BLOCK = 4096
# Rounding of the centres leaves touching rectangles a sliver; below this share of the smaller one it counts as none.
_SLIVER = 1e-12

_X_SIGNS = np.array([[1.0], [-1.0], [-1.0], [1.0]])
_Y_SIGNS = np.array([[1.0], [1.0], [-1.0], [-1.0]])
# of the four corners; a tenth of the time of np.roll where pairs are few, as are clips as methods
_NEXT = np.array([1, 2, 3, 0])


def shared_area(a: NDArrayFloat, b: NDArrayFloat) -> NDArrayFloat:
    """Area of the intersection, pair by pair.

    Args:
        a: (K, 5) [x, y, length, width, yaw], metres and radians, finite.
        b: (K, 5) likewise.

    Returns:
        (K,) square metres; 0 where either has a size of zero or less, or where they merely touch.
    """
    area = np.empty(len(a))
    for start in range(0, len(a), _BLOCK):
        block = slice(start, start + _BLOCK)
        area[block] = _shared_area(a[block].T, b[block].T)
    smaller = np.minimum(_area(a), _area(b))
    area[area <= _SLIVER * smaller] = 0.0
    return np.minimum(area, smaller)


def _area(rectangles: NDArrayFloat) -> NDArrayFloat:
    """(K,) areas of (K, 5) rectangles, 0 for empty ones."""
    sizes = np.maximum(rectangles[:, 2:4], 0.0)
    area: NDArrayFloat = sizes[:, 0] * sizes[:, 1]
    return area


def _shared_area(a: NDArrayFloat, b: NDArrayFloat) -> NDArrayFloat:
    """Area of the intersection for (5, K) columns of rectangles."""
    half_a, half_b = np.maximum(a[2:4], 0.0) / 2, np.maximum(b[2:4], 0.0) / 2
    shift_x, shift_y = a[0] - b[0], a[1] - b[1]
    cos_b, sin_b = np.cos(b[4]), np.sin(b[4])
    turn = a[4] - b[4]
    cos, sin = np.cos(turn), np.sin(turn)
    local_x, local_y = _X_SIGNS * half_a[0], _Y_SIGNS * half_a[1]
    x = (cos_b * shift_x + sin_b * shift_y) + (cos * local_x - sin * local_y)
    y = (cos_b * shift_y - sin_b * shift_x) + (sin * local_x + cos * local_y)
    area: NDArrayFloat = -_outline_integral(x, y, half_b[0], half_b[1]).sum(axis=0)
    return area


def _outline_integral(x: NDArrayFloat, y: NDArrayFloat, limit_x: NDArrayFloat, limit_y: NDArrayFloat) -> NDArrayFloat:
    """Integral of clamp(y) dx along each edge of a quadrilateral, x limited too.

    Args:
        x: (4, K) corners, in order.
        y: (4, K) likewise.
        limit_x: (K,) half length of the limits.
        limit_y: (K,) half width of the limits.

    Returns:
        (4, K) square metres, edge by edge.
    """
    step_x, step_y = x.take(_NEXT, axis=0) - x, y.take(_NEXT, axis=0) - y
    start_x = x.clip(-limit_x, limit_x)
    end_x = start_x.take(_NEXT, axis=0)
    per_x = 1.0 / np.where(step_x == 0.0, 1.0, step_x)
    start_y = y + step_y * ((start_x - x) * per_x).clip(0.0, 1.0)
    end_y = y + step_y * ((end_x - x) * per_x).clip(0.0, 1.0)
    # With clamp(y) = start until share t1 of the edge and end from share t2, its mean is that of a trapezoid:
    # start * (t1 + t2) / 2 + end * (1 - (t1 + t2) / 2); the order of the two crossings does not matter.
    rise = end_y - start_y
    per_y = 1.0 / np.where(rise == 0.0, 1.0, rise)
    crossings = ((-limit_y - start_y) * per_y).clip(0.0, 1.0) + ((limit_y - start_y) * per_y).clip(0.0, 1.0)
    start, end = start_y.clip(-limit_y, limit_y), end_y.clip(-limit_y, limit_y)
    integral: NDArrayFloat = (end_x - start_x) * (end + (start - end) * (crossings / 2))
    return integral
