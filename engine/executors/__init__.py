"""What runs a ruleset on facts."""
