#!/bin/sh
# Generate the Python code of the wire beside its .proto files.
#
#   scripts/generate_protos.sh [OUT]     OUT: root of the generated tree; src by default (the committed files)
#
# PYTHON names the interpreter with grpcio-tools and mypy-protobuf (extra `dev`).
set -eu
cd "$(dirname "$0")/.."
out=${1:-src}
python=${PYTHON:-.venv/bin/python}
bin=$("$python" -c 'import sysconfig; print(sysconfig.get_path("scripts"))')
PATH="$bin:$PATH"
export PATH
"$python" -m grpc_tools.protoc -Isrc \
    --python_out="$out" --grpc_python_out="$out" --mypy_out="$out" --mypy_grpc_out="$out" \
    src/vedette/protos/v1alpha1/*.proto
