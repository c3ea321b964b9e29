"""The details of the workflow that is selected: overview, questions, steps, log and records."""
