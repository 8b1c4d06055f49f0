"""System calls that are refused: tried by real programs, and read for both processors."""

import errno
import json
import struct
from typing import TypeAlias

import pytest

from runner.errors import SandboxUnavailableError
from runner.jail import JailSpec, open_jail
from runner.jail.kernel import seccomp
from tests.runner.jail.conftest import QUICK, Prison, run_in_child
from tests.support.texts import read_texts

pytestmark = pytest.mark.unit

TEXTS = read_texts(__file__)

X32 = 0x4000_0000
NEW_USER, NEW_NET, SIGCHLD = 0x1000_0000, 0x4000_0000, 17
UNIX, INET, INET6, NETLINK, KEY, PACKET, ALG, VSOCK = 1, 2, 10, 16, 15, 17, 38, 40
STREAM, RAW = 1, 3
ROUTE, AUDIT = 0, 9
PUSH_INPUT, WINDOW_SIZE = 0x5412, 0x5413
ALLOW, FAIL = 0x7FFF_0000, 0x0005_0000
ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
I386 = 0x4000_0003

_Arguments: TypeAlias = tuple[int | str, ...]
TRIED: list[tuple[str, _Arguments, int]] = [
    ("io_uring_setup", (8, 0), errno.ENOSYS),
    ("clone3", (0, 0), errno.ENOSYS),
    ("clone", (NEW_USER | SIGCHLD, 0, 0, 0, 0), errno.EPERM),
    ("clone", (NEW_NET | SIGCHLD, 0, 0, 0, 0), errno.EPERM),
    ("unshare", (NEW_USER,), errno.EPERM),
    ("setns", (0, 0), errno.EPERM),
    ("keyctl", (0, -3, 0), errno.EPERM),
    ("add_key", ("user", "name", "value", 5, -3), errno.EPERM),
    ("request_key", ("user", "name", 0, 0), errno.EPERM),
    ("socket", (VSOCK, STREAM, 0), errno.EAFNOSUPPORT),
    ("socket", (ALG, 5, 0), errno.EAFNOSUPPORT),
    ("socket", (PACKET, RAW, 0), errno.EAFNOSUPPORT),
    ("socket", (KEY, RAW, 2), errno.EAFNOSUPPORT),
    ("socket", (NETLINK, RAW, AUDIT), errno.EAFNOSUPPORT),
    ("socketpair", (INET, STREAM, 0, 0), errno.EAFNOSUPPORT),
    ("ptrace", (0, 0, 0, 0), errno.EPERM),
    ("process_vm_readv", (1, 0, 0, 0, 0, 0), errno.EPERM),
    ("mount", ("none", "/usr", "tmpfs", 0, 0), errno.EPERM),
    ("umount2", ("/usr", 2), errno.EPERM),
    ("open_tree", (-100, "/usr", 1), errno.EPERM),
    ("fsopen", ("tmpfs", 0), errno.EPERM),
    ("pivot_root", ("/usr", "/usr"), errno.EPERM),
    ("chroot", ("/usr",), errno.EPERM),
    ("bpf", (0, 0, 0), errno.EPERM),
    ("perf_event_open", (0, 0, -1, -1, 0), errno.EPERM),
    ("userfaultfd", (0,), errno.EPERM),
    ("open_by_handle_at", (-100, 0, 0), errno.EPERM),
    ("kexec_load", (0, 0, 0, 0), errno.EPERM),
    ("init_module", (0, 0, ""), errno.EPERM),
    ("finit_module", (0, "", 0), errno.EPERM),
    ("setsid", (), errno.EPERM),
    ("ioctl", (0, PUSH_INPUT, "x"), errno.EPERM),
    # allowed calls, which get the kernel's own answer
    ("ioctl", (0, WINDOW_SIZE, "x" * 8), errno.ENOTTY),
    ("socket", (UNIX, STREAM, 0), 0),
    ("socket", (INET, STREAM, 0), 0),
    ("socket", (INET6, STREAM, 0), 0),
    ("socket", (NETLINK, RAW, ROUTE), 0),
]
"""Calls, and the error of each; 0 is success."""


def _write_program(calls: list[tuple[int, _Arguments]]) -> str:
    """Write a program that makes each call and prints its error."""
    return "".join(
        # The program passes texts as variables, because the kernel needs their address in memory.
        f"@given = ({', '.join(map(json.dumps, arguments))});"
        f'print syscall({number}, @given) < 0 ? $! + 0 : 0, "\\n";'
        for number, arguments in calls
    )


def _collect_errors(prison: Prison, calls: list[tuple[int, _Arguments]]) -> bytes:
    """Make each of these calls in a jail; return the errors, one a line."""
    done = prison.jail.run(JailSpec(("/usr/bin/perl", "-e", _write_program(calls)), limits=QUICK))
    return done.stdout + done.stderr


@pytest.mark.integration
@pytest.mark.parametrize("ordinary", [False, True])
def test_files_that_no_answer_needs_are_refused(prison: Prison, ordinary: bool) -> None:  # noqa: FBT001
    """Real calls fail as in this list, for root and other users; usual sockets are allowed."""
    numbers = seccomp.get_call_numbers()
    calls = [(numbers[name], arguments) for name, arguments, _ in TRIED]
    errors = run_in_child(lambda: _collect_errors(prison, calls), ordinary=ordinary)
    pairs = zip(TRIED, map(int, errors.split()), strict=True)
    assert [(*call[:2], error) for call, error in pairs] == TRIED


@pytest.mark.integration
def test_calls_that_nobody_knows_are_not_there(prison: Prison) -> None:
    """Calls of programs of another size, and calls newer than the list, do not exist."""
    errors = _collect_errors(prison, [(X32 | 39, ()), (467, ()), (999, ())])
    assert errors.split() == [b"%d" % errno.ENOSYS] * 3


@pytest.mark.integration
def test_ordinary_programs_cannot_notice(prison: Prison) -> None:
    """Node with threads, children, sockets, interfaces and files works as it does outside."""
    done = prison.run_javascript(TEXTS["ordinary_programs_cannot_notice"])
    assert done.returncode == 0
    words = done.stdout.decode().split()
    assert words[:2] == ["child", "lo"]
    assert set(words[2:]) == {"42", "read", "served"}


def test_an_unknown_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the numbers of calls are unknown there is no jail, rather than one without a filter."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(SandboxUnavailableError, match="riscv64"):
        open_jail("bwrap")


# --- The program itself, read as the kernel reads it --------------------------------------------


def _run_filter(
    machine: str, architecture: int, number: int, arguments: tuple[int, ...] = ()
) -> int:
    """Run a filter on a call, as linux/filter.h describes its instructions."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=iIQ6Q", number, architecture, 0, *padded)
    program = list(struct.iter_unpack("=HBBI", seccomp.assemble(machine)))
    accumulator, position = 0, 0
    while True:
        code, if_true, if_false, operand = program[position]
        position += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, operand)
            case 0x15:
                position += if_true if accumulator == operand else if_false
            case 0x35:
                position += if_true if accumulator >= operand else if_false
            case 0x45:
                position += if_true if accumulator & operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"no instruction of the kernel: {code:#x}")


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_filter_shows_the_same_for_both_processors(machine: str) -> None:
    """The results of the list above hold by the numbers of either processor."""
    own, numbers = ARCHITECTURES[machine], seccomp.get_call_numbers(machine)
    for name, arguments, error in TRIED:
        values = tuple(0 if isinstance(each, str) else each & 0xFFFF_FFFF for each in arguments)
        passes = error in {0, errno.ENOTTY}
        expected = ALLOW if passes else FAIL | error
        assert _run_filter(machine, own, numbers[name], values) == expected, (name, arguments)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_filter_lets_no_other_architecture_through(machine: str) -> None:
    """Each call of 32-bit programs is unknown, because their numbers have another meaning."""
    other_architectures = {*ARCHITECTURES.values(), I386} - {ARCHITECTURES[machine]}
    for architecture in other_architectures:
        for number in range(500):
            assert _run_filter(machine, architecture, number) == FAIL | errno.ENOSYS


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_filter_lets_all_others_through(machine: str) -> None:
    """Every call that is not in the list is left to the kernel, up to the known calls."""
    own, listed_numbers = ARCHITECTURES[machine], set(seccomp.get_call_numbers(machine).values())
    for number in set(range(467)) - listed_numbers:
        assert _run_filter(machine, own, number) == ALLOW
    for number in (467, 500, X32, X32 | 39, 0x7FFF_FFFF):
        assert _run_filter(machine, own, number) == FAIL | errno.ENOSYS


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_threads_and_children_may_be_made(machine: str) -> None:
    """A clone that makes no namespace is allowed, because threads and children need it."""
    threads, own = 0x3D_0F00, ARCHITECTURES[machine]
    clone = seccomp.get_call_numbers(machine)["clone"]
    assert _run_filter(machine, own, clone, (threads,)) == ALLOW
    for bit in (17, 25, 26, 27, 28, 29, 30):
        assert _run_filter(machine, own, clone, (threads | 1 << bit,)) == FAIL | errno.EPERM
