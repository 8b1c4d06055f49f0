"""Syntax trees of TypeScript, as tree-sitter makes them, and the texts of expressions."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

WRAPPERS = {
    "parenthesized_expression",
    "non_null_expression",
    "as_expression",
    "satisfies_expression",
}
MEMBERS = {"member_expression", "subscript_expression"}
_WITH_ANGLE_CASTS = {".ts", ".mts", ".cts"}
_HOPS = 8
"""The most names in a row that are followed to their values."""
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_CONTINUED = {"\n", "\r", "\r\n", "\u2028", "\u2029"}
_HIGHEST = 0x10FFFF


@cache
def _load_language(*, angle_casts: bool) -> Language:
    grammar = tree_sitter_typescript
    return Language(grammar.language_typescript() if angle_casts else grammar.language_tsx())


def parse_source(path: str, text: str) -> Node:
    """Parse a file, by the grammar for its ending; errors become nodes of the tree."""
    angle_casts = PurePosixPath(path).suffix in _WITH_ANGLE_CASTS
    return Parser(_load_language(angle_casts=angle_casts)).parse(text.encode()).root_node


def get_node_text(node: Node | None) -> str:
    """Return the source text of a node; empty if there is no node."""
    return (node.text or b"" if node else b"").decode("utf-8", "replace")


def walk_descendants(node: Node) -> Iterator[Node]:
    """Walk over a node and all named nodes below it, in the order they are written."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.named_children))


def find_called(node: Node | None) -> Node | None:
    """Return the called expression of a call; None for other nodes."""
    is_call = node is not None and node.type == "call_expression"
    return node.child_by_field_name("function") if node and is_call else None


def list_arguments(call: Node) -> list[Node]:
    """Return the arguments of a call or construction; a template after a name has none."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.type != "arguments":
        return []
    return [node for node in arguments.named_children if node.type != "comment"]


def unwrap(node: Node) -> Node:
    """Take parentheses and type assertions off an expression."""
    while node.type in WRAPPERS and node.named_children:
        node = node.named_children[0]
    return node


def resolve_variable(node: Node) -> Node:
    """Follow a variable to the value in its declaration; any other expression is itself."""
    for _ in range(_HOPS):
        node = unwrap(node)
        if node.type != "identifier":
            return node
        value = _find_variable_value(node)
        if value is None:
            return node
        node = value
    return node


def unescape(text: str) -> str:
    """Decode the escapes of a string, or of a name."""
    return _ESCAPE.sub(_decode_escape, text) if "\\" in text else text


def resolve_constant(node: Node, hops: int = _HOPS) -> str | None:
    """Return the text that an expression always is, through constants; None for all others."""
    if node.type in {"as_expression", "satisfies_expression"}:
        # A type assertion may claim the expression to be a text.
        claimed = node.named_children[-1]
        literal = claimed.named_children[0] if claimed.named_children else claimed
        if claimed.type == "literal_type" and literal.type == "string":
            return unescape(get_node_text(literal)[1:-1])
    node = resolve_variable(node)
    if node.type == "string":
        return unescape(get_node_text(node)[1:-1])
    if hops == 0:
        return None
    hops -= 1
    if node.type == "template_string":
        parts: list[str | None] = []
        for part in node.named_children:
            if part.type == "template_substitution":
                inner = part.named_children
                parts.append(resolve_constant(inner[0], hops) if inner else None)
            else:
                parts.append(unescape(get_node_text(part)))
        return _join_known(parts)
    if node.type == "binary_expression" and get_node_text(node.children[1]) == "+":
        return _join_known(
            [resolve_constant(side, hops) for side in (node.children[0], node.children[2])]
        )
    held = find_member(node, hops) if node.type in MEMBERS else None
    return None if held is None else resolve_constant(held, hops)


def find_property_name(node: Node, hops: int = _HOPS) -> str | None:
    """Return the name of the property that a member access takes, in dots or brackets."""
    name = node.child_by_field_name("property")
    if name is not None:
        return unescape(get_node_text(name))
    index = node.child_by_field_name("index")
    return None if index is None else resolve_constant(index, hops)


def find_member(node: Node, hops: int = _HOPS) -> Node | None:
    """Find the value that a member access takes out of an object, array or enum of its file."""
    held, name = node.child_by_field_name("object"), find_property_name(node, hops)
    if held is None:
        return None
    inside = resolve_variable(held)
    if inside.type == "identifier":
        for statement in _walk_statements_around(inside):
            of_enum = statement.child_by_field_name("name")
            if (
                statement.type == "enum_declaration"
                and of_enum
                and get_node_text(of_enum) == get_node_text(inside)
            ):
                inside = statement.child_by_field_name("body") or inside
                break
    if inside.type == "array":
        index = node.child_by_field_name("index")
        number = "" if index is None else get_node_text(index)
        items = [item for item in inside.named_children if item.type != "comment"]
        return items[int(number)] if number.isdecimal() and int(number) < len(items) else None
    for pair in inside.named_children:
        key = pair.child_by_field_name("key") or pair.child_by_field_name("name")
        if key is not None and find_key_name(key) == name:
            return pair.child_by_field_name("value")
        if pair.type == "shorthand_property_identifier" and get_node_text(pair) == name:
            return pair
    return None


def find_key_name(node: Node) -> str | None:
    """Return the name of a key of an object or pattern."""
    if node.type == "computed_property_name":
        return resolve_constant(node.named_children[0]) if node.named_children else None
    return resolve_constant(node) if node.type == "string" else unescape(get_node_text(node))


def _decode_escape(match: "re.Match[str]") -> str:
    code = match[1] or match[2] or match[3]
    if code is not None:
        return chr(int(code, 16)) if int(code, 16) <= _HIGHEST else "\ufffd"
    return "" if match[4] in _CONTINUED else _PLAIN_ESCAPES.get(match[4], match[4])


def _join_known(parts: list[str | None]) -> str | None:
    texts = [part for part in parts if part is not None]
    return "".join(texts) if len(texts) == len(parts) else None


def _find_variable_value(use: Node) -> Node | None:
    """Find the value of the variable that a name stands for: the nearest scope outwards."""
    name = get_node_text(use)
    for statement in _walk_statements_around(use):
        if statement.type not in {"lexical_declaration", "variable_declaration"}:
            continue
        for declarator in statement.named_children:
            fields = (declarator.child_by_field_name(field) for field in ("name", "value"))
            identifier, value = fields
            if identifier is None or get_node_text(identifier) != name:
                continue
            # A declaration after its use, or with its own name in it, would make this endless.
            if value is not None and value.end_byte <= use.start_byte:
                return value
    return None


def _walk_statements_around(node: Node) -> Iterator[Node]:
    """Yield the statements of all blocks around a node, the nearest block first."""
    scope = node.parent
    while scope is not None:
        if scope.type in {"statement_block", "program"}:
            for statement in scope.named_children:
                yield statement.child_by_field_name("declaration") or statement
        scope = scope.parent
