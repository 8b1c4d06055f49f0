"""Pages of one attempt, rendered one after the other."""

from typing import Self

from runner.ui.errors import UiBroken
from runner.ui.page import Json, Page
from runner.ui.renderer import Renderer, Setting

__all__ = ["Setting", "Ui"]


class Ui:
    """Renders components of the attempt's project against its backend.

    The renderer starts at the first page (or at ``warm_up``) and serves the following ones; a page
    that hangs or ends it costs only itself.
    """

    def __init__(self, setting: Setting) -> None:
        """Prepare; nothing runs yet."""
        self._setting = setting
        self._renderer: Renderer | None = None
        self._rendered = 0

    def __enter__(self) -> Self:
        """Use as a context manager, to be closed at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def warm_up(self) -> None:
        """Start the renderer now, without waiting for it."""
        if self._renderer is None or not self._renderer.is_alive:
            self._renderer = Renderer(self._setting)

    def render(
        self,
        component: str = "src/App.tsx",
        export: str = "default",
        props: dict[str, Json] | None = None,
        *,
        held: bool = False,
    ) -> Page:
        """Render a component in a ConvexProvider of its own; a page rendered before is taken down.

        ``held`` keeps the server's messages from the page from the beginning, so that its loading
        state stands still until ``release``. Raises UiFailed when the component cannot be bundled
        or loaded, UiBroken when the renderer does not work.
        """
        self.warm_up()
        self._rendered += 1
        renderer, number = self._renderer, self._rendered

        def drive(command: str, **details: Json) -> Json:
            if renderer is None or number != self._rendered:
                raise UiBroken("the grader uses a page after another one was rendered")
            return renderer.ask(command, **details)

        drive(
            "render",
            component=component,
            export=export,
            props=props or {},
            held=held,
        )
        return Page(drive)

    def reset(self) -> None:
        """Take down the page at hand; the renderer stays for the next."""
        self._rendered += 1
        if self._renderer is not None and self._renderer.is_alive:
            self._renderer.ask("close")

    def close(self) -> None:
        """End the renderer."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
