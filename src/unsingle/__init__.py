"""unsingle: publish an event log with a limit on what it tells about any one person.

>>> import unsingle
>>> log = unsingle.synthesize(cases=100)
>>> release = unsingle.anonymize(log, delta=0.2)
>>> release.log.variant_counts().keys() == log.variant_counts().keys()
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .version import VERSION

__version__ = VERSION

# Each public name and the module it lives in. Loaded when first used, so that `import unsingle` and
# the command's --help do not wait for numpy and polars.
_HOME = {
    "Audit": "auditor",
    "ColumnError": "errors",
    "Comparison": "evaluation.comparison",
    "DryRun": "evaluation.dry_run",
    "EventLog": "core.log",
    "FormatError": "errors",
    "Figures": "evaluation.figures",
    "Guarantee": "privacy.guarantee",
    "LogError": "errors",
    "OutputError": "errors",
    "ParameterError": "errors",
    "Profile": "formats.profile",
    "Progress": "progress",
    "Promise": "privacy.guarantee",
    "Release": "release",
    "ReleaseFacts": "records.facts",
    "Risk": "evaluation.risk",
    "SizeError": "errors",
    "SourceColumns": "core.log",
    "Sweep": "evaluation.sweep",
    "UnsingleError": "errors",
    "CellError": "errors",
    "anonymize": "release",
    "assess_risk": "evaluation.risk",
    "audit": "auditor",
    "audit_release": "auditor",
    "compare": "evaluation.comparison",
    "dry_run": "evaluation.dry_run",
    "inspect_log": "evaluation.inspection",
    "measure": "evaluation.figures",
    "profile_log": "formats.profile",
    "read_log": "formats",
    "read_profile": "formats.profile",
    "read_release": "records.facts",
    "sweep": "evaluation.sweep",
    "synthesize": "synthetic",
    "to_arrow": "formats.tables.frames",
    "to_pandas": "formats.tables.frames",
    "to_polars": "formats.tables.frames",
    "write_log": "formats",
    "write_report": "report",
}

__all__ = [
    "Audit",
    "CellError",
    "ColumnError",
    "Comparison",
    "DryRun",
    "EventLog",
    "Figures",
    "FormatError",
    "Guarantee",
    "LogError",
    "OutputError",
    "ParameterError",
    "Profile",
    "Progress",
    "Promise",
    "Release",
    "ReleaseFacts",
    "Risk",
    "SizeError",
    "SourceColumns",
    "Sweep",
    "UnsingleError",
    "__version__",
    "anonymize",
    "assess_risk",
    "audit",
    "audit_release",
    "compare",
    "dry_run",
    "inspect_log",
    "measure",
    "profile_log",
    "read_log",
    "read_profile",
    "read_release",
    "sweep",
    "synthesize",
    "to_arrow",
    "to_pandas",
    "to_polars",
    "write_log",
    "write_report",
]

if TYPE_CHECKING:
    from .auditor import Audit, audit, audit_release
    from .core.log import EventLog, SourceColumns
    from .errors import (
        CellError,
        ColumnError,
        FormatError,
        LogError,
        OutputError,
        ParameterError,
        SizeError,
        UnsingleError,
    )
    from .evaluation.comparison import Comparison, compare
    from .evaluation.dry_run import DryRun, dry_run
    from .evaluation.figures import Figures, measure
    from .evaluation.inspection import inspect_log
    from .evaluation.risk import Risk, assess_risk
    from .evaluation.sweep import Sweep, sweep
    from .formats import read_log, write_log
    from .formats.profile import Profile, profile_log, read_profile
    from .formats.tables.frames import to_arrow, to_pandas, to_polars
    from .privacy.guarantee import Guarantee, Promise
    from .progress import Progress
    from .records.facts import ReleaseFacts, read_release
    from .release import Release, anonymize
    from .report import write_report
    from .synthetic import synthesize


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
