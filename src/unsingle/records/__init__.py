"""What is written down about releases: what each says of itself."""
