"""Time limits of the steps of an eval: their defaults, and their shape in `eval.toml`."""

from typing import Annotated

from pydantic import Field

from records.shapes.base import Record

_Limit = Annotated[float, Field(gt=0, le=600)]


class EvalLimits(Record):
    """The longest time of each step, in seconds."""

    deploy_s: _Limit = 30
    typecheck_s: _Limit = 60
    lint_s: _Limit = 60
    tests_s: _Limit = 60
