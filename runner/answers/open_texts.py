"""Comments and template literals of code, which may hold lines that look like ends of fences."""

import re
from typing import Final

_CODE: Final = re.compile(r"//|/\*|[`{}/]|'(?:[^'\\]|\\.)*'?|\"(?:[^\"\\]|\\.)*\"?")
_TEMPLATE: Final = re.compile(r"\\.|`|\$\{")
_PATTERN: Final = re.compile(r"/(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.){0,100}\]){1,100}/")
"""A regular expression in code; longer ones are read as divisions, to limit the steps."""
_BEFORE_PATTERN: Final = frozenset("=(,:[!&|?{};+-*%~^<>")


class OpenTexts:
    """The comment or template literal in which a line of code ends, if it ends in one."""

    def __init__(self) -> None:
        """Begin outside of both."""
        self._inside = ""
        """The sign that opened the text: ``/*`` or a backtick."""
        self._braces = [0]
        """The open braces of the code, and of each value within template literals around it."""

    @property
    def is_inside(self) -> bool:
        """Whether the lines so far end in a comment or a template literal."""
        return bool(self._inside) or len(self._braces) > 1

    def read_line(self, line: str) -> None:
        """Read the next line of the code."""
        at = 0
        while at < len(line):
            if self._inside == "/*":
                end = line.find("*/", at)
                if end < 0:
                    return
                self._inside, at = "", end + 2
                continue
            sign = (_TEMPLATE if self._inside else _CODE).search(line, at)
            if sign is None or sign[0] == "//":
                return
            at = sign.end()
            if self._inside:
                self._take_sign_of_template(sign[0])
            elif sign[0] == "/":
                at = _skip_pattern(line, sign.start())
            else:
                self._take_sign_of_code(sign[0])

    def _take_sign_of_template(self, sign: str) -> None:
        if sign == "`":
            self._inside = ""
        elif sign == "${":
            self._inside = ""
            self._braces.append(0)

    def _take_sign_of_code(self, sign: str) -> None:
        if sign in {"/*", "`"}:
            self._inside = sign
        elif sign == "{":
            self._braces[-1] += 1
        elif sign == "}" and self._braces[-1]:
            self._braces[-1] -= 1
        elif sign == "}" and len(self._braces) > 1:
            self._braces.pop()
            self._inside = "`"


def _skip_pattern(line: str, begin: int) -> int:
    """Return the position behind a slash, or behind the regular expression that it opens."""
    before = line[max(0, begin - 10) : begin].rstrip()
    is_opening = not before or before[-1] in _BEFORE_PATTERN or before.endswith("return")
    pattern = _PATTERN.match(line, begin) if is_opening else None
    return pattern.end() if pattern else begin + 1
