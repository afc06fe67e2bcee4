# Everything a fresh machine with Python 3.11 needs: `make demo` shows the product, `make test` checks it.
# Each target makes the virtual environment it needs.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
# numerical libraries use one thread each: two of them fighting for two cores is slower than either alone
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test test-long lint bench protos format clean help train-extra

help:
	@echo "make demo       make a street scene, replay it through edge and cloud, write a report"
	@echo "make test       run the tests (what CI runs)"
	@echo "make test-long  soak, kill, fuzz and load tests in full"
	@echo "make lint       ruff, mypy"
	@echo "make train-extra  install PyTorch, which training and the tests of it need (5.5 GB)"
	@echo "make bench      benchmarks, side by side in one run"
	@echo "make protos     regenerate the committed protobuf code"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "vedette needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.world: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[world]'
	@touch $@ $(VENV)/.core

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,world]'
	@touch $@ $(VENV)/.core $(VENV)/.world

$(VENV)/.train: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[train]'
	@touch $@

train-extra: $(VENV)/.train

demo: $(VENV)/.world
	$(BIN)/vedette demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m 'not long'

test-long: $(VENV)/.dev
	$(BIN)/python -m pytest -n 0 -m long --timeout 3600

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# a recording for the benchmarks that need one (docs/data.md says how to unpack it)
BENCH_SOURCE ?= kitti-tracking:build/kitti:0001:0-24
BENCH_DIR = $(word 2,$(subst :, ,$(BENCH_SOURCE)))

# a missed target is said, and the rest is measured all the same
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/bench_rotated_iou.py
	$(BIN)/python benchmarks/bench_synth_sensors.py
	-$(BIN)/python benchmarks/bench_agent_steps.py
	@test -d "$(BENCH_DIR)" || { echo "no recording at $(BENCH_DIR): unpack it (docs/data.md), or set BENCH_SOURCE"; exit 2; }
	-$(BIN)/python benchmarks/bench_agent_steps.py $(BENCH_SOURCE)
	-$(BIN)/python benchmarks/bench_lifting.py $(BENCH_SOURCE)
	$(BIN)/python benchmarks/bench_sweep_codec.py $(BENCH_SOURCE) --every 5
	$(BIN)/python benchmarks/bench_model_accuracy.py nanodet-plus $(BENCH_SOURCE) --iou 0.5 --score 0.4
	$(BIN)/python benchmarks/bench_model_accuracy.py point-gnn-car $(BENCH_SOURCE) --iou 0.5 --score 0.5

protos: $(VENV)/.dev
	PATH="$(BIN):$$PATH" scripts/generate_protos.sh

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
