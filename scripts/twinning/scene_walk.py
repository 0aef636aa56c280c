"""What the program's own schema (`rtsim schema`) says of every number of a scene."""
import dataclasses
import typing


@dataclasses.dataclass
class Leaf:
    """A number, a list of numbers, a vector or a list of vectors: holder[key]."""

    holder: dict
    key: str
    kind: str  # "number", "whole", "numbers", "vector", "vectors"
    unit: str
    path: str  # JSON pointer
    around: tuple  # the dictionaries that hold it, from the scene inwards

    @property
    def value(self):
        return self.holder[self.key]

    def change(self, f):
        """f of every single number of it."""
        self.holder[self.key] = _each(f, self.value)


def _each(f, value):
    return [_each(f, v) for v in value] if isinstance(value, list) else f(value)


class SceneWalk:
    def __init__(self, schema):
        self.schema = schema
        self.definitions = schema.get("$defs", {})

    def resolve(self, node):
        while "$ref" in node:
            node = self.definitions[node["$ref"].rsplit("/", 1)[1]]
        return node

    def of(self, node, value):
        """The schema of this very value: references followed, one of several forms chosen."""
        node = self.resolve(node)
        if "anyOf" in node:  # one, or a list of them
            node = next(n for n in node["anyOf"] if (n.get("type") == "array") == isinstance(value, list))
            return self.of(node, value)
        if "oneOf" in node and isinstance(value, dict):
            return next((f for f in node["oneOf"] if _is_form(f, value)), {})
        return node

    def children(self, node, value):
        """(key, schema) of every key of a dictionary that is given."""
        properties = self.of(node, value).get("properties", {})
        return [(k, properties[k]) for k in value if k in properties and value[k] is not None]

    def leaves(self, scene):
        yield from self._leaves(scene, self.schema, "", ())

    def _leaves(self, value, node, path, around):
        for key, sub in self.children(node, value):
            item, where = value[key], f"{path}/{key}"
            kind = self.kind(sub, item)
            inside = (*around, value)
            if kind:
                yield Leaf(value, key, kind, self.of(sub, item).get("unit", ""), where, inside)
            elif isinstance(item, dict):
                yield from self._leaves(item, sub, where, inside)
            elif isinstance(item, list) and item and isinstance(item[0], dict):
                one = self.of(sub, item).get("items", {})
                for i, entry in enumerate(item):
                    yield from self._leaves(entry, one, f"{where}/{i}", inside)

    def kind(self, node, value) -> typing.Optional[str]:
        node = self.of(node, value)
        types = node.get("type", "")
        types = types if isinstance(types, list) else [types]
        if "number" in types:
            return "number"
        if "integer" in types:
            return "whole"
        if "array" not in types:
            return None
        items = self.resolve(node.get("items", {}))
        if items.get("type") == "number":
            return "vector" if "maxItems" in node else "numbers"
        if items.get("type") == "array":
            return "vectors"
        return None


def _is_form(form, value):
    properties = form["properties"]
    fixed = {k: p["const"] for k, p in properties.items() if "const" in p}
    if fixed:
        return all(value.get(k) == v for k, v in fixed.items())
    return all(k in value for k in form.get("required", []))
