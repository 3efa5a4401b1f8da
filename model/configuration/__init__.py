"""Read files to a snapshot: sources to objects, members, the view of one queue manager, and what is incomplete."""
