"""``python -m unsingle``."""

from .cli.app import main

main()
