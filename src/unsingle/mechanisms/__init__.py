"""Mechanisms: each with its sensitivity, its cost and its proof. None knows which method uses it."""
