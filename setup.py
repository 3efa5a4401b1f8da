"""Build the package: what pyproject.toml says, with what is read of the rules, and schemas of files, kept in files."""

import os
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

KEEP = """
from pathlib import Path
import mqclause
from mqclause.rulebook.rules import keep_own_rules
from mqclause.testing.file_schemas import keep_file_schemas
keep_own_rules()
keep_file_schemas(Path(mqclause.__path__[0]))
"""


class BuildWithRules(build_py):
    """Copies the package, and has the copy keep what is read of its rules, and schemas, unless it is edited."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        if not self.editable_mode:
            path = os.pathsep.join(filter(None, [os.path.abspath(self.build_lib), os.environ.get("PYTHONPATH")]))
            subprocess.run([sys.executable, "-c", KEEP], env={**os.environ, "PYTHONPATH": path}, check=True)  # noqa: S603 - this Python, this code


setup(cmdclass={"build_py": BuildWithRules})
