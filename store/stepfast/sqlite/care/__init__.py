"""What the file needs now and then: backups, what is old swept, a look at all of it."""
