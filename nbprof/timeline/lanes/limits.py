"""Limits the number of lanes and groups: those beyond a limit are merged, so no slice is lost.

A trace may have a hundred thousand threads, more lanes than can be sent or read. Each group keeps
its first lanes, and one lane holds the slices of the others. Groups are merged in the same way.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.model.names.short_names import middle_cut
from nbprof.timeline.lanes.lanes import Group, Lane

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    Codes = npt.NDArray[np.int32]

#: Maximum number of groups and of lanes; a layout with so many takes about 2 MB.
MOST_GROUPS: Final = 1500
MOST_LANES: Final = 8000
#: Limit for threads and streams.
MOST_THREADS: Final = 4000

#: Maximum bytes of all lanes in a message.
_MOST_BYTES: Final = 2_000_000

#: Maximum characters of a label, and of a key; keys are not shown.
_LABEL: Final = 200
_KEY: Final = 300

#: Suffix of the keys of merged lanes and groups, and the text beside their names.
_REST: Final = "rest"
_MERGED: Final = "merged; search finds each of their slices"
_PLURALS: Final = {"process": "processes"}


def short_key(key: str) -> str:
    """Return a key; a long one is cut, with a suffix that keeps it distinct."""
    if len(key) <= _KEY:
        return key
    rest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return f"{key[: _KEY // 2]}#{rest}"


def shares(sizes: Sequence[int], most: int) -> list[int]:
    """Return how many items of each part to keep, so that at most `most` are kept in total.

    Small parts are kept whole, and all large parts keep the same number.
    """
    kept = [0] * len(sizes)
    left = most
    order = sorted(range(len(sizes)), key=lambda at: sizes[at])
    for done, at in enumerate(order):
        kept[at] = min(sizes[at], max(left // (len(sizes) - done), 1))
        left -= kept[at]
    return kept


def limited(
    groups: Sequence[Group], lanes: Sequence[Lane], lane: Codes
) -> tuple[list[Group], list[Lane], Codes]:
    """Merge groups and lanes beyond the limits; return them with the new lane of every slice.

    Parameters
    ----------
    groups, lanes : sequence of Group, of Lane
        In screen order, lanes of a group consecutive.
    lane : ndarray of int32, shape (slices,)
        Index into `lanes`, -1 for slices that are not shown.
    """
    groups = [_short_group(group) for group in groups]
    lanes = [_short_lane(one) for one in lanes]
    most = min(_most_lanes(lanes), MOST_LANES)
    if len(lanes) <= most and len(groups) <= MOST_GROUPS:
        return groups, lanes, lane
    counts = np.bincount(lane[lane >= 0], minlength=len(lanes)).tolist()
    home = _homes(groups, lanes, counts)
    members: dict[str, list[int]] = {}
    for at, one in enumerate(lanes):
        members.setdefault(home[one.group], []).append(at)
    own = {group.key for group in groups}
    # all lanes of merged groups become one
    sizes = [len(ats) if key in own else 1 for key, ats in members.items()]
    kept_groups = [group for group in groups if home[group.key] == group.key]
    kept_groups += [_merged_group(key, home) for key in members if key not in own]
    kept: list[Lane] = []
    number = np.full(len(lanes) + 1, -1, np.int32)
    for (key, ats), room in zip(members.items(), shares(sizes, most), strict=True):
        alone = _separate_lanes(lanes, counts, ats, room if key in own else 1)
        number[alone] = np.arange(len(alone)) + len(kept)
        kept += [lanes[at] for at in alone]
        others = sorted(set(ats) - set(alone))
        if others:
            number[others] = len(kept)
            kept.append(_merged_lane(key, [lanes[at] for at in others]))
    order = {group.key: at for at, group in enumerate(kept_groups)}
    by_group = sorted(range(len(kept)), key=lambda at: order[kept[at].group])
    place = np.full(len(kept) + 1, -1, np.int32)
    place[by_group] = np.arange(len(kept))
    return kept_groups, [kept[at] for at in by_group], place[number[lane]]


def _most_lanes(lanes: Sequence[Lane]) -> int:
    """Return the maximum number of lanes, given their kind and their size in a message."""
    if all(lane.kind != "module" for lane in lanes):
        return MOST_THREADS
    some = lanes[:: len(lanes) // 1000 + 1]
    return len(some) * _MOST_BYTES // len(json.dumps([asdict(lane) for lane in some]))


def _homes(groups: Sequence[Group], lanes: Sequence[Lane], counts: Sequence[int]) -> dict[str, str]:
    """Return by group the group that shows its lanes: itself, or the merged one of its kind."""
    slices = {group.key: 0 for group in groups}
    for lane, found in zip(lanes, counts, strict=True):
        slices[lane.group] += found
    by_kind: dict[str, list[str]] = {}
    for group in groups:
        by_kind.setdefault(group.key.partition(":")[0], []).append(group.key)
    home = {group.key: group.key for group in groups}
    rooms = shares([len(keys) for keys in by_kind.values()], MOST_GROUPS)
    for (kind, keys), room in zip(by_kind.items(), rooms, strict=True):
        if len(keys) > room:
            keys.sort(key=lambda key: -slices[key])
            home.update(dict.fromkeys(keys[room - 1 :], f"{kind}:{_REST}"))
    return home


def _merged_group(key: str, home: Mapping[str, str]) -> Group:
    """Return the group that holds the lanes of merged groups."""
    kind = key.partition(":")[0]
    many = sum(shown == key for shown in home.values())
    return Group(key, f"{many:,} more {_PLURALS.get(kind, f'{kind}s')}", _MERGED)


def _separate_lanes(
    lanes: Sequence[Lane], counts: Sequence[int], ats: list[int], room: int
) -> list[int]:
    """Return which lanes of a group stay separate: all, or one less than there is room for.

    Threads are sorted by importance; of streams and modules, those with most slices stay.
    """
    if len(ats) <= room:
        return ats
    if lanes[ats[0]].kind != "thread":
        ats = sorted(ats, key=lambda at: -counts[at])
    return sorted(ats[: room - 1])


def _merged_lane(group: str, lanes: Sequence[Lane]) -> Lane:
    """Return the lane that holds the slices of several lanes."""
    kinds = {lane.kind for lane in lanes}
    places = {(lane.device, lane.stream, lane.tid) for lane in lanes}
    word = lanes[0].kind if len(kinds) == 1 and len(places) == len(lanes) else "lane"
    devices = {lane.device for lane in lanes}
    return Lane(
        key=f"{group}:{_REST}",
        group=group,
        label=f"{len(lanes):,} more {word}s",
        detail=_MERGED,
        kind=lanes[0].kind,
        device=devices.pop() if len(devices) == 1 else None,
        folded="merged row",
    )


def _short_group(group: Group) -> Group:
    if max(len(group.key), len(group.label), len(group.detail)) <= _LABEL:
        return group
    label, detail = middle_cut(group.label, _LABEL), middle_cut(group.detail, _LABEL)
    return replace(group, key=short_key(group.key), label=label, detail=detail)


def _short_lane(lane: Lane) -> Lane:
    if max(len(lane.key), len(lane.group), len(lane.label), len(lane.detail)) <= _LABEL:
        return lane
    key, group = short_key(lane.key), short_key(lane.group)
    label, detail = middle_cut(lane.label, _LABEL), middle_cut(lane.detail, _LABEL)
    return replace(lane, key=key, group=group, label=label, detail=detail)
