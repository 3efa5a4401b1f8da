"""The options that give cluster workload exits: ``--exit NAME=MODULE:FUNCTION`` and ``--exit-limit``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import click

from mqclause.exits.process import Exit
from mqclause.exits.session import Exits, does_nothing_yet
from mqclause.model.diagnostic import name_suggestion
from mqclause.tools.render.streams import print_warnings

FORM = "NAME=MODULE:FUNCTION"


def exit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds both options; the command gets them as ``exits`` and ``exit_limit``, for ``given_exits``."""
    for option in (
        click.option("--exit-limit", metavar="SECONDS", show_default="what the rules of exits say",
                     help="How long one call of an exit may take."),
        click.option("--exit", "exits", multiple=True, metavar=FORM,
                     help="Call this Python function where CLWLEXIT(NAME) would be called."),
    ):  # fmt: skip
        command = option(command)
    return command


def given_exits(exits: tuple[str, ...], exit_limit: str | None) -> Exits:
    """The functions that the options name. Raises UsageError."""
    found: dict[str, Exit] = {}
    for text in exits:
        name, _, place = text.rpartition("=")
        module, colon, function = place.partition(":")
        if not (name.strip(" ") and module and colon and function):
            raise click.UsageError(f"--exit {text!r} is not {FORM}; NAME is that in CLWLEXIT")
        if name in found:
            raise click.UsageError(f"--exit {text!r}: an exit {name!r} is given already")
        found[name] = _function(text, module, function)
    try:
        return Exits(found, None if exit_limit is None else float(exit_limit))
    except (TypeError, ValueError) as error:
        said = str(error) if str(error).startswith("exits") else "is not allowed; allowed: a number of seconds above 0"
        raise click.UsageError(f"--exit-limit {exit_limit!r} {said}") from None


def print_not_named(given: Exits, named: Iterable[str]) -> None:
    """Tells of each exit that is given and not called, because CLWLEXIT is none but the names ``named``."""
    names = [each for each in dict.fromkeys(named) if each]
    is_now = f"CLWLEXIT is {' or '.join(map(repr, names)) or 'blank'}"
    meant = [each for each in names if each not in given.names]
    others = (each for each in given.names if each not in names)
    print_warnings((), [f"the exit {each!r} is not called: {is_now}{_meant(each, meant)}" for each in others])


def _meant(name: str, named: Sequence[str]) -> str:
    """What CLWLEXIT could have been meant to be; MQSC makes capitals of a name without quotes."""
    return f"; quote it in MQSC: CLWLEXIT('{name}')" if name.upper() in named else name_suggestion(name, named)


def _function(text: str, module: str, function: str) -> Exit:
    """The function of a module, which may lie in the working folder. Raises UsageError."""
    here = str(Path.cwd())
    if here not in sys.path and module.partition(".")[0] != __name__.partition(".")[0]:
        # Behind all others: what lies in the folder must not stand for a library.
        sys.path.append(here)
    try:
        with redirect_stdout(sys.stderr):
            found: Any = import_module(module)
        for part in function.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # a module may raise what it likes
        said = " ".join(f"{type(error).__name__}: {error}".split())
        hint = f"; a module goes without .py: {module.removesuffix('.py')}" if module.endswith(".py") else ""
        raise click.UsageError(f"--exit {text!r}: {said}{hint}") from None
    if not callable(found):
        raise click.UsageError(f"--exit {text!r}: {function} of {module} cannot be called; an exit takes one MQWXP")
    if does_nothing_yet(found):
        raise click.UsageError(
            f"--exit {text!r}: {function} of {module} is a coroutine or a generator: a call does nothing"
        )
    takes = _takes(found)
    if takes:
        raise click.UsageError(f"--exit {text!r}: {function}{takes} of {module} does not take one MQWXP alone")
    made: Exit = found
    return made


def _takes(function: Callable[..., Any]) -> str:
    """The parameters of a function, if it cannot be called with one value; blank if it can, or if nobody knows."""
    try:
        parameters = signature(function)
    except (TypeError, ValueError):
        return ""  # of some that are written in C
    try:
        parameters.bind(None)
    except TypeError:
        return str(parameters)
    return ""
