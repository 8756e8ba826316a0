"""The parts that JSON schemas are made of."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def string(description: str = "", **more: Any) -> Schema:
    """A text."""
    return {"type": "string", **({"description": description} if description else {}), **more}


def number(description: str = "", **more: Any) -> Schema:
    """A number."""
    return string(description, **more) | {"type": "number"}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return schema | {"type": [schema["type"], "null"]}


def flag(description: str, **more: Any) -> Schema:
    """True or false."""
    return string(description, **more) | {"type": "boolean"}


def array(items: Schema, description: str = "") -> Schema:
    """A list of such items."""
    return {"type": "array", "items": items, **({"description": description} if description else {})}


def reference(name: str) -> Schema:
    """A schema that has a name."""
    return {"$ref": f"#/components/schemas/{name}"}


def closed(properties: Schema, required: bool = True, **more: Any) -> Schema:
    """An object of these properties and no others."""
    names = sorted(properties) if required else []
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False, **more}
