"""What is done to workflows, each in one commit; the statements are in `statements.py`."""
