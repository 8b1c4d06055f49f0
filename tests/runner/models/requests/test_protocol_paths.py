"""The path of a request decides by which protocol its reply is read, if by any."""

import pytest

from runner.models.requests.protocols import chat, find_protocol, gemini, messages, responses

pytestmark = pytest.mark.unit

GOOGLE = "/v1/projects/p/locations/l/publishers"


@pytest.mark.parametrize(
    ("path", "reader"),
    [
        ("/v1/chat/completions", chat.read_event),
        ("/openai/deployments/gpt/chat/completions", chat.read_event),
        ("/v1/completions", chat.read_event),
        (f"{GOOGLE}/mistralai/models/m:streamRawPredict", chat.read_event),
        ("/v1/messages", messages.read_event),
        (f"{GOOGLE}/anthropic/models/claude:streamRawPredict", messages.read_event),
        (f"{GOOGLE}/anthropic/models/claude:rawPredict", messages.read_event),
        ("/v1beta/models/gemini:streamGenerateContent", gemini.read_piece),
        ("/v1beta/models/gemini:generateContent", gemini.read_piece),
        ("/v1/responses", responses.read_event),
        ("/model/m/converse-stream", None),
        ("/model/m/invoke-with-response-stream", None),
        ("/v2/chat", None),
        ("/api/chat", None),
        ("/v1/messages/count_tokens", None),
        (f"{GOOGLE}/else/models/m:streamRawPredict", None),
    ],
)
def test_a_path_has_its_reader(path: str, reader: object) -> None:
    """Paths of other protocols have no reader: their finish reasons stay unknown."""
    protocol = find_protocol(path)
    assert (protocol.read_event if protocol else None) is reader
