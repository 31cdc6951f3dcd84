"""The page that says what a record holds, written from its schema."""

import json


def text(schema):
    """Write the page.

    Parameters
    ----------
    schema : Path
        Of a JSON schema.

    Returns
    -------
    str
        Markdown: a row a field, those of objects and lists below them.
    """
    whole = json.loads(schema.read_text(encoding="utf-8"))
    rows = [f"| `{path}` | {kind} | {about} |" for path, kind, about in _fields(whole, "", whole)]
    lines = [f"# {whole['title']}", whole["description"], f"The schema itself: [{schema.name}](../data/{schema.name})."]
    return "\n\n".join([*lines, "\n".join(["| field | is | |", "| --- | --- | --- |", *rows])]) + "\n"


def _fields(schema, above, whole):
    """Every field of an object, and those within it: path, kind, description."""
    for name, of in schema.get("properties", {}).items():
        of = _meant(of, whole)
        yield f"{above}{name}", _kind(of), of.get("description", "").replace("|", "\\|")
        yield from _fields(of, f"{above}{name}.", whole)
        yield from _fields(_meant(of.get("items", {}), whole), f"{above}{name}[].", whole)


def _meant(of, whole):
    """What a reference stands for, with what is said beside it."""
    for name in of.get("$ref", "#").split("/")[1:]:
        whole = whole[name]
    return whole | of if "$ref" in of else of


def _kind(of):
    kinds = of.get("type", "")
    return ", or ".join(kinds) if isinstance(kinds, list) else kinds
