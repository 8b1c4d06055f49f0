"""The parameters of the requests to a model, found by a dry request before any real request."""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from contextlib import aclosing, suppress
from functools import cache
from typing import Any, NamedTuple, NoReturn

from records.runs.sent_parameters import find_changed_parameters, find_limit, parse_sent_parameters
from records.shapes.attempt import SentValue
from records.shapes.registry import LIMIT_PARAMETERS, ModelEntry
from runner import errors
from runner.models.api_keys import make_redactor
from runner.models.registry import check_askable
from runner.models.requests.body import make_request_options
from runner.models.requests.heard import TRAFFIC, Outgoing, TakenOver, Traffic
from runner.models.requests.lazy_litellm import load_litellm

SYSTEM = "the system message of a dry request"
USER = "the user's message of a dry request"
"""The user's message. This and the system message can be recognized in the body of a request."""

LONGEST_S = 60.0
"""The most seconds of a dry request, which uses no network."""

_KEY = "key-of-a-dry-request"
"""The placeholder for a key that is not set."""

_OPENAI = "api.openai.com"
_OPENAIS_OWN = frozenset({"openai", "text-completion-openai", "custom_openai"})

_ADVICE = re.compile(
    r"(?<![\s.])[\s.]*+(To drop|If you want to use these params|Traceback \(most).*", re.DOTALL
)
"""The advice in litellm's errors, which users of commands cannot follow, and its tracebacks."""

_LONGEST = 400
"""The most characters that are quoted of an exception of litellm."""

_MISTAKES = (AttributeError, TypeError, KeyError, IndexError, NameError, RecursionError)
"""Exceptions that show a bug in this program or in litellm."""


class DryRequest(NamedTuple):
    """The result of a dry request to a model."""

    entry: ModelEntry
    """The model, with the sent limit on replies, even if litellm adds it."""
    sent: Mapping[str, SentValue]
    """The parameters of the requests."""
    host: str
    """The host that receives the requests."""


def make_dry_request(entry: ModelEntry, *, allow_changed: bool = False) -> DryRequest:
    """Return the parameters and the host of requests to ``entry``, without sending anything.

    No key is needed. ``allow_changed`` permits that litellm drops or changes parameters.

    Raises:
        NotAskableError: the model cannot be asked; the message has the reason.
        ChangedParametersError: a parameter would be dropped or changed, or is not supported.
        RequestNotMadeError: the request could not be made, because of a bug in a program.
    """
    check_askable(entry)
    # litellm reads addresses of providers in these variables.
    ends = ("_BASE_URL", "_API_BASE", "_BASE")
    addresses = tuple(sorted(item for item in os.environ.items() if item[0].endswith(ends)))
    outgoing = _capture_outgoing(entry.model_dump_json(), addresses)
    provider = entry.litellm_provider
    if entry.api_base is None and outgoing.host == _OPENAI and provider not in _OPENAIS_OWN:
        # litellm sends requests to OpenAI if it knows no address of the provider.
        raise errors.NotAskableError(
            f"{entry.litellm_id} cannot be asked: litellm knows no address of {provider}, and "
            f"would send prompt and key to {_OPENAI}"
        )
    try:
        sent = parse_sent_parameters(outgoing.body, SYSTEM, USER)
    except ValueError as error:
        raise errors.NotAskableError(f"{entry.litellm_id} cannot be asked: {error}") from error
    requested = dict(entry.parameters)
    if entry.output_limit is not None:
        requested.setdefault("max_tokens", entry.output_limit)
    differences = list(find_changed_parameters(requested, sent))
    if differences and not allow_changed:
        raise errors.ChangedParametersError(
            f"{entry.slug}: {'; '.join(map(str, differences))}: ask for values that "
            f"{entry.provider} takes, or give --allow-changed-parameters"
        )
    limit = find_limit(sent)
    if limit != entry.output_limit and not LIMIT_PARAMETERS & entry.parameters.keys():
        limits = entry.limits.model_copy(update={"max_output_tokens": limit})
        entry = entry.model_copy(update={"limits": limits})
    return DryRequest(entry, sent, outgoing.host)


@cache
def _capture_outgoing(written: str, addresses: tuple[tuple[str, str], ...]) -> Outgoing:
    """Return the request to an entry, which is given as JSON text, because the result is cached.

    ``addresses`` are those in the environment, which are a part of the cache's key.
    """
    del addresses
    entry = ModelEntry.model_validate_json(written)
    try:
        load_litellm()
        with asyncio.Runner(loop_factory=_OfflineLoop) as runner:
            return runner.run(_capture_of_entry(entry))
    except Exception as error:
        raise _translate_error(entry, error) from error


async def _capture_of_entry(entry: ModelEntry) -> Outgoing:
    """Return the request that would be sent to ``entry``.

    Raises:
        PastTheTransportError: litellm does not use this program's transport for the request.
        Exception: litellm cannot make the request; the text of the exception has the reason.
    """
    traffic = Traffic(dry=True)
    TRAFFIC.set(traffic)
    key = None if entry.api_key_env is None else os.environ.get(entry.api_key_env) or _KEY
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    with suppress(TakenOver):
        async with asyncio.timeout(LONGEST_S):
            stream: Any = await load_litellm().acompletion(
                **make_request_options(entry, messages, key)
            )
            # For some providers litellm makes the request only when the reply is read.
            async with aclosing(stream):
                await anext(aiter(stream), None)
    if traffic.outgoing is not None:
        return traffic.outgoing
    raise errors.PastTheTransportError(
        f"{entry.litellm_id} was asked past the transport of this program"
    )


class _OfflineLoop(asyncio.SelectorEventLoop):
    """An event loop without connections, because not every library uses the transport."""

    async def _refuse(self, *_: object, **_options: object) -> NoReturn:
        raise errors.PastTheTransportError("a library opens a connection of its own")

    getaddrinfo = create_connection = sock_connect = _refuse  # type: ignore[assignment]


def _translate_error(entry: ModelEntry, error: Exception) -> Exception:
    """Return the error of this package for ``error``, which litellm raised for ``entry``."""
    # One line, without litellm's advice and traceback; litellm's own texts begin with the name.
    text = " ".join(_ADVICE.sub("", str(error)).split())
    has_name = type(error).__module__.startswith("litellm")
    text = (text if has_name else f"{type(error).__name__}: {text}")[:_LONGEST]
    words = make_redactor().hide_keys(text)
    if isinstance(error, load_litellm().UnsupportedParamsError):
        parameters = json.dumps(dict(entry.parameters))
        return errors.ChangedParametersError(f"{entry.slug} does not take {parameters}: {words}")
    origin = error.__cause__ or error.__context__ or error
    if isinstance(error, _MISTAKES) or isinstance(origin, _MISTAKES):
        return errors.RequestNotMadeError(
            f"no request to {entry.slug} can be made, and none was sent: {words}"
        )
    if isinstance(origin, errors.PastTheTransportError):
        words = str(origin)
    return errors.NotAskableError(f"{entry.litellm_id} cannot be asked: {words}")
