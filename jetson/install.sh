#!/usr/bin/env bash
# Install the edge agent as a systemd service. Run it again to upgrade: what you edited under /etc/vedette is kept.
#
#   sudo jetson/install.sh [--gpu] [--python PYTHON] [--root DIR]
#
#   --gpu      ONNX Runtime with CUDA and TensorRT (JetPack 7) in place of the CPU build
#   --python   a Python 3.11 or newer with venv (default: python3.11)
#   --root     stage into DIR without touching users or services (images, packages, tests)
set -euo pipefail

fail() { echo "install.sh: $*" >&2; exit 2; }

gpu=0 python=python3.11 root=""
while [ $# -gt 0 ]; do
    case "$1" in
        --gpu) gpu=1 ;;
        --python) python=${2:?--python needs a path}; shift ;;
        --root) root=${2:?--root needs a folder}; shift ;;
        *) fail "unknown option $1; see the head of this file" ;;
    esac
    shift
done

source_dir=$(cd "$(dirname "$0")/.." && pwd)
prefix="$root/opt/vedette"
etc="$root/etc/vedette"
state="$root/var/lib/vedette"
unit="$root/etc/systemd/system/vedette-edge.service"

[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "needs root to write /opt, /etc and the service; use sudo, or --root DIR to stage"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
    || fail "$python is not Python 3.11 or newer (JetPack 6 ships 3.10: use the container, or a standalone build with --python)"

install_program() {
    [ -x "$prefix/bin/python" ] || "$python" -m venv "$prefix"
    "$prefix/bin/python" -m pip install --quiet --upgrade pip
    # setuptools packs whatever an earlier build left there, modules that are gone since included
    rm -rf "$source_dir/build/lib"
    "$prefix/bin/python" -m pip install --quiet --upgrade "$source_dir"
}

# both builds of ONNX Runtime install the same module: one must go before the other comes
choose_runtime() {
    local wanted=onnxruntime other=onnxruntime-gpu
    [ "$gpu" = 0 ] || { wanted=onnxruntime-gpu; other=onnxruntime; }
    if "$prefix/bin/python" -m pip show --quiet "$other" 2>/dev/null; then
        "$prefix/bin/python" -m pip uninstall --quiet --yes "$other" "$wanted" 2>/dev/null
    fi
    "$prefix/bin/python" -m pip install --quiet "$wanted"
}

install_configuration() {
    install -d "$etc" "$state/models" "$(dirname "$unit")"
    [ -e "$etc/vedette.yaml" ] || install -m 644 "$source_dir/jetson/vedette.yaml" "$etc/vedette.yaml"
    [ -e "$etc/agent.env" ] || install -m 644 "$source_dir/jetson/agent.env" "$etc/agent.env"
    install -m 644 "$source_dir/jetson/vedette-edge.service" "$unit"
}

enable_service() {
    id vedette >/dev/null 2>&1 || useradd --system --home-dir /var/lib/vedette --groups video vedette
    chown -R vedette: "$state"
    systemctl daemon-reload
    systemctl enable vedette-edge.service
}

install_program
choose_runtime
install_configuration
[ -n "$root" ] || enable_service
echo "installed $("$prefix/bin/vedette" --version) in $prefix"
echo "next: edit $etc/agent.env, import models where the service looks for them, and start it:"
echo "  sudo -u vedette $prefix/bin/vedette models import --config $etc/vedette.yaml FILE.onnx …"
echo "  sudo systemctl start vedette-edge"
