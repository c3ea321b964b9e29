"""Who takes what is ready, and keeps what it holds."""
