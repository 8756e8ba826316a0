"""A release on a cluster of two executors on this machine, one of which is killed in the middle; run as a script."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from unsingle.spark import anonymize, anonymizing, write_release


def executors() -> list[int]:
    """The processes of the executors that belong to this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in words and f"-Dunsingle.test={os.getpid()}".encode() in words:
            found.append(int(folder.name))
    return sorted(found)


def kill_one_when_busy(spark: Any, told: dict[str, Any]) -> None:
    """Kill an executor as soon as a task of the write has ended, while others are still to be done."""
    tracker = spark.sparkContext.statusTracker()
    end = time.monotonic() + 120
    while time.monotonic() < end:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info and 0 < info.numCompletedTasks < info.numTasks - 1:
                told["killed"] = executors()[0]
                told["lost_during"] = told["step"]
                os.kill(told["killed"], signal.SIGKILL)
                return
        time.sleep(0.01)


def failed_tasks(spark: Any) -> int:
    """How many tasks of all stages failed or were lost with their executor."""
    store = spark.sparkContext._jsc.sc().statusStore()
    stages = store.stageList(None, False, False, spark.sparkContext._gateway.new_array(
        spark.sparkContext._jvm.double, 0), None)  # fmt: skip
    return sum(stages.apply(i).numFailedTasks() + stages.apply(i).numKilledTasks() for i in range(stages.size()))


def main(source: str, target: str, zone: str) -> None:
    """Make the release twice from one run: with an executor lost, and again with nobody lost."""
    anonymizing.EVENTS_IN_PARTITION, anonymizing.EVENTS_IN_PART = 3_000, 10_000
    mark = f"-Dunsingle.test={os.getpid()}"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.executor.extraJavaOptions", mark)
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.files.openCostInBytes", "64m")  # so that each task has few partitions
        .getOrCreate()
    )
    told: dict[str, Any] = {"killed": 0, "step": "prepare", "lost_during": ""}
    with anonymize(spark.read.parquet(source), 0.2, method="amun", timezone=zone) as release:
        told["step"] = "write"
        killer = threading.Thread(target=kill_one_when_busy, args=(spark, told), daemon=True)
        killer.start()
        write_release(release, target)
        killer.join(5)
        told["failed_tasks"] = failed_tasks(spark)
        write_release(release, f"{target}.again", format="parquet")
    told |= {"cases": release.size.cases, "events": release.size.events}
    spark.stop()
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
