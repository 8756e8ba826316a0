"""The attacks: each is registered in its module, and listed nowhere else."""
