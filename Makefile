# Two commands for a fresh clone (Python 3.11 is all that must be there):
#   make demo   migrates, verifies, measures and reports on a TensorFlow 1 program
#   make test   lint, types and tests
#   make gpu-test   what needs an NVIDIA GPU; without one it fails, because nothing was tested
# Both make .venv once and take up again where they were stopped.

PYTHON ?= python3.11
VENV ?= .venv
DEMO ?= build/demo
JOBS ?= 2
SAMPLE := samples/ssd_mobilenet_v1
MIGRATOR := $(VENV)/bin/migrator
# The stamps depend on what is installed; an editable install sees every other change by itself.
DECLARED := setup.cfg setup.py pyproject.toml
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check install --quiet

export TF_CPP_MIN_LOG_LEVEL ?= 3

.PHONY: demo test lint types pytest gpu-test clean

demo: $(DEMO)/report.stamp
	@echo
	@echo "Report: $(abspath $(DEMO))/ssd_mobilenet_v1/.migrator/report.html"
	@test ! -e $(DEMO)/verify.failed || { rm -f $(DEMO)/verify.stamp; \
	  echo "verify did not find everything equal: the report says where" >&2; exit 1; }

test: lint types pytest

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip

$(VENV)/tf.stamp: $(DECLARED) | $(VENV)/bin/python
	$(PIP) -e '.[tf]'
	@touch $@

$(VENV)/dev.stamp: $(DECLARED) | $(VENV)/bin/python
	$(PIP) -e '.[tf,dev,ray,lsp]'
	@touch $@ $(VENV)/tf.stamp

# -- demo: one stamp a step, so that an interrupted run goes on with the step that was interrupted

$(DEMO)/copy.stamp: $(shell find $(SAMPLE) -type f -not -name '*.pyc' 2>/dev/null) | $(VENV)/tf.stamp
	rm -rf $(DEMO)
	mkdir -p $(DEMO)
	cp -R $(SAMPLE) $(DEMO)/ssd_mobilenet_v1
	@touch $@

$(DEMO)/migrate.stamp: $(DEMO)/copy.stamp
	$(MIGRATOR) scan $(DEMO)/ssd_mobilenet_v1
	@# a run that was stopped half-way is undone first; without one, undo refuses and that is fine
	@$(MIGRATOR) undo $(DEMO)/ssd_mobilenet_v1 --all >/dev/null 2>&1 || true
	$(MIGRATOR) migrate $(DEMO)/ssd_mobilenet_v1 --allow-dirty
	@touch $@

$(DEMO)/verify.stamp: $(DEMO)/migrate.stamp
	@rm -f $(DEMO)/verify.failed
	@# a difference belongs into the report; it fails `make demo` at the end
	$(MIGRATOR) verify $(DEMO)/ssd_mobilenet_v1 || touch $(DEMO)/verify.failed
	@touch $@

$(DEMO)/measure.stamp: $(DEMO)/verify.stamp
	$(MIGRATOR) measure $(DEMO)/ssd_mobilenet_v1
	@touch $@

$(DEMO)/report.stamp: $(DEMO)/measure.stamp
	$(MIGRATOR) report $(DEMO)/ssd_mobilenet_v1
	@touch $@

# -- test

lint: $(VENV)/dev.stamp
	$(VENV)/bin/ruff check .

types: $(VENV)/dev.stamp
	$(VENV)/bin/mypy

pytest: $(VENV)/dev.stamp
	$(VENV)/bin/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

gpu-test: $(VENV)/dev.stamp
	$(VENV)/bin/python -m pytest -m gpu -p no:xdist

clean:
	rm -rf build dist $(VENV) *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
