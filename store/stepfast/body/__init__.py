"""What the body of a workflow is handed, and what comes of each call."""
