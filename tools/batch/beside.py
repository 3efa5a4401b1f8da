"""The folder beside OUT in which a run works, and those that runs left which were killed.

A run holds the lock of its folder for as long as it lives, and whoever gets the lock of another knows that nobody is
there any more.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mqclause.tools.errors import BatchError
from mqclause.tools.render.streams import print_warnings

try:
    import fcntl
except ImportError:  # Windows has none: nothing is known of other runs there, and nothing is removed.
    fcntl = None  # type: ignore[assignment]

LOCK = "mqclause.lock"
OLD = "old"
"""Where the folder has what OUT was, for the moment in which another one takes its place."""


@contextmanager
def folder_beside(out: Path) -> Iterator[Path]:
    """A folder of its own, on the same file system, that is gone in the end with all that is in it.

    What runs for the same OUT left that were killed is removed, which a line tells.
    """
    try:
        _remove_what_is_left(out)
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        lock = _hold(folder)
    except OSError as error:
        raise BatchError(f"{out.parent}: {(error.strerror or 'cannot be written').lower()}") from None
    try:
        yield folder
    finally:
        _remove(folder)
        if lock is not None:
            os.close(lock)


def _hold(folder: Path) -> int | None:
    """The lock of the folder, which is held before it can be seen; None where there are no locks."""
    if fcntl is None:
        return None
    begun = folder / f"{LOCK}.begun"
    lock = os.open(begun, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    with suppress(OSError):  # A file system that knows no locks tells nobody that the run has ended.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        begun.rename(folder / LOCK)
    return lock


def _remove_what_is_left(out: Path) -> None:
    """Removes the folders of runs for ``out`` that are no more, and puts back what one of them had put aside."""
    form = re.compile(rf"\.{re.escape(out.name)}\.[a-z0-9_]{{8}}")
    removed, back = [], False
    for folder in sorted(each for each in out.parent.iterdir() if form.fullmatch(each.name)):
        with _without_owner(folder) as is_left:
            if is_left:
                back = _put_back(folder / OLD, out) or back
                _remove(folder)
                removed.append(folder)
    if removed:
        names = ", ".join(each.name for each in removed)
        still = "" if not any(each.exists() for each in removed) else "; some of it cannot be removed"
        was = "; what was there before is back" if back else ""
        print_warnings((), [f"{out}: what a run that was killed had left beside it is removed: {names}{was}{still}"])


@contextmanager
def _without_owner(folder: Path) -> Iterator[bool]:
    """Whether a folder is one of a run that is no more; in the body nobody else can take it for one."""
    lock = None
    try:
        is_left = False
        with suppress(OSError):
            is_ours = stat.S_ISDIR(folder.lstat().st_mode) and stat.S_ISREG((folder / LOCK).lstat().st_mode)
            if fcntl is not None and is_ours:
                lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Somebody else may have removed it before.
                is_left = os.path.samestat(os.fstat(lock), (folder / LOCK).lstat())
        yield is_left
    finally:
        if lock is not None:
            os.close(lock)


def _put_back(old: Path, out: Path) -> bool:
    """Has what was put aside under its name again, if nothing has that. A run may end in this very moment."""
    with suppress(OSError):
        if old.is_symlink() or os.path.lexists(out):
            return False
        if old.is_dir():
            old.rename(out)  # which fails where a folder has come that is not empty, or a file
        else:
            os.link(old, out)
        return True
    return False


def _remove(folder: Path) -> None:
    """Removes a folder, its lock last: what cannot be removed now is told, and removed, by the next run."""
    with suppress(OSError):
        for each in folder.iterdir():
            if each.name == LOCK:
                continue
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)
        if all(each.name == LOCK for each in folder.iterdir()):
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()
