"""Where logs lie while they are worked on: a folder for each, which nobody else may enter, and which is always removed.

All servers of a user share one folder; each has a folder in it with a lock that ends with its process. What lies in a
folder without a living lock was left by a crash.
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
from ..randomness import unguessable

_LOCK, _UNSEEN = "lock", ".new-"
_LONG = 60  # seconds, in which a lock is got for sure


class Folders:
    """The folder of one server, and those of its jobs."""

    def __init__(self, parent: Path) -> None:
        self._home = _own_folder(parent / f"unsingle-serve-{os.getuid()}")
        _remove_abandoned(self._home)
        name = unguessable()
        unseen = self._home / f"{_UNSEEN}{name}"  # until it has its lock
        unseen.mkdir(mode=0o700)
        self._lock: BinaryIO = (unseen / _LOCK).open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.folder = unseen.rename(self._home / name)

    def new(self, name: str) -> Path:
        """A new, empty folder."""
        path = self.folder / name
        path.mkdir(mode=0o700)
        return path

    def free(self) -> int:
        """Bytes that are free on the disk."""
        return shutil.disk_usage(self.folder).free

    def close(self) -> None:
        """Remove everything."""
        remove(self.folder)
        self._lock.close()


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it; while a process still ends, something new may appear once."""
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _own_folder(path: Path) -> Path:
    """The folder, made if it is not there; refused if others may enter it or put it there."""
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise OutputError(f"{path}: is open to other users of this machine: remove it, or set TMPDIR to another folder")
    return path


def _remove_abandoned(home: Path) -> None:
    """Remove what servers left that did not end in order."""
    for folder in home.iterdir():
        try:
            if not folder.name.startswith(_UNSEEN):
                with (folder / _LOCK).open("rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(folder)
            elif time.time() - folder.stat().st_mtime > _LONG:
                remove(folder)
        except BlockingIOError:  # its server lives
            continue
        except FileNotFoundError:  # it lost its lock, or was removed just now
            remove(folder)
