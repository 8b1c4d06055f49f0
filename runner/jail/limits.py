"""The limits of a jail, and their values for all programs that grading starts.

An eval's own limits (``eval.toml``) are times; the limits here also bound memory, processes and
files. A jailed program that passes a limit is ended. If ``wall_s`` is infinite, a process serves
many answers, and each answer has the time limit of its step.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

MOST = 10
"""The longest possible wait, in multiples of its limit."""

_CODE_MB = 540
"""Megabytes that V8 reserves for compiled code in a Node process. V8 uses little of it, but
RLIMIT_DATA counts all of it."""

_THREADS = 128
"""The number of threads that are allowed in addition to the processes."""


@dataclass(frozen=True, slots=True)
class JailLimits:
    """The limits of a jailed program. Past a limit it is killed, or the kernel refuses its request.

    Sizes (``_mb``) are in units of 1,000,000 bytes. ``processes`` counts processes without threads;
    the kernel counts both together: see ``tasks``. ``disk_mb`` bounds /tmp, and all data written to
    writable binds. ``process_mb`` is the memory limit of a single process, if it is lower than the
    limit of all processes together (``memory_mb``).
    """

    wall_s: float = 60.0
    cpu_s: float = math.inf
    memory_mb: int = 1500
    processes: int = 64
    file_size_mb: int = 100
    output_mb: int = 8
    disk_mb: int = 200
    process_mb: int | None = None

    @property
    def tasks(self) -> int:
        """The most processes and threads together that the kernel allows.

        Node alone has about eleven threads, a run of vitest thirty. Programs written in Go have
        more threads on machines with more processors. If processes without threads are more than
        ``processes``, the watch notices this and ends the program.
        """
        return self.processes + _THREADS

    @property
    def rlimits(self) -> Mapping[str, int]:
        """The kernel's limits of each process (setrlimit), in bytes and seconds, by their names.

        ``data`` is private writable memory, in which the stacks of threads count in full. A limit
        of address space (RLIMIT_AS) would stop V8 and Go at their start, because they reserve far
        more than they use.
        """
        data = ((self.process_mb or self.memory_mb + 500) + _CODE_MB) * 1_000_000
        cpu = {"cpu": math.ceil(self.cpu_s) + 1} if math.isfinite(self.cpu_s) else {}
        return {"data": data, "fsize": self.file_size_mb * 1_000_000, "core": 0, **cpu}


EMULATOR = JailLimits(wall_s=600, cpu_s=300, memory_mb=1500)
"""The limits of each of a deployment's two processes: the backend, and the model's code."""

PAGE_RENDERER = JailLimits(wall_s=600, cpu_s=120, memory_mb=1500)
PAGE_RENDERER_START_S = 30.0

PACKING = JailLimits(wall_s=600, memory_mb=3000, file_size_mb=500, disk_mb=500)

LINTER = JailLimits(wall_s=math.inf, memory_mb=3000)
LINTER_START_S = 60.0


WRITTEN_TESTS_START_S = 30.0

VITEST = JailLimits(wall_s=math.inf, memory_mb=3000)
VITEST_START_S = 60.0

GRADING_WORKER_MEMORY = 2_000_000_000
"""The most bytes of data of a process that runs a grader. This process is not jailed, and a
deployment could otherwise fill this machine's memory by large replies."""


def make_compiler_limits(limit_s: float) -> JailLimits:
    """Return the limits of one run of the TypeScript compiler; ``limit_s`` is processor time."""
    return JailLimits(wall_s=MOST * limit_s, cpu_s=limit_s, memory_mb=3000)


def make_written_tests_limits(limit_s: float) -> JailLimits:
    """Return the limits of a run of the answer's own tests over a version of the code.

    ``process_mb`` is less than ``memory_mb``, so that a process that fills the memory ends before
    the whole jail ends. Tests need less than 100 MB.
    """
    return JailLimits(wall_s=WRITTEN_TESTS_START_S + limit_s, memory_mb=1500, process_mb=1000)


def make_vitest_grader_limits(limit_s: float) -> JailLimits:
    """Return the limits of a grader in TypeScript, the programs that it starts included."""
    return JailLimits(wall_s=VITEST_START_S + limit_s, memory_mb=3000)


def make_command_grader_limits(limit_s: float) -> JailLimits:
    """Return the limits of a grader that is a program of a suite's author."""
    return JailLimits(wall_s=MOST * limit_s, memory_mb=2000)


def make_answer_program_limits(limit_s: float, memory_mb: int, processes: int) -> JailLimits:
    """Return the limits of one program of an answer that such a grader asks for."""
    return JailLimits(
        wall_s=MOST * limit_s, cpu_s=limit_s, memory_mb=memory_mb, processes=processes
    )
