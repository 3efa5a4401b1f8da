"""The rules in DuckDB: relations in, relations out."""

from mqclause.duckdb.table import apply_rules, decide, decide_triggers, message_order, show_sql, traffic
from mqclause.tables.flat import constant

__all__ = ["apply_rules", "constant", "decide", "decide_triggers", "message_order", "show_sql", "traffic"]
