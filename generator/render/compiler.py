"""Jinja2 compiled for this site: the same templates, a third of the time.

Half of what a page costs is what Jinja2 does around each value: looking it up as an attribute, then
as an item; asking three functions whether and how it prints; passing each call of a macro through
two others. Contexts are dataclasses, templates are tested against them, and nothing here is async
or sandboxed, so compiled templates read attributes, print and call directly.
"""

from functools import lru_cache
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator
from jinja2.runtime import Macro
from markupsafe import Markup, escape

from generator.render.escaping import escaped

if TYPE_CHECKING:
    from jinja2.compiler import Frame


class SiteEnvironment(Environment):
    """An environment whose templates print by ``printed`` and call by ``called``."""

    def printed(self, value: object) -> str:
        """Return ``value`` as it stands in a page: escaped, with nothing hidden in it.

        Raises:
            TypeError: it is None: a template prints something that is not known.
        """
        kind = type(value)
        if kind is str:
            return escaped(value)  # pyright: ignore[reportArgumentType] - type() says that it is text
        if kind is Markup:
            return value  # pyright: ignore[reportReturnType] - type() says that it is text
        if kind is int or kind is float:
            return str(value)
        if value is None:
            raise TypeError("a template prints a value that is not known")
        return escape(value)

    def called(self, call: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever templates call
        """Call; a macro that is given nothing but texts answers as it did before."""
        if type(call) is Macro and not named and all(type(one) is str for one in given):
            return _said_again(call, *given)
        return call(*given, **named)


class _Direct(CodeGenerator):
    """Writes attributes, printing and calls as plain Python."""

    def visit_Getattr(self, node: nodes.Getattr, frame: "Frame") -> None:  # noqa: N802 - Jinja2's name
        if iskeyword(node.attr):
            self.fail(f"nothing has an attribute called {node.attr!r}", node.lineno)
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Call(  # noqa: N802 - Jinja2's name
        self,
        node: nodes.Call,
        frame: "Frame",
        forward_caller: bool = False,  # noqa: FBT001, FBT002 - Jinja2's signature
    ) -> None:
        self.write("environment.called(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def _output_child_pre(self, node: nodes.Expr, frame: "Frame", finalize: Any) -> None:  # noqa: ANN401 - private to Jinja2
        del node, frame, finalize
        self.write("environment.printed(")

    def _output_child_post(self, node: nodes.Expr, frame: "Frame", finalize: Any) -> None:  # noqa: ANN401 - private to Jinja2
        del node, frame, finalize
        self.write(")")


SiteEnvironment.code_generator_class = _Direct


@lru_cache(maxsize=1 << 12)
def _said_again(macro: Macro, *given: str) -> str:
    return macro(*given)
