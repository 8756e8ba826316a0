"""A local page for people who do not use a terminal: thin, it parses, calls the library and shows the result.

The server itself reads no log: all work on one is done by worker processes, which can be ended at any time.
"""
