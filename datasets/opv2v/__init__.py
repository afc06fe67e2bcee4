"""OPV2V's layout: what several connected vehicles see at the same time, as OpenCOOD reads it.

Poses, points and boxes on disk are in the simulator's left-handed axes: x forward, y right, z up. `poses`, `pcd` and
`documents` are the border; behind it everything is right-handed.
"""
