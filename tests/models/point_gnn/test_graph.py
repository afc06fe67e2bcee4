"""Keypoints and pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vedette.errors import ModelInputError
from vedette.models.point_gnn import graph as graph_module
from vedette.models.point_gnn.graph import build_graph, voxel_keypoints


def test_one_keypoint_a_voxel_nearest_to_its_mean():
    """The grid starts half a voxel (0.4 m) below the least point: three points share a voxel, one is alone.

    Their mean is 0.2, so the point at 0.25 is kept.
    """
    points = np.array([[0.0, 0, 0], [0.35, 0, 0], [0.25, 0, 0], [0.5, 0, 0]], np.float32)
    assert sorted(voxel_keypoints(points, 0.8).tolist()) == [2, 3]


def test_of_equally_near_points_the_first_is_kept():
    """So that the same input gives the same graph."""
    assert voxel_keypoints(np.array([[0.1, 0, 0], [0.0, 0, 0], [0.1, 0, 0]], np.float32), 0.8).tolist() == [0]


def test_a_single_point_is_its_own_graph():
    """The smallest input there is."""
    graph = build_graph(np.zeros((1, 3), np.float32))
    for pairs in (graph.keypoints, graph.pool_points, graph.pool_keypoints, graph.edge_sources, graph.edge_targets):
        assert pairs.tolist() == [0]
        assert pairs.dtype == np.int64


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80))
def test_pairs_are_all_those_within_the_radius(seed, count):
    """Against every distance computed one by one."""
    points = np.random.default_rng(seed).uniform(-5, 5, (count, 3)).astype(np.float32)
    graph = build_graph(points)
    keys = points[graph.keypoints].astype(float)
    near = np.linalg.norm(points[:, None].astype(float) - keys, axis=2) <= 1.0
    close = np.linalg.norm(keys[:, None] - keys, axis=2) <= 4.0
    pool = set(zip(graph.pool_points.tolist(), graph.pool_keypoints.tolist(), strict=True))
    edges = set(zip(graph.edge_sources.tolist(), graph.edge_targets.tolist(), strict=True))
    assert pool == set(map(tuple, np.argwhere(near).tolist()))
    assert edges == set(map(tuple, np.argwhere(close).tolist()))
    assert len(pool) == len(graph.pool_points)


def test_too_many_pairs_are_refused_before_they_are_made(monkeypatch):
    """A hostile sweep puts everything in one place."""
    monkeypatch.setattr(graph_module, "MAX_PAIRS", 99)
    points = np.random.default_rng(0).uniform(0, 0.3, (100, 3)).astype(np.float32)
    with pytest.raises(ModelInputError, match="puts 100 pairs of points within 1 m"):
        build_graph(points)
