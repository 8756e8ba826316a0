"""The reports, one kind in each module; a module registers its page for the type of result that it shows."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
