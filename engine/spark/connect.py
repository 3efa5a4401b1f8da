"""The Connect server of a local session: the port that it listens on, and a client that asks there."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

PORT = "spark.connect.grpc.binding.port"
HIGHEST_PORT = 65_535
LOOPBACK = "127.0.0.1"

SERVER: Mapping[str, str] = {PORT: "0", "spark.connect.grpc.binding.address": LOOPBACK}
"""The settings of a server that takes a free port."""

_SERVICE = "org.apache.spark.sql.connect.service.SparkConnectService$"


class PortError(RuntimeError):
    """A Connect server cannot listen on the port that it is given; one line."""


def served(settings: Mapping[str, str]) -> AbstractContextManager[None]:
    """What a session with these settings is to be made in. Raises ValueError and PortError if it asks for a server."""
    if settings["spark.api.mode"] != "connect":
        return nullcontext()
    _check_port(settings)
    return _asked_where_it_listens()


def _check_port(settings: Mapping[str, str]) -> None:
    """Raises ValueError for what is no port, and PortError for one that a new server could not listen on.

    Spark tries it only when most of it has been started, and then tells it by a Java stack.
    """
    given = settings[PORT]
    if not (given.isascii() and given.isdecimal() and int(given) <= HIGHEST_PORT):
        raise ValueError(f"{PORT} = {given!r}; allowed: 1 to {HIGHEST_PORT}, or 0 for one that is free")
    if "SPARK_LOCAL_REMOTE" in os.environ:  # Spark's own sign that this process has a server
        return
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((LOOPBACK, int(given)))
        except OSError as error:
            raise PortError(f"{PORT} = {given}: {error.strerror}; without it a free one is taken") from error


@contextmanager
def _asked_where_it_listens() -> Iterator[None]:
    """Has clients that are made meanwhile ask this process's server on the port that it has.

    Spark's own look for it on the default one.
    """
    from pyspark import SparkContext
    from pyspark.sql.connect.client import DefaultChannelBuilder

    def port() -> int:
        service = getattr(SparkContext._jvm, _SERVICE)
        return int(getattr(service, "MODULE$").localPort())

    usual = vars(DefaultChannelBuilder)["default_port"]
    DefaultChannelBuilder.default_port = staticmethod(port)  # type: ignore[method-assign]
    try:
        yield
    finally:
        DefaultChannelBuilder.default_port = usual  # type: ignore[method-assign]
