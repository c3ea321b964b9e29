"""Steps in processes of their own."""
