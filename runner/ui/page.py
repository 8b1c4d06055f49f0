"""A rendered page, as a grader sees it."""

from typing import Any, Protocol, TypeAlias

Json: TypeAlias = Any
"""What a command takes and gives: whatever JSON can say."""


class Driver(Protocol):
    """Carries a page's commands to where it is rendered."""

    def __call__(self, command: str, *, extra_s: float = ..., **details: Json) -> Json:
        """Give a command and return its result."""
        ...


class Page:
    """A component on a page. Every method raises UiFailed when the page is to blame.

    Controls are found as a reader finds them: by role and accessible name, or by label. ``within``
    narrows to the smallest part of the page (a list item, a table row, ...) that shows that text.
    A control that is not there yet is waited for, for a second.
    """

    def __init__(self, driver: Driver) -> None:
        """Drive the page through ``driver``."""
        self._ask = driver

    def text(self, css: str | None = None) -> str:
        """Return the visible text: one line per block, whitespace collapsed.

        With a CSS selector, only that of the elements that match, one after the other.
        """
        return str(self._ask("text", css=css))

    def html(self) -> str:
        """Return the page's HTML."""
        return str(self._ask("html"))

    def errors(self) -> tuple[str, ...]:
        """Return what nobody on the page caught, and what was logged as an error."""
        return tuple(str(error) for error in self._ask("errors"))

    def count(self, css: str) -> int:
        """Count the elements that match a CSS selector."""
        return int(self._ask("count", css=css))

    def attribute(self, css: str, name: str) -> str | None:
        """Return an attribute of the first element that matches, or None where it has none."""
        value = self._ask("attribute", css=css, name=name)
        return None if value is None else str(value)

    def click(self, name: str, role: str = "button", *, within: str | None = None) -> None:
        """Click the one control of that role and accessible name."""
        self._ask("click", name=name, role=role, within=within)

    def fill(self, label: str, text: str, *, within: str | None = None) -> None:
        """Replace what the field of that label holds; of a drop-down, choose the option."""
        self._ask("fill", label=label, text=text, within=within)

    def press(self, key: str, label: str | None = None, *, within: str | None = None) -> None:
        """Press a key such as ``Enter``, in the field of that label where one is given."""
        self._ask("press", key=key, label=label, within=within)

    def value(self, label: str, *, within: str | None = None) -> str:
        """Return what the field of that label holds."""
        return str(self._ask("value", label=label, within=within))

    def is_enabled(self, name: str, role: str = "button", *, within: str | None = None) -> bool:
        """Say whether the one control of that role and name can be used."""
        return bool(self._ask("is_enabled", name=name, role=role, within=within))

    def is_checked(self, name: str, role: str = "checkbox", *, within: str | None = None) -> bool:
        """Say whether the one checkbox (or radio button) of that name is checked."""
        return bool(self._ask("is_checked", name=name, role=role, within=within))

    def wait_for(self, text: str, timeout_s: float = 3) -> None:
        """Wait until the page shows the text; line breaks count as spaces."""
        self._wait(text, present=True, timeout_s=timeout_s)

    def wait_gone(self, text: str, timeout_s: float = 3) -> None:
        """Wait until the page no longer shows the text."""
        self._wait(text, present=False, timeout_s=timeout_s)

    def wait_for_value(self, label: str, text: str, timeout_s: float = 3) -> None:
        """Wait until the field of that label holds the text."""
        self._wait_state("value", timeout_s, expected=text, label=label)

    def wait_enabled(self, name: str, role: str = "button", timeout_s: float = 3) -> None:
        """Wait until the one control of that role and name can be used."""
        self._wait_state("is_enabled", timeout_s, expected=True, name=name, role=role)

    def wait_checked(self, name: str, *, checked: bool = True, timeout_s: float = 3) -> None:
        """Wait until the one checkbox of that name is checked, or is not."""
        self._wait_state("is_checked", timeout_s, expected=checked, name=name, role="checkbox")

    def hold(self) -> None:
        """Keep all that the server sends from the page, until ``release``."""
        self._ask("hold")

    def release(self) -> None:
        """Let through what was held, in order, and all that comes after."""
        self._ask("release")

    def cut(self) -> None:
        """Cut the page's connections, as a lost network does; the client comes back by itself."""
        self._ask("cut")

    def close(self) -> None:
        """Take the component off the page."""
        self._ask("close")

    def _wait_state(self, of: str, timeout_s: float, *, expected: Json, **control: str) -> None:
        details = {"of": of, "control": control, "expected": expected, "wait_s": timeout_s}
        self._ask("wait_state", extra_s=timeout_s, **details)

    def _wait(self, text: str, *, present: bool, timeout_s: float) -> None:
        self._ask("wait", extra_s=timeout_s, text=text, present=present, wait_s=timeout_s)
