"""Whether a file is a checkpoint."""

import pickle
import zipfile

import pytest

from vedette.errors import ConfigError, MissingDataError
from vedette.models.checkpoints import check_checkpoint, checkpoint_state


@pytest.mark.parametrize("size", [None, 0, 5])
def test_a_checkpoint_is_there_and_whole(tmp_path, size):
    """None where there is no file."""
    path = tmp_path / "checkpoint.pt"
    if size is not None:
        path.write_bytes(b"PK\3\4x"[:size])
    with pytest.raises((ConfigError, MissingDataError), match=r"checkpoint\.pt: .*expected the checkpoint\.pt of a"):
        check_checkpoint(path)


OURS = {"config": {"network": {}}, "step": 3}


def failing(error):
    def load(_path):
        raise error

    return load


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda _: {"config": {"architecture": {}}}, "not of a training of pillars"),
        (lambda _: {"network": {}}, "not of a training of pillars"),
        (lambda _: {"config": 1}, "not of a training of pillars"),
        (lambda _: [1, 2], "not of a training of pillars"),
        (failing(pickle.UnpicklingError("a class of another program")), "cannot be loaded"),
        (failing(RuntimeError("file not found")), "cannot be loaded"),
    ],
)
def test_a_checkpoint_of_something_else_is_told(tmp_path, load, message):
    """Of another family, or of another program, as somebody may name it with --start."""
    path = tmp_path / "checkpoint.pt"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("weights", "")
    assert checkpoint_state(path, lambda _: OURS, "pillars", "network") == OURS
    with pytest.raises(ConfigError, match=rf"checkpoint\.pt: {message}.*; expected .*checkpoint\.pt"):
        checkpoint_state(path, load, "pillars", "network")
