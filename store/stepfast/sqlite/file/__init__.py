"""Where the file is, how it is opened, and how it is brought to this version."""
