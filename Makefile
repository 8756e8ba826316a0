# Two commands for a machine with only Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
LOGS ?= ../shared/logs

.PHONY: help demo test test-all test-spark check fuzz docs sbom bench bench-check bench-methods bench-columns bench-strict bench-use bench-audit bench-web bench-spark bench-paper bench-reproduction bench-archive web clean
.DEFAULT_GOAL := help

help:
	@echo "make demo         install unsingle, make a synthetic hospital log and anonymise it at delta 0.2"
	@echo "make web          open the web page, with the synthetic log in it"
	@echo "make test         install what the tests need, then check style, types, imports and behaviour"
	@echo "make test-all     the same with the slow tests: real logs, a browser, heavy statistics, many releases"
	@echo "make test-spark   the tests on real Spark, which need Java 17"
	@echo "make fuzz         odd files, read by our readers and by others (INPUTS=20000 SEED=1 FORMATS=xes)"
	@echo "make docs         write what is generated of the documents again, and all of them as a site in build/site"
	@echo "make sbom         list all that an installation contains, in build/sbom.cdx.json"
	@echo "make bench        speed, step by step, beside other readers"
	@echo "make bench-check  fail if anonymising a log takes longer than the fastest reader takes to read it"
	@echo "make bench-methods  all methods side by side on the real logs"
	@echo "make bench-columns  what twin keeps of columns beside case, activity and time"
	@echo "make bench-strict  what differential privacy keeps of the real logs"
	@echo "make bench-use    what is learnt on releases, tried on the original"
	@echo "make bench-audit  all methods attacked on real logs (half an hour)"
	@echo "make bench-web    the web page under load: a large log, many at once, cancelling"
	@echo "make bench-spark  releases on Spark: growth, skew, agreement (Java 17; half an hour)"
	@echo "make bench-paper  the paper's table, measured again on the real logs"
	@echo "make bench-reproduction  what else the paper measured"
	@echo "make bench-archive  all methods on all logs, in files that programs read"
	@echo "make clean        remove what these made"

# Each stamp is made anew when what it depends on changes.
$(VENV)/installed: pyproject.toml src/unsingle/version.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-web: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@

# pip installs groups since 25.1
$(VENV)/installed-dev: $(VENV)/installed pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[spark,web]' --group dev
	@touch $@

$(VENV)/installed-bench: $(VENV)/installed-dev pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	@touch $@

demo: $(VENV)/installed
	@$(BIN)/unsingle demo demo --force

web: $(VENV)/installed-web
	$(BIN)/unsingle serve --demo

test: $(VENV)/installed-dev check
	$(BIN)/python -m pytest -n auto -m "not jvm and not slow" src tests

test-all: $(VENV)/installed-dev check
	$(BIN)/python -m pytest -n auto -m "not jvm" src tests

test-spark: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m jvm tests

check: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

# At most five minutes for each format, whatever the number of inputs.
fuzz: $(VENV)/installed-dev
	PYTHONPATH=tests $(BIN)/python -m support.fuzzing $(FORMATS) $(if $(INPUTS),--inputs $(INPUTS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(SECONDS),--seconds $(SECONDS))

docs: $(VENV)/installed-dev
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_pictures.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "the documents: build/site/index.html"

# What an installation contains, as CycloneDX: from an environment of its own, without our tools.
sbom:
	$(PYTHON) -m venv build/sbom
	build/sbom/bin/python -m pip install --quiet --disable-pip-version-check '.[spark,web]'
	$(PYTHON) -m venv build/sbom-tool
	build/sbom-tool/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom
	build/sbom-tool/bin/cyclonedx-py environment build/sbom/bin/python --pyproject pyproject.toml \
		--output-reproducible --output-file build/sbom.cdx.json

bench: $(VENV)/installed-dev
	$(BIN)/python -m bench speed --logs $(LOGS) --write

bench-check: $(VENV)/installed-dev
	$(BIN)/python -m bench speed --check

bench-methods: $(VENV)/installed-dev
	$(BIN)/python -m bench methods --logs $(LOGS) --write

bench-columns: $(VENV)/installed-dev
	$(BIN)/python -m bench columns --logs $(LOGS) --write

bench-strict: $(VENV)/installed-bench
	$(BIN)/python -m bench strict --logs $(LOGS) --write

bench-use: $(VENV)/installed-bench
	$(BIN)/python -m bench use --logs $(LOGS) --write

bench-audit: $(VENV)/installed-dev
	$(BIN)/python -m bench audits --logs $(LOGS) --write

bench-web: $(VENV)/installed-dev
	$(BIN)/python -m bench web --logs $(LOGS) --write

bench-spark: $(VENV)/installed-dev
	$(BIN)/python -m bench spark --logs $(LOGS) --write

bench-paper: $(VENV)/installed-dev
	$(BIN)/python -m bench paper --logs $(LOGS) --write

bench-reproduction: $(VENV)/installed-dev
	$(BIN)/python -m bench reproduction --logs $(LOGS) --write

bench-archive: $(VENV)/installed-dev
	$(BIN)/python -m bench archive --logs $(LOGS) --write

clean:
	rm -rf $(VENV) demo dist build
