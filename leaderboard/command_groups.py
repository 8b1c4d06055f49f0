"""Groups of commands: imported when called, strict about options, with options of the program."""

import difflib
import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
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


def format_examples(*lines: str) -> str:
    """Return the examples of a help text; the mark at its start keeps click from joining lines."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class ProjectCommand(click.Command):
    """A command whose help lists the options of the whole program apart from its own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command, then those of the whole program."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for title, shared in (("Options", False), ("Options of the program", True)):
            listed = [each for each in options if isinstance(each, SharedOption) is shared]
            records = [record for each in listed if (record := each.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they are called.

    They use no value of the command line silently in place of another.
    """

    def __init__(
        self,
        name: str,
        table: Mapping[str, "tuple[str, str] | LazyGroup"],
        examples: Sequence[str] = (),
        **settings: object,
    ) -> None:
        """Store the subcommands: each is a module and a line of help, or a group.

        The function of ``from-run`` in its module is ``from_run_command``.
        """
        settings.setdefault("epilog", format_examples(*examples))
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
            click.UsageError: there is no such command, and the message proposes the nearest name;
                or an option of it that takes one value is given twice; or an option of the program
                is given that it does not use.
        """
        close = difflib.get_close_matches(args[0], self._table, n=1)
        if args[0] not in self._table and close:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
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
