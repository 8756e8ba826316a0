"""Promises and their arithmetic. Nothing here knows an event log."""
