"""KITTI's object, tracking and raw layouts: parsers, writers, recordings, splits."""
