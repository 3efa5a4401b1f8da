"""The rulebook: a static site of what the rules state, with the cases and the mutants of the run that made it."""
