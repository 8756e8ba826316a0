"""The command `unsingle`: it parses, calls the library and shows the result."""
