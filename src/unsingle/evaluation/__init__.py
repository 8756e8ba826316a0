"""Private figures: how exposed people are in a log, and what a release keeps of it."""
