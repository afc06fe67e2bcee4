"""Encoded forms of sensor data, used on both ends of the wire."""
