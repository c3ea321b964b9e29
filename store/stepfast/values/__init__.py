"""Values, and the text that they are stored as."""
