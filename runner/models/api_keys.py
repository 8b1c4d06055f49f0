"""The keys of providers: read from the environment or .env, and hidden in all output."""

import base64
import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus

from records.shapes.registry import ModelEntry
from runner.errors import MissingKeyError

HIDDEN = "[key]"
"""The text in place of a key."""

SHORTEST = 6
"""The fewest characters of a key that is hidden; a shorter value may be an ordinary word."""

SERVER_KEY = "LEADERBOARD_API_KEY"
"""The variable with the key for a server that is given by its address, if it needs a key."""

PROVIDER_KEYS: Mapping[str, tuple[str, ...]] = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY"),
    "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"),
    "huggingface": ("HF_TOKEN", "HUGGINGFACE_API_KEY"),
    "cohere_chat": ("COHERE_API_KEY", "CO_API_KEY"),
}
"""The variables of providers whose names do not follow from litellm's name of the provider."""

OWN_SERVERS = frozenset(
    {"hosted_vllm", "llamafile", "lm_studio", "ollama", "ollama_chat", "xinference"}
)
"""litellm's providers that are programs on a user's own machine."""

KEYLESS = OWN_SERVERS | {
    "azure",  # the providers from here on authenticate in other ways
    "azure_ai",
    "bedrock",
    "bedrock_converse",
    "sagemaker",
    "vertex_ai",
}
"""litellm's providers whose requests do not need a key from a single variable."""

_NAMES = re.compile(r"(_|^)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_|$)")
_NO_SECRETS = frozenset({"GPG_KEY"})
"""Variables that are called a key and hold none: containers with Python have a fingerprint."""
_LOOKS_LIKE_KEY = re.compile(
    r"""
    (?P<lead>\bBearer\s+|\bBasic\s+
        |["']?\b(?:x-api-key|x-goog-api-key|api[-_]key|authorization|access_token|key)["']?
         \s*[:=]\s*["']?(?:Bearer\s+|Basic\s+)?)
    [^\s"',;&<>)}\]]{6,}
    |\b(?:o?sk|pk|gsk|xai|key|fw|r8|hf|AIza)[-_][\w*.-]{8,}
    |\bAIza[\w-]{20,}
    """,
    re.VERBOSE | re.IGNORECASE,
)


def load_keys() -> None:
    """Load the nearest .env file, from the current folder upward, into the environment.

    Variables that are set already keep their values.
    """
    from dotenv import find_dotenv, load_dotenv  # noqa: PLC0415 - an optional part, for runs only

    if path := find_dotenv(usecwd=True):
        load_dotenv(path)


def list_key_variables(provider: str) -> tuple[str, ...]:
    """Return the variables that may hold the key of a litellm provider; empty if it needs none."""
    if provider in KEYLESS:
        return ()
    return PROVIDER_KEYS.get(provider, (f"{provider.upper()}_API_KEY",))


def read_key(entry: ModelEntry) -> str | None:
    """Return the key for requests to ``entry``; None if it needs none.

    Raises:
        MissingKeyError: the variable of the key is not set.
    """
    if entry.api_key_env is None:
        return None
    value = os.environ.get(entry.api_key_env, "").strip()
    if not value:
        raise MissingKeyError(
            f"{entry.slug} needs a key: set {entry.api_key_env} in the environment or in .env"
        )
    return value


class Redactor:
    """Hides keys in text: known keys by their values, other keys by their form."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Store ``secrets``, the known keys, in every encoding in which a text may have them."""
        forms: set[str] = set()
        for secret in secrets:
            if len(secret) >= SHORTEST:
                encoded = base64.b64encode(secret.encode()).decode()
                forms |= {secret, quote(secret, safe=""), quote_plus(secret)}
                forms |= {encoded, encoded.rstrip("=")}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))  # the longest first
        self._known = re.compile("|".join(map(re.escape, self._forms)))

    def hide_known_keys(self, text: str) -> str:
        """Return ``text`` with the known keys hidden."""
        # A plain search first: replies are long, and hardly ever hold a key.
        if not any(form in text for form in self._forms):
            return text
        return self._known.sub(HIDDEN, text)

    def hide_keys(self, text: str) -> str:
        """Return ``text`` with the known keys hidden, and all text that has the form of a key."""
        return _LOOKS_LIKE_KEY.sub(
            lambda match: f"{match.group('lead') or ''}{HIDDEN}", self.hide_known_keys(text)
        )


def make_redactor(*keys: str | None) -> Redactor:
    """Return a redactor of ``keys`` and of the variables whose names are those of secrets."""
    environment_keys = (value for name, value in os.environ.items() if _NAMES.search(name.upper()))
    return Redactor([*environment_keys, *filter(None, keys)])


def find_key_variables() -> list[str]:
    """Return the variables whose names are those of secrets and that are not empty, sorted."""
    return sorted(
        name
        for name, value in os.environ.items()
        if value and _NAMES.search(name.upper()) and name not in _NO_SECRETS
    )
