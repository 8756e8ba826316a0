"""What a log is, on numpy alone: no files, no randomness."""
