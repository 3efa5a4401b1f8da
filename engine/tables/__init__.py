"""Rules on tables, a row a question: columns, and a ruleset as one list of bindings in a dialect of SQL."""
