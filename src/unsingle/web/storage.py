"""Storage: a folder for each job, which no other user may enter and which is always removed.

All servers of a user share one folder. Each server has a folder in it with a lock that the system releases when the
process ends. A folder whose lock nobody holds was left by a crash, and the next server removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import time
from pathlib import Path
from typing import BinaryIO

from ..errors import OutputError
from ..privacy.random import unguessable

_LOCK, _UNLOCKED = "lock", ".new-"
_LOCK_TIME = 60  # seconds within which a new server has locked its folder for sure


class Storage:
    """The folder of one server, and in it the folders of its jobs."""

    def __init__(self, parent: Path) -> None:
        shared = private_folder(parent / f"unsingle-serve-{os.getuid()}")
        _remove_abandoned(shared)
        name = unguessable()
        unlocked = shared / f"{_UNLOCKED}{name}"  # its own name comes after the lock, so nobody takes it for abandoned
        unlocked.mkdir(mode=0o700)
        self._lock: BinaryIO = (unlocked / _LOCK).open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.folder = unlocked.rename(shared / name)

    def create(self, name: str) -> Path:
        """Create an empty folder."""
        path = self.folder / name
        path.mkdir(mode=0o700)
        return path

    def free_bytes(self) -> int:
        """How much space is left on the disk."""
        return shutil.disk_usage(self.folder).free

    def close(self) -> None:
        """Remove everything."""
        remove(self.folder)
        self._lock.close()


def remove(folder: Path) -> None:
    """Remove a folder and its contents; a process that is being killed may still write a file, so try again."""
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def private_folder(path: Path) -> Path:
    """Create the folder if needed; refuse one that other users may enter, or that another user created."""
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise OutputError(f"{path}: is open to other users of this machine: remove it, or set TMPDIR to another folder")
    return path


def _remove_abandoned(shared: Path) -> None:
    """Remove the folders of servers that crashed."""
    for folder in shared.iterdir():
        try:
            if not folder.name.startswith(_UNLOCKED):
                with (folder / _LOCK).open("rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(folder)
            elif time.time() - folder.stat().st_mtime > _LOCK_TIME:
                remove(folder)
        except BlockingIOError:  # its server is running
            continue
        except FileNotFoundError:  # it has no lock, or another server removed it just now
            remove(folder)
