"""What is written down about releases: what each says of itself, and the ledger of all that are of the same people."""
