"""Case files: what the rules must answer, worked out by hand from the documents."""
