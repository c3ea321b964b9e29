"""What is read beside the writer: lists, searches, histories."""
