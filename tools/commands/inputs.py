"""What the arguments FACTS name: files, folders, patterns, standard input, and whose a file is."""

from __future__ import annotations

from collections.abc import Iterator
from glob import glob, has_magic
from pathlib import Path

import click

from mqclause.model.assembly.snapshot import Source
from mqclause.tools.commands.options import content


def sources(names: tuple[str, ...]) -> list[Source]:
    """The files that are named, ``-`` for standard input, ``QM1=FILE`` for a file of the queue manager QM1.

    A folder stands for every file in it, a pattern that no shell expanded for every file that fits.
    Raises ClickException.
    """
    if not names:
        raise click.UsageError("name at least one file with facts (or - for standard input); see --help")
    return [source for name in names for source in _named(name)]


def _named(name: str) -> Iterator[Source]:
    owner, equals, path = name.partition("=")
    if not equals or Path(name).exists():
        owner, path = "", name
    if Path(path).is_dir():
        found = sorted(each for each in Path(path).rglob("*") if each.is_file() and not _is_hidden(each, Path(path)))
    elif path != "-" and has_magic(path) and not Path(path).exists():
        found = sorted(each for each in map(Path, glob(path, recursive=True)) if each.is_file())
    else:
        yield Source(path, content(path), owner)
        return
    if owner:
        raise click.ClickException(f"{name}: allowed behind {owner}= is one file")
    if not found:
        raise click.ClickException(f"{path}: no file is there")
    for each in found:
        yield Source(str(each), content(str(each)), found=True)


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)
