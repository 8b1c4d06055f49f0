"""The limits of every program that grading starts, in one table.

The limits of an eval's steps (``eval.toml``) count only time; the limits here bound the resources
of a step. A jailed program that passes a limit is ended; `runner.jail.spec.JailLimits` explains
each limit. Where ``wall_s`` is infinite, a process stays for many answers, and each answer has the
time limit of its step.
"""

import math
from typing import Final

from runner.jail.deadlines import MOST
from runner.jail.spec import JailLimits

EMULATOR: Final = JailLimits(wall_s=600, cpu_s=300, memory_mb=1500)
"""Each of the two processes of a deployment: the backend, and the model's code."""

PAGE_RENDERER: Final = JailLimits(wall_s=600, cpu_s=120, memory_mb=1500)
PAGE_RENDERER_START_S: Final = 30.0

PACKING: Final = JailLimits(wall_s=600, memory_mb=3000, file_size_mb=500, disk_mb=500)

LINTER: Final = JailLimits(wall_s=math.inf, memory_mb=3000)
LINTER_START_S: Final = 60.0


WRITTEN_TESTS_START_S: Final = 30.0

VITEST: Final = JailLimits(wall_s=math.inf, memory_mb=3000)
VITEST_START_S: Final = 60.0

GRADING_WORKER_MEMORY: Final = 2_000_000_000
"""Bytes of data in a process that runs a grader. It is not jailed, and the answers of a deployment
must not fill this machine's memory."""


def compiler(limit_s: float) -> JailLimits:
    """Return the limits of one run of the TypeScript compiler; ``limit_s`` is processor time."""
    return JailLimits(wall_s=MOST * limit_s, cpu_s=limit_s, memory_mb=3000)


def written_tests(limit_s: float) -> JailLimits:
    """Return the limits of the answer's own tests over one version of the code.

    A process that fills the memory ends alone, before the jail ends all processes; tests need less
    than 100 MB.
    """
    return JailLimits(wall_s=WRITTEN_TESTS_START_S + limit_s, memory_mb=1500, process_mb=1000)


def vitest_grader(limit_s: float) -> JailLimits:
    """Return the limits of a grader in TypeScript, the programs that it starts included."""
    return JailLimits(wall_s=VITEST_START_S + limit_s, memory_mb=3000)
