"""The folders that hold models."""

import os

import numpy as np
import pytest

from vedette.errors import ModelCardError, ModelError, ModelHashError, UnknownModelError
from vedette.models.cards import card_as_yaml, read_card
from vedette.models.store import ModelStore, sha256_of


@pytest.fixture
def store(tmp_path):
    """An empty store with an empty packaged folder."""
    return ModelStore(tmp_path / "models", tmp_path / "packaged")


@pytest.fixture
def model(constant_model, nanodet_rows):
    """An ONNX file."""
    return constant_model(nanodet_rows)


def test_what_is_put_in_is_found(store, model, write_card):
    """The layout is <name>/<version>/{model.onnx, card.yaml}, and the content is the file's."""
    stored = store.put(model, read_card(write_card(model)))
    assert stored.folder == store.folder / "tiny" / "1"
    assert store.find("tiny") == store.find("tiny@1") == stored
    assert stored.model_path.read_bytes() == model.read_bytes()
    assert sorted(path.name for path in stored.folder.iterdir()) == ["card.yaml", "model.onnx"]
    stored.verify()


def test_putting_again_changes_nothing(store, model, write_card):
    """Not even the files' times."""
    stored = store.put(model, read_card(write_card(model)))
    before = [(path.name, path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(stored.folder.iterdir())]
    store.put(model, stored.card)
    after = [(path.name, path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(stored.folder.iterdir())]
    assert before == after


def test_putting_again_with_a_better_card_replaces_the_card(store, model, write_card):
    """The model is the same, so its name and version are not taken."""
    store.put(model, read_card(write_card(model)))
    store.put(model, read_card(write_card(model, title="Better")))
    assert store.find("tiny").card.title == "Better"


def test_putting_again_repairs_a_damaged_file(store, model, write_card):
    """A flipped bit is found by verifying, and mended by importing."""
    stored = store.put(model, read_card(write_card(model)))
    stored.model_path.write_bytes(b"rot" + stored.model_path.read_bytes())
    with pytest.raises(ModelHashError, match="import it again"):
        stored.verify()
    store.put(model, stored.card)
    store.find("tiny").verify()


def test_another_model_does_not_take_a_name(store, model, constant_model, write_card, nanodet_rows):
    """Overwriting a model that something may be using is refused, with the way out."""
    store.put(model, read_card(write_card(model)))
    other = constant_model(nanodet_rows + 1)
    with pytest.raises(ModelError, match=r"already there with another content.*--version or --name"):
        store.put(other, read_card(write_card(other)))
    store.find("tiny").verify()


def test_a_file_that_is_not_the_cards_is_refused(store, model, write_card):
    """Nothing is left behind."""
    with pytest.raises(ModelHashError, match="its card says"):
        store.put(model, read_card(write_card(sha256="0" * 64)))
    assert store.model_folders() == []
    assert list(store.folder.iterdir()) == []


def test_the_highest_version_is_taken(store, constant_model, write_card):
    """By number, not by letters; one asked for by number is taken instead."""
    for version in ("1.9", "1.10", "1.2"):
        model = constant_model(np.full((1, 85, 35), float(version.split(".")[1])))
        store.put(model, read_card(write_card(model, version=version)))
    assert store.find("tiny").card.version == "1.10"
    assert store.find("tiny@1.2").card.version == "1.2"
    assert [folder.name for folder in store.model_folders()] == ["1.2", "1.9", "1.10"]


def test_packaged_models_are_found_and_the_users_go_first(store, tmp_path, model, write_card):
    """The same version in both places comes from the user's folder."""
    ModelStore(tmp_path / "packaged").put(model, read_card(write_card(model)))
    assert store.find("tiny").folder.is_relative_to(tmp_path / "packaged")
    store.put(model, read_card(write_card(model)))
    assert store.find("tiny").folder.is_relative_to(store.folder)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("point-gnn-car", "vedette models import PATH/point_gnn_car_T1.onnx"),
        ("mine", "vedette models import FILE.onnx --card CARD.yaml"),
        ("tiny@2", "there: tiny@1"),
    ],
)
def test_an_unknown_model_lists_what_there_is_and_the_next_step(store, model, write_card, name, line):
    """The line can be run once the path is filled in."""
    store.put(model, read_card(write_card(model)))
    with pytest.raises(UnknownModelError, match=line) as caught:
        store.find(name)
    assert "tiny@1" in str(caught.value)


def test_an_empty_store_says_none(store):
    """The folder need not exist."""
    with pytest.raises(UnknownModelError, match="there: none"):
        store.find("tiny")


def test_what_a_crash_leaves_behind_is_not_listed(store):
    """Hidden folders and folders that are no version are passed over."""
    for folder in (".pending-x/fresh", "tiny/.1", "tiny/latest", ".engines/1"):
        (store.folder / folder).mkdir(parents=True)
    assert store.model_folders() == []


def test_a_card_of_another_folder_is_refused(store, model, write_card):
    """A folder renamed by hand would lie about what runs."""
    stored = store.put(model, read_card(write_card(model)))
    stored.folder.rename(stored.folder.with_name("2"))
    with pytest.raises(ModelCardError, match="is the card of tiny@1; expected tiny@2"):
        store.find("tiny")


def test_a_model_without_its_file_says_so(store, model, write_card):
    """The card alone is no model."""
    stored = store.put(model, read_card(write_card(model)))
    stored.model_path.unlink()
    with pytest.raises(ModelError, match=r"model\.onnx: cannot be read"):
        stored.verify()


def test_a_pipe_is_not_waited_for(tmp_path):
    """Nobody may ever write into it."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match="pipe or a device; expected an ONNX file"):
        sha256_of(tmp_path / "pipe")


def test_a_folder_that_cannot_be_written_is_named(tmp_path, model, write_card):
    """Here a file stands in its way; a full disk reads alike."""
    (tmp_path / "models").write_text("in the way")
    with pytest.raises(ModelError, match=r"cannot be written: .*the model was not imported"):
        ModelStore(tmp_path / "models").put(model, read_card(write_card(model)))


def test_hash_of_known_bytes(tmp_path):
    """FIPS 180-2, appendix B.1."""
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256_of(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_card_on_disk_reads_back(store, model, write_card):
    """What is written is a card like any other."""
    stored = store.put(model, read_card(write_card(model)))
    assert (stored.folder / "card.yaml").read_text() == card_as_yaml(stored.card)
