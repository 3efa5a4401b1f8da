"""The choice of a destination: names resolved, rules run, exits asked, and all that there is to say of it."""
