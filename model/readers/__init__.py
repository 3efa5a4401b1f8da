"""Readers: each format to the same neutral records."""
