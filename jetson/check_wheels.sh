#!/usr/bin/env bash
# Ask pip whether every core dependency resolves to a wheel for Linux on aarch64 with Python 3.11, the agent's target.
# Downloads nothing but metadata, installs nothing. Usage: jetson/check_wheels.sh [PYTHON]
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3.11}

# a wheel counts when it runs on the oldest system we name: Ubuntu 22.04 (JetPack 6 containers), glibc 2.35
platforms=()
for glibc in 17 24 26 27 28 31 34 35; do platforms+=(--platform "manylinux_2_${glibc}_aarch64"); done
platforms+=(--platform manylinux2014_aarch64)

requirements=$(mktemp)
report=$(mktemp)
target=$(mktemp -d)
trap 'rm -rf "$requirements" "$report" "$target"' EXIT
"$python" -c '
import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' >"$requirements"
"$python" -m pip install --quiet --dry-run --ignore-installed --only-binary=:all: --python-version 3.11 \
    --implementation cp "${platforms[@]}" --target "$target" --report "$report" --requirement "$requirements"
"$python" - "$report" <<'PYTHON'
import json
import sys
from pathlib import Path

chosen = json.loads(Path(sys.argv[1]).read_text())["install"]
for item in sorted(chosen, key=lambda item: item["metadata"]["name"].lower()):
    print(item["download_info"]["url"].rsplit("/", 1)[-1].split("#")[0])
print(f"{len(chosen)} packages, all as wheels for aarch64")
PYTHON
