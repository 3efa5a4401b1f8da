"""The condition language: its words and types, its trees, and what a tree means."""
