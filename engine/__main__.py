"""Run the command line: ``python -m mqclause``."""

from __future__ import annotations

from mqclause.tools.cli import main

if __name__ == "__main__":
    main()
