"""The rules in DuckDB: relations in, relations out. Needs ``pip install 'mqclause[duckdb]'``."""

from mqclause.duckdb.table import decide, trigger_conditions

__all__ = ["decide", "trigger_conditions"]
