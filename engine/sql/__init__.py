"""The rules as SQL: one list of bindings for a ruleset, put into the dialect of DuckDB or of Spark."""
