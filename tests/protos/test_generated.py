"""The committed code is what the definitions give; the definitions are clean and break nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path("vedette/protos/v1alpha1")
BASELINE = "protos/v1alpha1/baseline.binpb"
BUF = Path(sysconfig.get_path("scripts")) / "buf"

pytestmark = pytest.mark.skipif(not BUF.is_file(), reason="buf and grpcio-tools come with the extra `dev`")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable}
    arguments = [str(part) for part in command]
    return subprocess.run(
        arguments, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=100, check=False
    )


def generated_files(root: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((root / FOLDER).glob("*_pb2*"))}


def test_committed_code_equals_regenerated_code(tmp_path: Path) -> None:
    """Nobody edits generated files, and nobody forgets to regenerate them."""
    result = run("sh", "scripts/generate_protos.sh", tmp_path)
    assert result.returncode == 0, result.stderr
    regenerated = generated_files(tmp_path)
    assert len(regenerated) == 4 * len(list((REPOSITORY / "protos/v1alpha1").glob("*.proto")))
    assert generated_files(REPOSITORY / "src") == regenerated


def test_definitions_are_clean() -> None:
    """`buf lint` with its standard rules."""
    result = run(BUF, "lint")
    assert result.returncode == 0, result.stdout + result.stderr


def test_definitions_break_nobody() -> None:
    """`buf breaking` against the committed baseline, which is renewed only with intent."""
    result = run(BUF, "breaking", "--against", BASELINE)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_breaking_check_notices(tmp_path: Path) -> None:
    """A renumbered field is found: the check above is alive."""
    folder = tmp_path / "src" / FOLDER
    folder.mkdir(parents=True)
    for path in (REPOSITORY / "protos/v1alpha1").glob("*.proto"):
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(text.replace("string trace_id = 1;", "string trace_id = 9;"), encoding="utf-8")
    (tmp_path / "buf.yaml").write_text((REPOSITORY / "buf.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    result = run(BUF, "breaking", tmp_path, "--against", BASELINE)
    assert result.returncode != 0
    assert "trace_id" in result.stdout
