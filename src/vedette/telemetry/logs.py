"""Structured logging to standard error: JSON lines on devices, readable text on a terminal."""

from __future__ import annotations

import logging
import sys

import structlog

from vedette.config import TelemetryConfig


def configure_logging(config: TelemetryConfig) -> None:
    """Set the format and level of the whole program's log; called once by the command line.

    Standard output stays free for results.

    Args:
        config: format ``auto`` means text when standard error is a terminal.
    """
    as_text = config.log_format == "text" or (config.log_format == "auto" and sys.stderr.isatty())
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if as_text else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[config.log_level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
