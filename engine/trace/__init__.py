"""Why: what each step did, in sentences and as a document."""
