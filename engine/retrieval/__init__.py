"""In which order messages are retrieved, and what calls return."""
