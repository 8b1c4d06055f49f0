"""The filter of system calls (seccomp) of a jailed program.

Namespaces and user ids restrict no system calls, so faults of the kernel's rarer calls could be
used. The filter refuses calls that no answer needs: namespaces and mounts, keyrings, io_uring,
reading other processes, unusual socket families, tasks of root. The filter is a program for the
kernel's classic packet filter (BPF). Its input is the architecture, the number of the call and the
arguments; its result is an action.
"""

import errno
import os
import platform
import struct
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_FIRST_NEW = 467
"""From this number on calls are newer than the listed ones, or of x32 programs: ENOSYS."""

_NAMESPACES = 0x7E02_0000
"""The flags of clone that make a namespace: mount, cgroup, uts, ipc, user, pid and network."""
_UNIX, _INET, _INET6, _NETLINK, _ROUTE = 1, 2, 10, 16, 0
"""Families of sockets, and the protocol of netlink by which Node reads network interfaces."""
_PUSH_INPUT, _CONSOLE = 0x5412, 0x541C
"""ioctl's TIOCSTI and TIOCLINUX, which type into a terminal."""

# BPF_LD|BPF_W|BPF_ABS and so on, from linux/filter.h and linux/seccomp.h.
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _FAIL = 0x7FFF_0000, 0x0005_0000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""The offsets in the filter's input; arguments are 8 bytes each, the lower half first."""

_Step = tuple[int, int, int, int]
"""An instruction: its code, the steps to skip if true and if false, and its operand."""


_ALLOWED: _Step = (_RETURN, 0, 0, _ALLOW)


_MACHINES = {
    "x86_64": (0xC000_003E, 0),
    "amd64": (0xC000_003E, 0),
    "aarch64": (0xC000_00B7, 1),
    "arm64": (0xC000_00B7, 1),
}
"""The number of an architecture, and the column of its calls in ``system_calls.toml``."""


def is_known(machine: str | None = None) -> bool:
    """Return true if there is a filter for a kind of processor, by default this machine's."""
    return (machine or platform.machine()).lower() in _MACHINES


def get_call_numbers(machine: str | None = None) -> dict[str, int]:
    """Return the numbers of the listed calls by name, by default for this machine's processor."""
    _, column = _find_machine(machine)
    groups = _read_calls().values()
    numbers = {name: pair[column] for calls in groups for name, pair in calls.items()}
    return {name: number for name, number in numbers.items() if number >= 0}


@cache
def _read_calls() -> dict[str, dict[str, list[int]]]:
    """Return the calls of ``system_calls.toml`` by their group."""
    path = Path(__file__).with_name("system_calls.toml")
    return tomllib.loads(path.read_text("utf-8"))


@cache
def assemble(machine: str | None = None) -> bytes:
    """Return the bytes of the filter for a kind of processor, by default this machine's."""
    call_numbers = get_call_numbers(machine)
    steps: list[_Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, _find_machine(machine)[0]),
        _fail(errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_AT_LEAST, 0, 1, _FIRST_NEW),
        _fail(errno.ENOSYS),
    ]
    for name, number in call_numbers.items():
        steps += _branch_if_equal(number, _make_call_steps(name))
    steps.append(_ALLOWED)
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


@contextmanager
def as_descriptor() -> Generator[int]:
    """Yield the number of an open file with the filter, until the end of the block."""
    # Each caller gets its own file: a reader moves the file's position, which all processes that
    # inherit the file share.
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, assemble())
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _find_machine(machine: str | None) -> tuple[int, int]:
    return _MACHINES[(machine or platform.machine()).lower()]


def _make_call_steps(name: str) -> list[_Step]:
    """Return the steps that follow after the number of this call matched."""
    match name:
        case "clone":
            return [
                _load_argument(0),
                (_IF_ANY_BIT, 1, 0, _NAMESPACES),
                _ALLOWED,
                _fail(errno.EPERM),
            ]
        case "ioctl":
            return [
                _load_argument(1),
                *_branch_on((_PUSH_INPUT, _CONSOLE), _fail(errno.EPERM), _ALLOWED),
            ]
        case "socketpair":
            return [_load_argument(0), *_branch_on((_UNIX,), _ALLOWED, _fail(errno.EAFNOSUPPORT))]
        case "socket":
            refused = _fail(errno.EAFNOSUPPORT)
            netlink = [_load_argument(2), *_branch_on((_ROUTE,), _ALLOWED, refused)]
            families = _branch_on((_UNIX, _INET, _INET6), _ALLOWED, refused)
            return [_load_argument(0), *_branch_if_equal(_NETLINK, netlink), *families]
        case _:
            return [_fail(errno.ENOSYS if name in _read_calls()["unknown"] else errno.EPERM)]


def _branch_if_equal(value: int, steps: list[_Step]) -> list[_Step]:
    """Return code that runs ``steps`` if the loaded value is ``value``; ``steps`` must return."""
    return [(_IF_EQUAL, 0, len(steps), value), *steps]


def _branch_on(values: tuple[int, ...], met: _Step, unmet: _Step) -> list[_Step]:
    """Return code that runs ``met`` if the loaded value is in ``values``, else ``unmet``.

    Both must be returns.
    """
    count = len(values)
    tests = [(_IF_EQUAL, count - index, 0, value) for index, value in enumerate(values)]
    return [*tests, unmet, met]


def _load_argument(index: int) -> _Step:
    return _LOAD, 0, 0, _ARGUMENTS + 8 * index


def _fail(number: int) -> _Step:
    return _RETURN, 0, 0, _FAIL | number
