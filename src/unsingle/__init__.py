"""unsingle: publish an event log without letting anyone in it be singled out.

>>> import unsingle
>>> log = unsingle.synthesize(cases=100)
>>> release = unsingle.anonymize(log, delta=0.2)
>>> release.log.variant_counts().keys() == log.variant_counts().keys()
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Each public name and the module it lives in. Loaded when first used, so that `import unsingle` and
# the command's --help do not wait for numpy and polars.
_HOME = {
    "Audit": "auditing",
    "ColumnError": "errors",
    "Columns": "log",
    "Comparison": "comparison",
    "EventLog": "log",
    "FormatError": "errors",
    "Guarantee": "guarantee",
    "LogError": "errors",
    "OutputError": "errors",
    "ParameterError": "errors",
    "Progress": "progress",
    "Promise": "guarantee",
    "Release": "release",
    "Risk": "risk",
    "SizeError": "errors",
    "Sweep": "sweeping",
    "UnsingleError": "errors",
    "ValueProblem": "errors",
    "anonymize": "release",
    "assess_risk": "risk",
    "audit": "auditing",
    "audit_release": "auditing",
    "compare": "comparison",
    "inspect_log": "inspection",
    "read_log": "formats",
    "read_persons": "formats",
    "sweep": "sweeping",
    "synthesize": "synthetic",
    "write_log": "formats",
    "write_report": "report",
}

__all__ = [
    "Audit",
    "ColumnError",
    "Columns",
    "Comparison",
    "EventLog",
    "FormatError",
    "Guarantee",
    "LogError",
    "OutputError",
    "ParameterError",
    "Progress",
    "Promise",
    "Release",
    "Risk",
    "SizeError",
    "Sweep",
    "UnsingleError",
    "ValueProblem",
    "__version__",
    "anonymize",
    "assess_risk",
    "audit",
    "audit_release",
    "compare",
    "inspect_log",
    "read_log",
    "read_persons",
    "sweep",
    "synthesize",
    "write_log",
    "write_report",
]

if TYPE_CHECKING:
    from .auditing import Audit, audit, audit_release
    from .comparison import Comparison, compare
    from .errors import (
        ColumnError,
        FormatError,
        LogError,
        OutputError,
        ParameterError,
        SizeError,
        UnsingleError,
        ValueProblem,
    )
    from .formats import read_log, read_persons, write_log
    from .guarantee import Guarantee, Promise
    from .inspection import inspect_log
    from .log import Columns, EventLog
    from .progress import Progress
    from .release import Release, anonymize
    from .report import write_report
    from .risk import Risk, assess_risk
    from .sweeping import Sweep, sweep
    from .synthetic import synthesize


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
