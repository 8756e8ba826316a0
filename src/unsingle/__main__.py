"""``python -m unsingle``."""

from .cli import main

main()
