"""A program of its own that discovers a model with PM4Py, and prints how well it fits other cases.

    python bench/pm4py_model.py LEARNT_FROM.csv TRIED_ON.csv

Prints one JSON object: fitness and precision by token-based replay of the inductive miner's model.
"""

from __future__ import annotations

import json
import os
import sys

NOISE = 0.2


def main(learnt: str, tried: str) -> None:
    os.environ["TQDM_DISABLE"] = "1"
    import pandas as pd
    import pm4py

    def read(path: str) -> pd.DataFrame:
        frame = pd.read_csv(path, dtype=str)
        frame["time:timestamp"] = pd.to_datetime(frame["time:timestamp"], utc=True, format="ISO8601")
        return frame

    net = pm4py.discover_petri_net_inductive(read(learnt), noise_threshold=NOISE)
    cases = read(tried)
    fitness = pm4py.fitness_token_based_replay(cases, *net)["log_fitness"]
    print(json.dumps({"fitness": fitness, "precision": pm4py.precision_token_based_replay(cases, *net)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
