"""The same release on Spark, for logs that no single machine can hold.

Cases are packed into partitions, the distinct paths are collected on the driver, which builds the automaton and
decides the counts, and tasks do the rest partition by partition, with the same kernels that `unsingle.anonymize` uses
on one machine. Only what Spark Connect allows is used, so it runs on any cluster.

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
from .reading import LakeLog, read_lake
from .session import connect
from .writing import write_release

__all__ = ["LakeLog", "SparkRelease", "anonymize", "connect", "read_lake", "write_release"]
