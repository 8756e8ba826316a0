"""The same release on Spark, for logs that no single machine can hold.

Within what Spark Connect allows, so on any cluster: cases are packed into pieces, the distinct paths come to the
driver, where automaton and counts are made, and tasks do the rest piece by piece with the same kernels that `anonymize`
uses on one machine.

>>> import unsingle.spark
>>> release = unsingle.spark.anonymize(spark.table("events"), delta=0.2, method="amun")  # doctest: +SKIP
>>> release.frame.write.parquet("lake/release.parquet")  # doctest: +SKIP
>>> print(release.guarantee)  # doctest: +SKIP
"""

from __future__ import annotations

try:
    import pyarrow as _arrow  # noqa: F401
    import pyspark as _spark  # noqa: F401
except ImportError:
    raise ImportError("Spark needs parts that are not installed: pip install 'unsingle[spark]'") from None

from .anonymizing import SparkRelease, anonymize
from .engine import connect
from .reading import LakeLog, read_lake
from .writing import write_release

__all__ = ["LakeLog", "SparkRelease", "anonymize", "connect", "read_lake", "write_release"]
