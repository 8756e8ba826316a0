"""Differential fuzzing of the readers: small odd files, read by ours and by a reader of somebody else.

``make fuzz`` runs it; `test_fuzzing` runs a little of it. Each input follows from the seed and its number alone.
"""
