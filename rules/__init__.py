"""The rule files: nothing else decides anything."""
