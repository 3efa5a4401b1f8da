"""The cases of the rules, and whether they notice what is done to the rules."""
