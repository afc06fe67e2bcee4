"""Replay: a recording driven through agent and cloud under several policies, and what came of it side by side."""
