"""The books of one build: what stays as it was, and what was made anew."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from generator.cache import KeptOutput, State
from generator.errors import ClashError
from generator.output import RenderedFile, Staging
from generator.workers import shared_out

if TYPE_CHECKING:
    from generator.units import Unit


class Making:
    """Carries what is still good from the state before to the one after, and makes the rest."""

    def __init__(self, before: State, after: State, staging: Staging) -> None:
        self.before = before
        self.after = after
        self.staging = staging
        self.made: list[RenderedFile] = []
        """Files that were made anew."""
        self.read: list[str] = []
        """Records, reports and archives that were read."""
        self._paths: dict[str, list[str]] = {}
        for path, one in before.pages.items():
            self._paths.setdefault(one.unit, []).append(path)

    def make(self, units: "Iterable[Unit]") -> None:
        """Make those units that are not what they were."""
        due: list[Unit] = []
        for unit in units:
            if self.before.units.get(unit.name) == unit.key:
                self.keep(unit.name, unit.key)
            else:
                due.append(unit)
        keys = {unit.name: unit.key for unit in due}
        for name, made in shared_out(self._rendered, due):
            self.take(name, keys[name], made)

    def keep(self, unit: str, key: str) -> None:
        """Take over a unit with its files."""
        self.after.units[unit] = key
        for path in self._paths.get(unit, ()):
            self._claim(path, self.before.pages[path])

    def take(self, unit: str, key: str, made: Iterable[RenderedFile] | None) -> None:
        """Take a unit's files as they were made; None for those it had."""
        if made is None:
            self.keep(unit, key)
            return
        self.after.units[unit] = key
        for one in made:
            self._claim(one.path, KeptOutput(unit, (0, 0, 0)))
            self.made.append(one)

    def _rendered(self, unit: "Unit") -> tuple[str, list[RenderedFile]]:
        return unit.name, [self.staging.put(path, data) for path, data in unit.make()]

    def _claim(self, path: str, output: KeptOutput) -> None:
        if path in self.after.pages:
            other = self.after.pages[path].unit
            raise ClashError(f"{other} and {output.unit} both make {path}")
        self.after.pages[path] = output
