"""A group of commands that refuses an option of one value that is given twice."""

from collections import Counter

import click


class StrictGroup(click.Group):
    """A group whose commands use no value of the command line silently in place of another."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called, and its arguments.

        Raises:
            click.UsageError: there is no such command, or an option of it that takes one value is
                given twice.
        """
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            _refuse_repeated_options(command, click.Context(command, ctx, name), rest)
        return name, command, rest


def _refuse_repeated_options(
    command: click.Command, context: click.Context, arguments: list[str]
) -> None:
    """Refuse an option that takes one value and is given twice; click would use only the last.

    Values of the environment do not count, because the command line takes precedence over them.

    Raises:
        click.UsageError: such an option is given twice.
    """
    _, _, given = command.make_parser(context).parse_args([*arguments])
    for parameter, times in Counter(given).items():
        if times > 1 and isinstance(parameter, click.Option) and takes_one_value(parameter):
            names = " / ".join([*parameter.opts, *parameter.secondary_opts])
            raise click.UsageError(f"{names}: given {times} times, but takes one value", context)


def takes_one_value(option: click.Option) -> bool:
    """Return whether an option has one value, or is a pair of opposite flags."""
    if option.is_flag:
        return bool(option.secondary_opts)
    return not (option.multiple or option.count)
