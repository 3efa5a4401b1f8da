"""Questions of an auditor: what rules state, which cases and mutants hold it, what is odd, what a change does."""
