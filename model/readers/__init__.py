"""Readers: a format a module and a line of the registry. MQ's own formats become records, facts documents tables."""
