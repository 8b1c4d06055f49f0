"""`--cluster` takes local processes, and schedulers that not everybody can use."""

import pytest

from runner.cluster.address import parse_cluster
from runner.errors import BadClusterError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("local:4", 4),
        ("tls://10.0.0.7:8786", "tls://10.0.0.7:8786"),
        ("tls://scheduler.internal:8786", "tls://scheduler.internal:8786"),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("tcp://[::1]:8786", "tcp://[::1]:8786"),
        ("tls://[2001:db8::7]:8786", "tls://[2001:db8::7]:8786"),
        ("tcp://localhost:8786", "tcp://localhost:8786"),
    ],
)
def test_addresses(text: str, address: str | int) -> None:
    """Local processes are started; a scheduler is asked at its address."""
    assert parse_cluster(text) == address


@pytest.mark.parametrize(
    "text", ["tcp://10.0.0.7:8786", "tcp://scheduler.internal:8786", "tcp://0.0.0.0:8786"]
)
def test_a_scheduler_beyond_loopback_needs_tls(text: str) -> None:
    """The message has the address and the command that makes certificates."""
    with pytest.raises(BadClusterError, match="leaderboard cluster certificates") as refused:
        parse_cluster(text)
    assert text in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "tls://name:word@10.0.0.7:8786",
        "tls://@10.0.0.7:8786",
        "tls://10.0.0.7:8786/status",
        "tls://10.0.0.7:8786?a=b",
        "tls://10.0.0.7:8786#a",
        "tcp://127.0.0.1:8786/@10.0.0.7:8786",
        "TLS://10.0.0.7:8786",
        " tls://10.0.0.7:8786",
        "tls://10.0.0.7:8786\n",
        "tls://2001:db8::7:8786",
        "tls://[10.0.0.7]:8786",
        "tls://[::1:8786",
        "tls://10.0.0.7:65536",
        "tls://10.0.0.7:0",
    ],
)
def test_a_scheduler_is_a_host_and_a_port(text: str) -> None:
    """Users, paths and other parts are refused, and an address of IPv6 has brackets."""
    with pytest.raises(BadClusterError, match=r"give .* and nothing before or after it"):
        parse_cluster(text)


@pytest.mark.parametrize(
    "text",
    ["", "local", "local:0", "local:-1", "local:999", "4", "http://a:1", "tls://a", "tls://a:b"],
)
def test_other_texts_are_refused(text: str) -> None:
    """The message names the option and, unless there are too many processes, both forms."""
    with pytest.raises(BadClusterError, match=r"^--cluster ") as refused:
        parse_cluster(text)
    assert text in str(refused.value)
