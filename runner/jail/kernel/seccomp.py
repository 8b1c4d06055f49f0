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
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import Final

_REFUSED: Final[Mapping[str, tuple[int, int | None]]] = MappingProxyType(
    {
        # making and entering namespaces; clone is checked below
        "unshare": (272, 97),
        "setns": (308, 268),
        # mounting
        "mount": (165, 40),
        "umount2": (166, 39),
        "pivot_root": (155, 41),
        "chroot": (161, 51),
        "open_tree": (428, 428),
        "move_mount": (429, 429),
        "fsopen": (430, 430),
        "fsconfig": (431, 431),
        "fsmount": (432, 432),
        "fspick": (433, 433),
        "mount_setattr": (442, 442),
        "statmount": (457, 457),
        "listmount": (458, 458),
        # files by a number instead of a path
        "name_to_handle_at": (303, 264),
        "open_by_handle_at": (304, 265),
        # keyrings
        "add_key": (248, 217),
        "request_key": (249, 218),
        "keyctl": (250, 219),
        # reading and writing other processes
        "ptrace": (101, 117),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "kcmp": (312, 272),
        "pidfd_getfd": (438, 438),
        "process_madvise": (440, 440),
        "process_mrelease": (448, 448),
        # programs in the kernel, and watching it
        "bpf": (321, 280),
        "perf_event_open": (298, 241),
        "userfaultfd": (323, 282),
        "fanotify_init": (300, 262),
        "fanotify_mark": (301, 263),
        "lookup_dcookie": (212, 18),
        "syslog": (103, 116),
        # the machine itself
        "init_module": (175, 105),
        "finit_module": (313, 273),
        "delete_module": (176, 106),
        "create_module": (174, None),
        "query_module": (178, None),
        "get_kernel_syms": (177, None),
        "kexec_load": (246, 104),
        "kexec_file_load": (320, 294),
        "reboot": (169, 142),
        "swapon": (167, 224),
        "swapoff": (168, 225),
        "acct": (163, 89),
        "quotactl": (179, 60),
        "quotactl_fd": (443, 443),
        "nfsservctl": (180, 42),
        "vhangup": (153, 58),
        "sethostname": (170, 161),
        "setdomainname": (171, 162),
        "settimeofday": (164, 170),
        "clock_settime": (227, 112),
        "clock_adjtime": (305, 266),
        "adjtimex": (159, 171),
        "_sysctl": (156, None),
        "sysfs": (139, None),
        "ustat": (136, None),
        "uselib": (134, None),
        # the processor
        "iopl": (172, None),
        "ioperm": (173, None),
        "modify_ldt": (154, None),
        "personality": (135, 92),
        "migrate_pages": (256, 238),
        # memory that no other process can read, and that does not count as the jail's
        "memfd_secret": (447, 447),
        # Without control groups the kernel shares processor time between sessions: with more
        # sessions a jail would get more time.
        "setsid": (112, 157),
    }
)
"""Calls that fail with EPERM, by their numbers on x86_64 and aarch64."""

_UNKNOWN: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "io_uring_setup": (425, 425),
        "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
        # The arguments of clone3 are in memory, where a filter cannot read them. Libraries then
        # use clone.
        "clone3": (435, 435),
    }
)
"""Calls that fail with ENOSYS, as on a kernel without them: programs then use other calls."""

_CHECKED: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {"clone": (56, 220), "socket": (41, 198), "socketpair": (53, 199), "ioctl": (16, 29)}
)
"""Calls that are allowed or refused by their arguments."""
_FIRST_NEW: Final = 467
"""From this number on calls are newer than this list, or of x32 programs: they fail with ENOSYS."""

_NAMESPACES: Final = 0x7E02_0000
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


_ALLOWED: Final[_Step] = (_RETURN, 0, 0, _ALLOW)


_MACHINES: Final = {
    "x86_64": (0xC000_003E, 0),
    "amd64": (0xC000_003E, 0),
    "aarch64": (0xC000_00B7, 1),
    "arm64": (0xC000_00B7, 1),
}
"""The number of an architecture, and the column of its calls in the tables above."""


def is_known(machine: str | None = None) -> bool:
    """Return true if there is a filter for a kind of processor, by default this machine's."""
    return (machine or platform.machine()).lower() in _MACHINES


def get_call_numbers(machine: str | None = None) -> dict[str, int]:
    """Return the numbers of the listed calls by name, by default for this machine's processor."""
    _, column = _find_machine(machine)
    calls = {**_REFUSED, **_UNKNOWN, **_CHECKED}
    return {name: each for name, pair in calls.items() if (each := pair[column]) is not None}


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
            return [_fail(errno.ENOSYS if name in _UNKNOWN else errno.EPERM)]


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
