"""Tasks: one piece of work for a worker process, the stages it goes through, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class TaskName(StrEnum):
    """What a worker can do."""

    PREVIEW = "preview"
    DEMO = "demo"
    ASSESS = "assess"
    PREDICT = "predict"
    RELEASE = "release"
    ATTACK = "attack"


class Stage(StrEnum):
    """The stages of tasks that do not depend on the method; those of a method are its own."""

    PREVIEW = "preview"
    READ = "read"
    ASSESS = "assess"
    SWEEP = "sweep"
    LOAD = "load"
    MEASURE = "measure"
    WRITE = "write"
    COMPARE = "compare"
    ATTACK = "attack"


_STAGES: dict[TaskName, tuple[Stage, ...]] = {
    TaskName.PREVIEW: (Stage.PREVIEW,),
    TaskName.DEMO: (Stage.PREVIEW,),
    TaskName.ASSESS: (Stage.READ, Stage.ASSESS),
    TaskName.PREDICT: (Stage.SWEEP,),
    TaskName.ATTACK: (Stage.LOAD, Stage.ATTACK),
}


def stages_for(name: TaskName, method_stages: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The stages of a task, in order; those of a release depend on its method.

    >>> stages_for(TaskName.RELEASE, ("shuffle",))
    ('load', 'shuffle', 'write', 'measure', 'compare')
    """
    if name is TaskName.RELEASE:
        stages = (Stage.LOAD, *method_stages, Stage.WRITE, Stage.MEASURE, Stage.COMPARE)
        return tuple(map(str, stages))
    return tuple(map(str, _STAGES[name]))


@dataclass
class Task:
    """One piece of work for a worker process; `options` are sent to it as JSON."""

    name: TaskName
    options: dict[str, Any]
    stages: tuple[str, ...]
    outputs: tuple[str, ...] = ()  # files, which a task that fails or is stopped must not leave behind
    stage: str = ""
    fraction: float = 0.0
    running: bool = False

    @property
    def in_background(self) -> bool:
        """Whether it is a background task."""
        return self.name is TaskName.PREDICT

    def update(self, stage: str, fraction: float) -> None:
        """Note how far it is."""
        self.stage, self.fraction = stage, fraction

    @property
    def total(self) -> float:
        """How much of the whole task is done, from 0 to 1."""
        done = self.stages.index(self.stage) if self.stage in self.stages else 0
        return min(1.0, (done + self.fraction) / len(self.stages))
