"""One pass through a body, from its claim to its settlement."""
