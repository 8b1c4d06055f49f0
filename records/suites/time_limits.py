"""Time limits of an eval's steps, tests included: the defaults, and the shape in `eval.toml`."""

from typing import Annotated

from pydantic import Field

from records.shapes.base import Record

_Limit = Annotated[float, Field(gt=0, le=600)]


class EvalLimits(Record):
    """Longest time of each step, in seconds."""

    deploy_s: _Limit = 30
    typecheck_s: _Limit = 60
    lint_s: _Limit = 60
    tests_s: _Limit = 60
