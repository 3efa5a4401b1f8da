"""Run the command rulebook: a site of HTML pages of what the rules state."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from mqclause.audit.case_run import count_processors, find_case_files
from mqclause.executors.pipeline import NotInstalledError
from mqclause.render.terminal import show_progress
from mqclause.tools.commands.options import load_rules
from mqclause.tools.errors import NotWrittenError

MADE_AT = "SOURCE_DATE_EPOCH"
"""The environment variable with the second at which a build that is to be repeated is said to be made."""


def write_rulebook(out: str, cases: str | None) -> int:
    """Write the site and say what is in it. Raises CaseError, ClickException, FactsError and NotInstalledError."""
    try:
        from mqclause.tools.rulebook.account import gather_rulebook
        from mqclause.tools.rulebook.site import Made, Site, write_site
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "markupsafe", "pygments"):
            raise
        raise NotInstalledError("a rulebook needs Jinja2 and Pygments: pip install 'mqclause[rulebook]'") from None
    place, folder = Path(out), Path(cases) if cases else None
    _check_folder(place)
    on = _made_at()
    rules, done = load_rules(()), 0
    paths = find_case_files((), folder)

    def count() -> None:
        nonlocal done
        done += 1

    with show_progress(lambda: done / len(paths), "trying mutants"):
        book = gather_rulebook(rules, paths, folder, count_processors(), count)
    site = Site(book, Made.of(rules, version("mqclause"), on))
    try:
        written = write_site(site, place)
    except OSError as error:
        raise NotWrittenError(f"{error.filename or out}: {(error.strerror or 'cannot be written').lower()}") from None
    failed = sum(bool(each.wrong) for each in book.cases)
    sentences = sum(len(each.sentences) for each in book.documents)
    click.echo(f"{place / 'index.html'}: {sentences} sentences, {len(book.by_id)} rules, {failed} cases failed, "
               f"{book.mutants['survived']} mutants survived; {written} files")  # fmt: skip
    return 0


def _check_folder(out: Path) -> None:
    """Raises ClickException unless the folder is not there yet, or empty."""
    try:
        is_taken = out.exists() and (not out.is_dir() or any(out.iterdir()))
    except OSError as error:
        raise click.ClickException(f"{out}: {(error.strerror or 'cannot be read').lower()}") from None
    if is_taken:
        raise click.ClickException(f"{out}: is not empty; allowed: a folder that is not there, or an empty one")


def _made_at() -> datetime | None:
    """The time that the environment gives. Raises UsageError for one that is none."""
    given = os.environ.get(MADE_AT)
    if given is None:
        return None
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"{MADE_AT}={given!r} is not a number of seconds since 1970") from None
