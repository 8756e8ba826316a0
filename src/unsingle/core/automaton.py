"""The minimal acyclic automaton (DAFSA) of a log's variants: paper Sect. III-A.

A state stands for all prefixes that can be continued in the same ways; a transition (source state,
activity, target state) for all events that share both their set of prefixes and of suffixes.

Built without a loop over events. The variants are sorted, so that equal prefixes are neighbours and
the prefix tree follows from the lengths of common prefixes. Two nodes of that tree are one state if
the same *set of suffixes* leads on from both; the set is summarised by the sum of its members' hashes,
which cumulative sums give for all nodes at once. A last pass proves the merge exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..errors import LogError
from .arrays import Ints, mix, mix_pair, offsets_of, positions, row_of, runs, take_rows
from .log import Activities, EventLog, Paths


@dataclass(frozen=True)
class Automaton:
    """Transition t goes from ``source[t]`` by ``activity[t]`` to ``target[t]``; state 0 is the initial one.

    Transitions are in order of source and activity. `words` is how many ways lead on from each state to an end;
    `of_path` gives the transition of every element of ``variants.path``.
    """

    n_states: int
    source: Ints
    activity: Activities
    target: Ints
    final: NDArray[np.bool_]
    words: Ints
    of_path: Ints

    @property
    def n_transitions(self) -> int:
        """Number of transitions."""
        return len(self.source)

    def of_events(self, log: EventLog) -> Ints:
        """The transition of every event of the log (the paper's state-annotated log)."""
        flat, _ = take_rows(log.variants.offsets, log.variants.of_case)
        return self.of_path[flat]

    def without_paths(self) -> Automaton:
        """The same without the transitions of any paths: to be sent to where others are read."""
        return replace(self, of_path=np.empty(0, dtype=np.int64))

    def __reduce__(self) -> tuple[Any, ...]:
        """Half as large on its way: few automata have states that do not fit 32 bits."""
        number = np.int32 if max(self.n_states, self.n_transitions, self.words.max()) < 2**31 else np.int64
        columns = (self.source, self.target, self.words, self.of_path)
        return _unpickled, (self.n_states, self.activity, self.final, *(each.astype(number) for each in columns))

    def reading(self, paths: Paths) -> Automaton:
        """The same automaton with the transitions of these paths, found by following each of them.

        Raises `LogError` if it does not accept one.
        """
        n_labels, keys = self._keys
        lengths = np.diff(paths.offsets)
        rows = np.argsort(-lengths, kind="stable")  # so that those still under way stand in front
        state = np.zeros(paths.count, dtype=np.int64)
        of_path = np.empty(len(paths.path), dtype=np.int64)
        under_way = paths.count - np.cumsum(np.bincount(lengths))
        for step, count in enumerate(under_way[:-1].tolist()):
            element = paths.offsets[rows[:count]] + step
            wanted = state[:count] * n_labels + paths.path[element]
            transition = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            if (keys[transition] != wanted).any() or paths.path[element].max() >= n_labels:
                raise LogError("a path is not among the variants: the log changed while it was read")
            of_path[element] = transition
            state[:count] = self.target[transition]
        if not self.final[state].all():
            raise LogError("a path ends where no variant does: the log changed while it was read")
        read = replace(self, of_path=of_path)
        read.__dict__.update(_keys=self._keys, _before=self._before)  # known already, and the same for all paths
        return read

    def numbers(self, paths: Paths) -> Ints:
        """The place of each of the paths that are read among all variants, in the order of their activities."""
        return np.add.reduceat(self._before[self.of_path], paths.offsets[:-1])

    @cached_property
    def _keys(self) -> tuple[int, Ints]:
        """More than the highest activity, and a number for the source and activity of each transition, ascending."""
        n_labels = int(self.activity.max()) + 1
        return n_labels, self.source * n_labels + self.activity

    @cached_property
    def _before(self) -> Ints:
        """How many variants come before those that take each transition, of all that reach its source.

        Those that leave it by a lesser activity, and the one that ends there.
        """
        ways, first = offsets_of(self.words[self.target]), runs(self.source)
        return ways[:-1] - np.repeat(ways[first[:-1]], np.diff(first)) + self.final[self.source]


def _unpickled(
    n_states: int, activity: Activities, final: NDArray[np.bool_], *columns: NDArray[np.integer]
) -> Automaton:
    source, target, words, of_path = (each.astype(np.int64) for each in columns)
    return Automaton(n_states, source, activity, target, final, words, of_path)


_KNOWN: WeakKeyDictionary[Paths, Automaton] = WeakKeyDictionary()


def build_automaton(variants: Paths) -> Automaton:
    """Build the minimal automaton that accepts exactly these variants; it is kept as long as they are."""
    if variants not in _KNOWN:
        _KNOWN[variants] = _built(variants)
    return _KNOWN[variants]


def _built(variants: Paths) -> Automaton:
    order = lexicographic_order(variants)
    flat, offsets = take_rows(variants.offsets, order)
    tree = _prefix_tree(variants.path[flat], offsets)
    state_of_node = _merge_equal_suffixes(tree)
    automaton = _quotient(tree, state_of_node)
    of_path = np.empty_like(automaton.of_path)
    of_path[flat] = automaton.of_path
    return replace(automaton, of_path=of_path)


@dataclass(frozen=True)
class _PrefixTree:
    """`node` has one entry per prefix of every sorted variant: its empty prefix first, its whole last."""

    path: Activities
    path_offsets: Ints
    node: Ints
    node_offsets: Ints

    @property
    def n_nodes(self) -> int:
        return int(self.node.max()) + 1

    @property
    def before(self) -> Ints:
        """The node that each element of `path` leaves."""
        return np.delete(self.node, self.node_offsets[1:] - 1)

    @property
    def after(self) -> Ints:
        """The node that each element of `path` reaches."""
        return np.delete(self.node, self.node_offsets[:-1])

    @property
    def last(self) -> Ints:
        """The node of each whole variant."""
        return self.node[self.node_offsets[1:] - 1]


def lexicographic_order(variants: Paths) -> Ints:
    """The numbers of the variants in the order of their activities."""
    width = ">u2" if variants.path.max() < 2**16 else ">u4"
    encoded = variants.path.astype(width)
    text, edges = encoded.tobytes(), (variants.offsets * encoded.itemsize).tolist()
    keys = [text[a:b] for a, b in pairwise(edges)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _common_prefix_lengths(path: Activities, offsets: Ints) -> Ints:
    """Length of the prefix that each row shares with the row before it (0 for the first)."""
    lengths = np.diff(offsets)
    shorter = np.minimum(lengths[1:], lengths[:-1])
    compared = offsets_of(shorter)
    place = positions(compared)
    differs = path[np.repeat(offsets[1:-1], shorter) + place] != path[np.repeat(offsets[:-2], shorter) + place]
    pair, where = row_of(compared)[differs], place[differs]
    common = np.concatenate(([0], shorter))
    np.minimum.at(common, pair + 1, where)
    return common


def _prefix_tree(path: Activities, offsets: Ints) -> _PrefixTree:
    common = _common_prefix_lengths(path, offsets)
    node_offsets = offsets + np.arange(len(offsets))
    is_new = positions(node_offsets) > np.repeat(common, np.diff(node_offsets))
    is_new[0] = True
    node = np.cumsum(is_new) - 1
    starts = node_offsets.tolist()
    for row, shared in enumerate(common.tolist()[1:], start=1):  # prefixes seen before: copy their numbers
        node[starts[row] : starts[row] + shared + 1] = node[starts[row - 1] : starts[row - 1] + shared + 1]
    return _PrefixTree(path, offsets, node, node_offsets)


def _merge_equal_suffixes(tree: _PrefixTree) -> Ints:
    for salt in range(64):
        digest = np.zeros(tree.n_nodes, dtype=np.uint64)
        np.add.at(digest, tree.node, mix(_suffix_hashes(tree, salt)))
        _, first, state = np.unique(digest, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))  # so that the root, node 0, is state 0
        state = rank[state]
        if _is_exact(tree, state):
            return state
    raise AssertionError("64 unrelated hashes collided")  # pragma: no cover


def _suffix_hashes(tree: _PrefixTree, salt: int) -> NDArray[np.uint64]:
    """A hash of what follows each prefix: the sum over its events of mix(activity, distance to the end)."""
    ends, rows = tree.path_offsets[1:], np.diff(tree.path_offsets)
    to_end = np.repeat(ends, rows) - np.arange(len(tree.path))
    total = np.zeros(len(tree.path) + 1, dtype=np.uint64)
    np.cumsum(mix_pair(tree.path, to_end, salt), out=total[1:])
    element = np.arange(len(tree.node)) - row_of(tree.node_offsets)
    return np.repeat(total[ends], rows + 1) - total[element]


def _is_exact(tree: _PrefixTree, state: Ints) -> bool:
    """Whether merged nodes really have equal continuations.

    Leaves are equal; and if all nodes of a state agree on being final and on (activity, next state) of
    every branch, then by induction from the leaves up they have the same suffixes.
    """
    ends_here = np.zeros(tree.n_nodes, dtype=np.bool_)
    ends_here[tree.last] = True
    n_states = int(state.max()) + 1
    members = np.bincount(state, minlength=n_states)
    finals = np.bincount(state, weights=ends_here, minlength=n_states)
    if ((finals != 0) & (finals != members)).any():
        return False
    child, index = np.unique(tree.after, return_index=True)  # each node but the root has one incoming edge
    parent, activity = tree.before[index], tree.path[index]
    branches = _distinct_rows(state[parent], activity, state[child])
    branches_of_state = np.bincount(branches[0], minlength=n_states)
    branches_of_node = np.bincount(parent, minlength=tree.n_nodes)
    return bool((branches_of_node == branches_of_state[state]).all())


def _distinct_rows(*columns: NDArray[np.integer]) -> list[NDArray[np.integer]]:
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in ordered])
    return [column[fresh] for column in ordered]


def _quotient(tree: _PrefixTree, state: Ints) -> Automaton:
    n_states = int(state.max()) + 1
    n_labels = int(tree.path.max()) + 1
    # a deterministic automaton: source and activity decide the target
    key = state[tree.before] * n_labels + tree.path
    _, first, of_path = np.unique(key, return_index=True, return_inverse=True)
    final = np.zeros(n_states, dtype=np.bool_)
    final[state[tree.last]] = True
    words = np.empty(n_states, dtype=np.int64)
    words[state] = np.bincount(tree.node)  # each variant through a node is a way on from it
    source, target = state[tree.before][first], state[tree.after][first]
    return Automaton(n_states, source, tree.path[first], target, final, words, of_path)
