"""The cluster as a whole: its map, what a change does to it, and which changes would lead elsewhere."""
