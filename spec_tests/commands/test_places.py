"""Where people work: the steps of the action in a repository of their own, the hooks as pre-commit runs them, the image."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from spec_tests.support.explain_command import run
from spec_tests.support.product import ROOT, pyproject

SCRIPTS = ROOT / "tools" / "action"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = {each["id"]: each for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
PROGRAM = Path(sys.executable).with_name("mqclause")
PRE_COMMIT = shutil.which("pre-commit", path=f"{PROGRAM.parent}:{os.environ['PATH']}")

OF_THE_RUNNER = {"RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_ACTION_PATH"}
"""What every step finds in its environment."""

MEMBER = """* Queue manager name: {0}
DEFINE CHANNEL(TO.{0}) CHLTYPE(CLUSRCVR) CLUSTER(PARCELS) CONNAME('{0}(1414)') BATCHHB(1000)
ALTER QMGR REPOS(PARCELS)
"""
SORTED = "DEFINE QLOCAL(SORTED) CLUSTER(PARCELS) DEFBIND(NOTFIXED)\n"


class Repository:
    """A repository with the configuration of QM1, QM2 and QM3 in a folder, and a place where a runner keeps its files."""

    def __init__(self, folder: Path, of: str = "config") -> None:
        self.root, self.of = folder / "repository", folder / "repository" / of
        self.temporary = folder / "runner"
        self.temporary.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "MQCLAUSE": str(PROGRAM), "FOLDER": of, "FAIL_ON": "error",
            "RUNNER_TEMP": str(self.temporary), "GITHUB_OUTPUT": str(folder / "output"), "GIT_CONFIG_NOSYSTEM": "1",
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            **{f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }  # fmt: skip
        self.of.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        for name in ("QM1", "QM2", "QM3"):
            self.write(f"{name}.mqsc", MEMBER.format(name) + ("" if name == "QM1" else SORTED))
        self.first = self.commit()

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=self.environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, name: str, content: str) -> None:
        (self.of / name).write_text(content)

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=change")
        return self.git("rev-parse", "HEAD")

    def prefer(self) -> str:
        """A revision in which QM3 takes all that is put at QM1."""
        self.write("QM3.mqsc", MEMBER.format("QM3") + SORTED.replace("\n", " CLWLPRTY(3)\n"))
        return self.commit()

    def step(self, name: str, cwd: Path | None = None, **environment: str) -> tuple[int, str, dict[str, str]]:
        """The status of a step, what it writes to the log, and its outputs."""
        output = Path(self.environment["GITHUB_OUTPUT"])
        output.write_text("")
        done = subprocess.run(
            [SCRIPTS / f"{name}.sh"], cwd=cwd or self.root, env={**self.environment, **environment},
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done.returncode, done.stdout + done.stderr, outputs

    def plan(self, cwd: Path | None = None, **environment: str) -> str:
        """The comment of the step that compares, which must not fail."""
        status, log, outputs = self.step("plan", cwd, **environment)
        assert status == 0, log
        assert self.git("worktree", "list").count("\n") == 0
        comment = Path(outputs["comment"]).read_text()
        assert Path(self.environment["GITHUB_STEP_SUMMARY"]).read_text().endswith(comment)
        return comment


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_the_action_compares_two_revisions(repository: Repository) -> None:
    second = repository.prefer()
    lines = repository.plan(BASE=repository.first).splitlines()
    assert lines[0] == "### Puts to `SORTED` move, as far as is known"
    assert "| `SORTED` | QM1 | 50 % of the puts | QM2 50 %, QM3 50 % | QM3 |" in lines
    assert lines[-1] == f"`config`: {second[:12]} after {repository.first[:12]}"


@pytest.mark.deep
@pytest.mark.parametrize("base", ["", "0" * 40])
def test_the_first_revision_is_compared_with_nothing(repository: Repository, base: str) -> None:
    status, log, outputs = repository.step("plan", BASE=base)
    assert (status, log, outputs) == (0, "there is no revision to compare with\n", {})


@pytest.mark.deep
def test_a_folder_that_comes_or_goes(repository: Repository) -> None:
    shutil.move(repository.of, repository.root / "moved")
    moved = repository.commit()
    assert repository.plan(BASE=repository.first, FOLDER="moved").startswith("### Nothing to compare with: these files")
    assert repository.plan(BASE=repository.first).startswith("### Nothing to compare: these files are gone\n")
    assert repository.plan(BASE=moved, HEAD=repository.first).startswith("### Nothing to compare with")
    assert (
        "neither revision has these files" in repository.plan(BASE=repository.first, FOLDER="nowhere").splitlines()[0]
    )


@pytest.mark.deep
def test_files_that_cannot_be_read_are_told_in_the_comment(repository: Repository) -> None:
    repository.write("QM3.mqsc", MEMBER.format("QM3") + "DEFINE QLOCAL(SORTED) CLWLPRTY(99) </pre> @everybody\n")
    repository.commit()
    comment = repository.plan(BASE=repository.first).splitlines()
    assert comment[:2] == ["### No plan: one of the two revisions cannot be read", ""]
    assert comment[2].startswith("    config/QM3.mqsc:4:")
    assert [line for line in comment[2:-2] if line and not line.startswith("    ")] == []


HOSTILE = ["-x.mqsc", "a=b.mqsc", "$(touch pwned).mqsc", "`touch pwned`.mqsc", "'; touch pwned; '.mqsc",
           "::error::x.mqsc", "a\n::set-env name=X::y\n.mqsc", "x|y<b>@all.mqsc"]  # fmt: skip


@pytest.mark.deep
def test_names_of_a_stranger_are_no_commands(tmp_path: Path) -> None:
    """Of files, of folders and of revisions; what the log shows of them stands where GitHub takes no command."""
    repository = Repository(tmp_path, "a b/$(touch pwned)")
    for number, name in enumerate(HOSTILE):
        repository.write(name, MEMBER.format(f"H{number}") + SORTED)
    repository.commit()
    repository.git("branch", "$(touch${IFS}pwned)", repository.first)
    for name in HOSTILE:
        (repository.of / name).unlink()
    repository.commit()
    comment = repository.plan(BASE="$(touch${IFS}pwned)", HEAD="HEAD~1")
    assert comment.startswith("### Puts to `SORTED` move")
    status, log, outputs = repository.step("check")
    assert status == 0
    assert json.loads(Path(outputs["sarif"]).read_text())["version"] == "2.1.0"
    stop, *shown, go = log.splitlines()
    assert go == f"::{stop.removeprefix('::stop-commands::')}::"
    assert go not in shown
    assert [*tmp_path.rglob("pwned")] == []


@pytest.mark.deep
@pytest.mark.parametrize("base", ["--upload-pack=touch pwned", "-x", "+main", "main:main", "no such"])
def test_what_names_no_revision_is_no_option(repository: Repository, base: str) -> None:
    repository.git("remote", "add", "origin", str(repository.root))
    status, log, outputs = repository.step("plan", BASE=base)
    assert (status, outputs) == (1, {})
    assert f"no name of a revision: {base}" in log
    assert [*repository.root.rglob("pwned")] == []


@pytest.mark.deep
@pytest.mark.parametrize("base", ["hash", "main"])
def test_a_revision_that_is_not_here_is_fetched(repository: Repository, tmp_path: Path, base: str) -> None:
    """As where a runner has the last revision alone."""
    repository.git("checkout", "--quiet", "-b", "change")
    repository.prefer()
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
    shallow = tmp_path / "shallow"
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.root}", str(shallow))
    comment = repository.plan(shallow, BASE=repository.first if base == "hash" else base)
    assert comment.startswith("### Puts to `SORTED` move")


@pytest.mark.deep
def test_links_and_hooks_of_a_repository_lead_nowhere(repository: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside.mqsc"
    outside.write_text(MEMBER.format("QM4") + SORTED)
    (repository.of / "QM4.mqsc").symlink_to(outside)
    hook = repository.root / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch pwned\n")
    hook.chmod(0o755)
    repository.commit()
    comment = repository.plan(BASE=repository.first)
    assert comment.startswith("### Nothing moves\n")
    assert "QM4 " not in comment
    assert [*tmp_path.rglob("pwned")] == []


@pytest.mark.deep
@pytest.mark.parametrize(("fail_on", "expected"), [("", 1), ("error", 0), ("warning", 1), ("note", 1), ("never", 0)])
def test_a_check_fails_the_job_by_severity(repository: Repository, fail_on: str, expected: int) -> None:
    # Both hosts refuse puts: a warning each. The settings count where the workflow says nothing.
    (repository.root / "mqclause.toml").write_text("[check]\nfail-on = 'warning'\n")
    for name in ("QM2", "QM3"):
        repository.write(f"{name}.mqsc", MEMBER.format(name) + SORTED.replace("\n", " PUT(DISABLED)\n"))
    status, _, outputs = repository.step("check", FAIL_ON=fail_on)
    assert (status, outputs["status"]) == (0, str(expected))
    [found] = json.loads(Path(outputs["sarif"]).read_text())["runs"]
    assert {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in found["results"]} >= {
        "config/QM2.mqsc", "config/QM3.mqsc",
    }  # fmt: skip
    assert repository.step("judge", CHECK_STATUS=outputs["status"])[0] == expected


@pytest.mark.deep
def test_a_check_of_files_that_cannot_be_read_fails_the_job(repository: Repository) -> None:
    repository.write("QM3.mqsc", "DEFINE QLOCAL(\n")
    status, log, outputs = repository.step("check", FAIL_ON="never")
    assert (status, outputs) == (0, {"status": "2"})
    assert "config/QM3.mqsc:1" in log
    assert repository.step("judge", CHECK_STATUS="2")[0] == 1


@pytest.mark.deep
def test_the_action_installs_what_it_runs(repository: Repository) -> None:
    project = copy_project(repository.root)
    status, log, _ = repository.step("install", PYTHON=sys.executable, GITHUB_ACTION_PATH=str(project))
    assert (status, log.splitlines()[-1]) == (0, run("--version").stdout.strip()), log
    assert (repository.temporary / "mqclause" / "bin" / "mqclause").exists()


def copy_project(folder: Path) -> Path:
    """A copy of what git would have of the project, in which a build may leave its files."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    to = folder / "project"
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    return to


def test_the_action_says_what_it_takes_and_gives() -> None:
    steps = ACTION["runs"]["steps"]
    texts = json.dumps(steps)
    assert all(each["description"] for each in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))
    assert [name for name in ACTION["inputs"] if f"inputs.{name}" not in texts] == []
    outputs = [each["value"] for each in ACTION["outputs"].values()]
    named = {tuple(each.split(".")[1::2]) for each in re.findall(r"steps\.\w+\.outputs\.\w+", f"{outputs}{texts}")}
    written = {(name, output) for name in ("check", "plan") for output in re.findall(
        r"set_output (\w+)", (SCRIPTS / f"{name}.sh").read_text())}  # fmt: skip
    assert {each for each in named if each[0] != "python"} <= written


def test_a_step_of_the_action_runs_a_script_and_gets_values_by_its_environment_alone() -> None:
    for step in ACTION["runs"]["steps"]:
        if "uses" in step:
            assert re.fullmatch(r"(actions|github)/[\w/-]+@v\d+", step["uses"])
            continue
        [name] = re.findall(r'^"\$GITHUB_ACTION_PATH/tools/action/(\w+)\.sh"$', step["run"])
        script = SCRIPTS / f"{name}.sh"
        text = script.read_text() + (SCRIPTS / "step.sh").read_text() * ("step.sh" in script.read_text())
        assert step["shell"] == "bash"
        assert os.access(script, os.X_OK)
        assert set(re.findall(r"\$\{([A-Z_]+):[?=-]", text)) - OF_THE_RUNNER - {
            "MQCLAUSE",
            "GITHUB_STEP_SUMMARY",
        } == set(step["env"])


@pytest.mark.parametrize(
    ("hook", "staged", "status"),
    [
        ("mqclause-check-files", ["QM2.mqsc", "notes.txt"], 0),
        ("mqclause-check-files", ["QM2.mqsc", "wrong.facts.toml"], 2),
        ("mqclause-check-files", ["pyproject.toml"], None),
        ("mqclause-check", ["QM2.mqsc"], 0),
    ],
)
def test_a_hook_checks_what_is_staged(
    hook: str, staged: list[str], status: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run as pre-commit would: the entry, its arguments, and the names that fit; nothing where none does."""
    monkeypatch.chdir(tmp_path)
    for name in ("QM1", "QM2"):
        Path(f"{name}.mqsc").write_text(MEMBER.format(name) + SORTED)
    Path("wrong.facts.toml").write_text("[queue_manager]\nname = 'QM1'\ncolour = 'blue'\n")
    about = HOOKS[hook]
    named = [name for name in staged if re.search(about["files"], name)]
    assert bool(named) == (status is not None)
    if named:
        program, *words = shlex.split(about["entry"])
        assert program in pyproject()["project"]["scripts"]
        done = run(*words, *(named if about.get("pass_filenames", True) else ["QM1.mqsc", "QM2.mqsc"]))
        assert done.returncode == status
        assert ("wrong.facts.toml:3" in done.stderr) == (status == 2)


@pytest.mark.deep
@pytest.mark.skipif(PRE_COMMIT is None, reason="pre-commit is not installed")
def test_pre_commit_runs_the_hooks(repository: Repository, tmp_path: Path) -> None:
    project = copy_project(tmp_path)
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=all"]):
        subprocess.run(["git", *words], cwd=project, env=repository.environment, check=True)
    revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, capture_output=True, text=True, check=True)
    hooks = [{"id": "mqclause-check", "args": ["config"]}, {"id": "mqclause-check-files"}]
    settings = {"repos": [{"repo": str(project), "rev": revision.stdout.strip(), "hooks": hooks}]}
    (repository.root / ".pre-commit-config.yaml").write_text(yaml.safe_dump(settings))
    repository.write("QM2.mqsc", MEMBER.format("QM2") + "DEFINE QLOCAL(SORTED) CLWLPRTY(99)\n")
    repository.git("add", "--all")
    done = subprocess.run(
        [str(PRE_COMMIT), "run"], cwd=repository.root, env={**os.environ, **repository.environment},
        capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert done.stdout.count("config/QM2.mqsc:4") == 2, "each hook says it"


def read_image() -> list[tuple[str, str]]:
    """The instructions of the image with what they say."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_image_is_slim_and_runs_as_nobody() -> None:
    said = read_image()
    bases = [words.split()[0] for name, words in said if name == "FROM"]
    assert [each for each in bases if not re.fullmatch(r"python:3\.\d+-slim-[a-z]+", each)] == []
    last = [*reversed(said)]
    last = last[: [name for name, _ in last].index("FROM")]
    assert "RUN" not in [name for name, _ in last]
    [user] = [words for name, words in last if name == "USER"]
    assert int(user.split(":")[0]) > 0
    assert ("ENTRYPOINT", '["mqclause"]') in last
    assert any("'.[html]'" in words for name, words in said if name == "RUN")
    assert not re.search(r"(?i)java|jdk|apt|curl|wget|http", " ".join(words for _, words in said))


def list_copied() -> dict[str, str]:
    """What is copied from the project, and where to."""
    copies = [words.split() for name, words in read_image() if name == "COPY" and not words.startswith("--from")]
    return {each: (each if to in (".", "./") else to) for *of, to in copies for each in of}


def test_the_image_has_every_package_and_nothing_else() -> None:
    copied, described = list_copied(), pyproject()["tool"]["setuptools"]
    assert set(described["package-dir"].values()) <= set(copied)
    assert {"pyproject.toml", "setup.py", pyproject()["project"]["readme"]} <= set(copied)
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert sorted(kept) == sorted(copied)


@pytest.mark.deep
def test_the_steps_of_the_image_install_mqclause(tmp_path: Path) -> None:
    """In an environment of this machine, from the files that are copied alone."""
    project, source, home = copy_project(tmp_path), tmp_path / "src", tmp_path / "opt"
    for each, to in list_copied().items():
        (source / to).parent.mkdir(parents=True, exist_ok=True)
        of = project / each
        shutil.copytree(of, source / to) if of.is_dir() else shutil.copy(of, source / to)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for command in (words for name, words in read_image() if name == "RUN"):
        here = command.replace("/opt/mqclause", str(home))
        subprocess.run(
            ["sh", "-ec", here], cwd=source, env={"PATH": path, "HOME": str(tmp_path)}, check=True, timeout=500
        )
    example = ROOT / "tools" / "examples" / "QM2.mqsc"
    bare = {"PATH": f"{home}/bin", "HOME": "/nonexistent"}
    done = subprocess.run(["mqclause", "check", str(example)], env=bare, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("found 2 warnings\n")
