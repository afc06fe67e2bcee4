"""Paths as users give them: on the command line, in the name of a source, in a setting."""

from __future__ import annotations

from pathlib import Path

from vedette.errors import ConfigError


def path_from_user(text: str | Path) -> Path:
    """A path, with a leading ``~`` or ``~name`` replaced by a home folder; it need not exist.

    Args:
        text: as it was given.

    Raises:
        ConfigError: no path of this system: no such home, too long, a character that no name holds, or within a folder
            that may not be read.
    """
    try:
        path = Path(text).expanduser()
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"path {str(text)[:200]!r}: {reason}; expected a path that can be looked at") from error
    return path
