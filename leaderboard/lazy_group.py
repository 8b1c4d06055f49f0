"""A group of commands that imports a command only when it is called."""

import difflib
import importlib
from collections.abc import Mapping

import click

from leaderboard.strict_group import StrictGroup


class LazyGroup(StrictGroup):
    """A group of subcommands with their help lines; each is in a module that has its name."""

    def __init__(self, package: str, table: Mapping[str, str], **settings: object) -> None:
        """Take the subcommands of ``table`` from the modules of ``package``."""
        named = {"name": package.rpartition(".")[2], **settings}
        super().__init__(**named)  # pyright: ignore[reportArgumentType] - click's own settings
        self._package = package
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, in the table's order."""
        del ctx
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; None if there is none of this name."""
        del ctx
        if cmd_name not in self._table:
            return None
        # Modules of some commands have other names, because "import" is a keyword and "-" is not
        # possible in an identifier.
        name = cmd_name.replace("import", "imports").replace("-", "_")
        module = importlib.import_module(f"{self._package}.{name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called, and its arguments.

        Raises:
            click.UsageError: there is no such command; the message proposes the nearest name.
        """
        name = args[0]
        close = difflib.get_close_matches(name, self._table, n=1)
        if name not in self._table and close:
            ctx.fail(f"No such command {name!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands with their help lines."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._table.items()))
