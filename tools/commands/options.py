"""Options and arguments that several subcommands have."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click
from attrs import evolve, frozen

from mqclause.executors.course import without_chaining
from mqclause.executors.run import ExecutorName
from mqclause.model.diagnostic import Diagnostic, DomainError, FactsError, visible
from mqclause.model.facts.cluster import Cluster
from mqclause.model.facts.objects import Put
from mqclause.model.readers.container import Gunzipped
from mqclause.model.readers.content import LARGE, LONGEST_LINE, PIECE, Content, InFile, InMemory, opened
from mqclause.rulebook.errors import ReadingError
from mqclause.rulebook.rules import Rules
from mqclause.tools.commands.own_rules import FOLDER, keep_folder, own_rules
from mqclause.tools.errors import NothingAskedError
from mqclause.tools.render.progress import progress


class MqWord(click.Choice):  # type: ignore[type-arg] # it is generic from click 8.2 on
    """A word of MQ's, in any letter case; those that are allowed are shown as MQ has them."""

    def __init__(self, *words: str) -> None:
        super().__init__(words, case_sensitive=False)

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's signature
        """The word in upper case."""
        return str(choice).upper()


def unpadded(name: str) -> str:
    """A name of MQ's, or the beginning of one, without the blanks that pad it."""
    return name.rstrip(" ")


def file_name(name: str) -> str:
    """The name of a file or a folder: a blank one is none, and not the working directory. Raises BadParameter."""
    if not name:
        raise click.BadParameter("'' is not a file name")
    return name


facts_argument = click.argument("facts", nargs=-1, type=file_name)
"""FACTS, as many files as there are."""

BIND_WORD = MqWord("OPEN", "NOTFIXED", "GROUP", "AS_Q_DEF")
CALL_WORD = MqWord("MQOPEN", "MQPUT", "MQPUT1")
PUT_KEYS = ("queue", "queue_manager", "bind", "call", "from_cluster_channel")

reading_option = click.option(
    "--reading", "readings", multiple=True, metavar="ID=CHOICE", help="Read a clause another way."
)


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which rules count: the edition of the documents, and a folder in place of our own."""
    for option in (
        click.option("--rules", type=file_name, metavar="FOLDER", callback=keep_folder, expose_value=False,
                     help="Rule files of your own in place of those that come with mqclause."),
        click.option("--edition", metavar="NAME",
                     help="The edition of MQ whose documents count, as mq-9.3; auto, the default, goes by CMDLEVEL."),
    ):  # fmt: skip
        command = option(command)
    return command


json_option = click.option("--json", "as_json", is_flag=True, help="JSON in place of text.")


def put_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that describe the put; each overrides what the facts say."""
    for option in (
        click.option("--from-cluster-channel", is_flag=True, default=None,
                     help="The message came over a cluster channel, not from an application."),
        click.option("--call", type=CALL_WORD, help="The MQI call."),
        click.option("--bind", type=BIND_WORD, help="Its binding."),
        click.option("--to-queue-manager", "queue_manager", metavar="QMGR", help="Name a queue manager or alias."),
        click.option("--put", "queue", metavar="QUEUE", help="Name the queue that is put to."),
    ):  # fmt: skip
        command = option(command)
    return command


def rules_by(given: tuple[str, ...], edition: str | None = None) -> Rules:
    """The rules under the readings, of the edition and in the folder that the options name.

    Raises ReadingError, and FactsError for what is wrong with any file of a folder.
    """
    chosen = {}
    for text in given:
        name, equals, choice = text.partition("=")
        if not equals:
            raise ReadingError(f"--reading {text!r} is not ID=CHOICE")
        chosen[name] = choice
    folder: str | None = click.get_current_context().meta.get(FOLDER)
    return Rules(chosen, edition) if folder is None else own_rules(folder, chosen, edition)


def only_lines(others: tuple[str, ...]) -> None:
    """Raises UsageError if facts are named beside --lines."""
    if others:
        raise click.UsageError("--lines takes its facts from its own file; name no other")


def content(name: str) -> bytes | Content:
    """What is in a file, or what reads a large one; - is standard input. Raises ClickException."""
    with _opened(name) as file:
        try:
            data = file.read(LARGE + 1)
            return data if len(data) <= LARGE else _large(name, file, data)
        except OSError as error:
            raise _unreadable(name, error) from None


def _large(name: str, file: BinaryIO, begun: bytes) -> Content:
    """What reads the file once more, or what was read of a pipe, which is kept packed."""
    if os.path.isfile(name):
        return FollowedFile(Path(name))
    packer = zlib.compressobj(level=1, wbits=31)
    packed = [packer.compress(begun)]
    while piece := file.read(PIECE):
        packed.append(packer.compress(piece))
    return Gunzipped(InMemory(b"".join([*packed, packer.flush()])), name)


@frozen(eq=False)
class FollowedFile(InFile):
    """A large file; a bar on a terminal says how far it is read."""

    def pieces(self) -> Iterator[bytes]:
        """As of Content."""
        size, read = self.path.stat().st_size, 0
        with progress(lambda: read / size, f"reading {self.path.name}"):
            for piece in super().pieces():
                yield piece
                read += len(piece)


def content_lines(name: str) -> Iterator[bytes]:
    """The lines of a file; - is standard input. Raises ClickException."""
    with _opened(name) as file:
        try:
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise click.ClickException(f"{visible(name)}: has a line of more than {LONGEST_LINE >> 20} MB")
                yield line
        except OSError as error:
            raise _unreadable(name, error) from None


def _opened(name: str) -> BinaryIO:
    if name == "-":
        if sys.stdin is None:
            raise click.ClickException("-: standard input is closed")
        if sys.stdin.closed:  # As the first one that read it has left it.
            raise click.ClickException("-: standard input is named twice; allowed: once")
        return sys.stdin.buffer
    try:
        return opened(name)
    except OSError as error:
        raise _unreadable(name, error) from None
    except ValueError:
        raise click.ClickException(f"{name!r} is not a file name") from None


def _unreadable(name: str, error: OSError) -> click.ClickException:
    return click.ClickException(f"{visible(name)}: {(error.strerror or 'cannot be read').lower()}")


def explaining_executor() -> ExecutorName:
    """The executor that explains: chaining, or plain where durable_rules is not to be had, which a line says."""
    lacking = without_chaining()
    if not lacking:
        return "chaining"
    print(f"{lacking}: explained by the plain executor instead of by chaining", file=sys.stderr)  # noqa: T201
    return "plain"


def asked_put(
    given: Put | None, asked: Mapping[str, Any], cluster: Cluster | None = None, source: str | None = None
) -> Put:
    """The put of the facts with what was asked for in its place; ``source`` is where it would stand.

    Raises NothingAskedError and FactsError.
    """
    changed: dict[str, Any] = dict(asked)
    try:
        put = evolve(given or Put(), **changed) if changed or given is None else given
    except DomainError as error:
        raise FactsError([Diagnostic("put", str(error))]) from None
    if not (put.queue or put.queue_manager):
        how = "name a queue with --put, or give a [put] table with queue or queue_manager"
        place = f"{source}: " if source else ""
        raise NothingAskedError(f"{place}no put: {how}{_queues(cluster)}")
    return put


def _queues(cluster: Cluster | None) -> str:
    if cluster is None:
        return ""
    names = [name for name in cluster.queues_by_name if not name.startswith("SYSTEM.")]
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"; queues in the facts: {shown}" if names else ""
