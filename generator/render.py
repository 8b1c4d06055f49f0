"""Jinja2 as this site uses it: strict, escaping, with filters for figures."""

from pathlib import Path
from typing import Any, Final, Protocol

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined

from generator.compiler import SiteEnvironment
from generator.contexts.shared import Frame
from generator.escaping import breakable

MISSING: Final = "\N{EN DASH}"
"""Shown where a value is not known."""


def environment(templates: Path, compiled: BytecodeCache | None = None) -> Environment:
    """Return the environment over the folder ``templates``; ``compiled`` keeps what it compiles."""
    env = SiteEnvironment(
        loader=FileSystemLoader(templates),
        bytecode_cache=compiled,
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a changed template gets an environment of its own
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(
        {
            "breakable": breakable,
            "percent": percent,
            "points": points,
            "dollars": dollars,
            "seconds": seconds,
            "p_value": p_value,
        }
    )
    return env


class PageContext(Protocol):
    """What every page is given: a named tuple with a frame."""

    @property
    def frame(self) -> Frame:
        """What the layout needs."""
        ...

    def _asdict(self) -> dict[str, Any]: ...


def render(env: Environment, template: str, page: PageContext, **site: Any) -> str:  # noqa: ANN401 - Jinja2 takes any value
    """Render ``page``, whose fields are the template's variables."""
    # A public method, named so that it is no field: "Named Tuples" in Python's own documentation.
    values = page._asdict()  # pyright: ignore[reportPrivateUsage] - see above
    return env.get_template(template).render(**values, **site)


_TEN_CENTS: Final = 0.1
_TWO_MINUTES: Final = 120
_SMALLEST_P: Final = 0.001


def percent(value: float | None) -> str:
    """Write a percentage with one digit, as tables align it."""
    return MISSING if value is None else f"{value:.1f}"


def points(value: float | None, digits: int = 1) -> str:
    """Write a difference in percentage points with its sign, which is a true minus."""
    if value is None:
        return MISSING
    rounded = round(value, digits)
    return signed(f"{abs(rounded):.{digits}f}", rounded)


def signed(text: str, value: float) -> str:
    """Put the sign of ``value`` before ``text``."""
    if value == 0:
        return text
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text


def dollars(value: float | None) -> str:
    """Write an amount so that small ones still show two significant digits."""
    if value is None:
        return MISSING
    return f"${value:.2f}" if value == 0 or value >= _TEN_CENTS else f"${value:.2g}"


def seconds(value: float | None) -> str:
    """Write a duration in the unit a reader would choose."""
    if value is None:
        return MISSING
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < _TWO_MINUTES:
        return f"{value:.1f} s"
    return f"{value / 60:.0f} min"


def p_value(value: float | None) -> str:
    """Write a p-value with two digits that count, and never as zero."""
    if value is None:
        return MISSING
    return "< 0.001" if value < _SMALLEST_P else f"{value:.2g}"
