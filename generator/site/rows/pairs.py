"""The cells of every model against every other."""

from generator.render.escaping import trusted
from generator.render.filters import p_value, points
from generator.scores.compare import Against

ITSELF = '<td class="self"></td>\n'
_CERTAIN = 0.001
"""Below it a p-value is not told exactly."""


def pair_cell(found: Against) -> str:
    """Return the difference in percentage points with its interval, counts and p-value."""
    low, high = found.interval.low, found.interval.high
    real = " real" if low > 0 or high < 0 else ""
    sign = "" if found.p_value < _CERTAIN else "= "
    return trusted(
        f'<td><span class="points{real}">{points(100 * found.difference)}</span>'
        f' <small class="ends">{points(100 * low)} to {points(100 * high)}</small><br>'
        f"<small>{found.better} : {found.worse}, p {sign}{_p_value(found.p_value)}</small></td>\n"
    )


def _p_value(value: float) -> str:
    return p_value(value).replace("<", "&lt;")
