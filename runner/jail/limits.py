"""The limits of all programs that grading starts.

An eval's own limits (``eval.toml``) are times; the limits here also bound memory, processes and
files. A jailed program that passes a limit is ended; `runner.jail.spec.JailLimits` explains each
limit. If ``wall_s`` is infinite, a process serves many answers, and each answer has the time limit
of its step.
"""

import math
from typing import Final

from runner.jail.deadlines import MOST
from runner.jail.spec import JailLimits

EMULATOR: Final = JailLimits(wall_s=600, cpu_s=300, memory_mb=1500)
"""The limits of each of a deployment's two processes: the backend, and the model's code."""

PAGE_RENDERER: Final = JailLimits(wall_s=600, cpu_s=120, memory_mb=1500)
PAGE_RENDERER_START_S: Final = 30.0

PACKING: Final = JailLimits(wall_s=600, memory_mb=3000, file_size_mb=500, disk_mb=500)

LINTER: Final = JailLimits(wall_s=math.inf, memory_mb=3000)
LINTER_START_S: Final = 60.0


WRITTEN_TESTS_START_S: Final = 30.0

VITEST: Final = JailLimits(wall_s=math.inf, memory_mb=3000)
VITEST_START_S: Final = 60.0

GRADING_WORKER_MEMORY: Final = 2_000_000_000
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
