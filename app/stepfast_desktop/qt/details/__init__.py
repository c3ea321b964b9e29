"""The details of a workflow on the screen."""
