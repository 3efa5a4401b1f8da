"""The cluster as a whole: its map, what a change makes of it, and which changes lead where."""
