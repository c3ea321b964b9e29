"""What lies below all else: threads, clocks, files and locks."""
