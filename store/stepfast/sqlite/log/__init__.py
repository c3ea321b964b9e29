"""The write-ahead log: when it is copied into the file, and who is in the way of that."""
