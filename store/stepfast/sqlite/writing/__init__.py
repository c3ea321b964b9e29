"""The thread that writes: what it is asked, in which commits that is done, and what follows a failure."""
