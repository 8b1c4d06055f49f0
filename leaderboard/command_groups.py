"""Groups of commands: imported when called, strict about options, with options of the program."""

import difflib
import importlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource


class SharedOption(click.Option):
    """An option of the whole program, in a command that uses it.

    The value may stand before or after the command. The last one on the command line counts.
    """

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, ParameterSource]:
        """Return the value of the command, or else of a group or the program before it."""
        value, source = super().consume_value(ctx, opts)
        name, outer = self.name or "", ctx.parent
        while outer is not None and source is not ParameterSource.COMMANDLINE:
            if outer.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                value, source = outer.params[name], ParameterSource.COMMANDLINE
            outer = outer.parent
        return value, source


class SharingCommand(click.Command):
    """A command whose help lists the options of the whole program apart from its own."""

    def __init__(self, command: click.Command) -> None:
        """Take over ``command``, with its own options and those that it shares."""
        super().__init__(
            command.name,
            context_settings=command.context_settings,
            callback=command.callback,
            params=[each for each in command.params if not isinstance(each, SharedOption)],
            help=command.help,
            epilog=command.epilog,
            short_help=command.short_help,
        )
        self.shared = [each for each in command.params if isinstance(each, SharedOption)]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters that the command line may have."""
        own = super().get_params(ctx)
        return [*own[: len(self.params)], *self.shared, *own[len(self.params) :]]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command, then those of the whole program."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        own = [option for option in options if option not in self.shared]
        for title, listed in (("Options", own), ("Options of the program", self.shared)):
            records = [record for each in listed if (record := each.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class StrictGroup(click.Group):
    """A group whose commands use no value of the command line silently in place of another."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand; None if there is none of this name."""
        command = super().get_command(ctx, cmd_name)
        if command is None or isinstance(command, click.Group):
            return command
        return SharingCommand(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called, and its arguments.

        Raises:
            click.UsageError: there is no such command; or an option of it that takes one value is
                given twice; or an option of the program is given that it does not use.
        """
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            context = click.Context(command, ctx, name)
            # An option that takes one value and is given twice: click would use only the last.
            # Values of the environment do not count, as the command line has precedence.
            _, _, given = command.make_parser(context).parse_args([*rest])
            for parameter, times in Counter(given).items():
                if times > 1 and isinstance(parameter, click.Option) and takes_one_value(parameter):
                    names = " / ".join([*parameter.opts, *parameter.secondary_opts])
                    reason = f"{names}: given {times} times, but takes one value"
                    raise click.UsageError(reason, context)
            program = context.find_root()
            used = {parameter.name for parameter in command.get_params(context)}
            for option in () if isinstance(command, click.Group) else program.command.params:
                source = program.get_parameter_source(option.name or "")
                is_shared = isinstance(option, SharedOption)
                if is_shared and source is ParameterSource.COMMANDLINE and option.name not in used:
                    reason = f"{option.opts[0]}: this command does not use it"
                    raise click.UsageError(reason, context)
        return name, command, rest


class LazyGroup(StrictGroup):
    """A group whose subcommands are imported when they are called."""

    def __init__(
        self, name: str, table: Mapping[str, "tuple[str, str] | LazyGroup"], **settings: object
    ) -> None:
        """Store the subcommands: each is a module and a line of help, or a group.

        The function of ``from-run`` in its module is ``from_run_command``.
        """
        super().__init__(name, **settings)  # pyright: ignore[reportArgumentType] - click's own settings
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, in the table's order."""
        del ctx
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; None if there is none of this name."""
        entry = self._table.get(cmd_name)
        if isinstance(entry, LazyGroup):
            self.commands[cmd_name] = entry
        elif entry is not None and cmd_name not in self.commands:
            module = importlib.import_module(f"leaderboard.commands.{entry[0]}")
            self.commands[cmd_name] = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return super().get_command(ctx, cmd_name)

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
        lines = {
            name: entry.get_short_help_str() if isinstance(entry, LazyGroup) else entry[1]
            for name, entry in self._table.items()
        }
        with formatter.section("Commands"):
            formatter.write_dl([*lines.items()])


def takes_one_value(option: click.Option) -> bool:
    """Return whether an option has one value, or is a pair of opposite flags."""
    if option.is_flag:
        return bool(option.secondary_opts)
    return not (option.multiple or option.count)
