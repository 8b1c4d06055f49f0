"""The forms of names that become file names; apart from the models, which take time to import."""

from typing import Final

RUN_ID: Final = r"^[0-9a-z]{16,40}$"
EXPERIMENT_NAME: Final = r"^[a-z0-9][a-z0-9_-]{0,39}$"
MODEL_SLUG: Final = r"^[a-z0-9][a-z0-9._-]{0,39}/[a-z0-9][a-z0-9._:-]{0,79}$"
BENCHMARK_ID: Final = r"^[0-9a-z][0-9a-z-]{3,39}$"
SESSION_ID: Final = r"^[0-9A-Za-z][0-9A-Za-z_-]{7,99}$"
AUDIT_ID: Final = r"^[0-9a-z][0-9a-z-]{3,39}-(?:0|[1-9][0-9]{0,9})$"
