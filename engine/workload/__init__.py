"""The choice of a destination: names resolved, rules run, exits asked, and what the answer depends on."""
