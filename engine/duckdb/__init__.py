"""The rules in DuckDB: relations in, relations out."""

from mqclause.duckdb.messages import message_order
from mqclause.duckdb.table import apply_rules, decide, decide_triggers, show_sql
from mqclause.duckdb.traffic import traffic
from mqclause.tables.flat import constant

__all__ = ["apply_rules", "constant", "decide", "decide_triggers", "message_order", "show_sql", "traffic"]
