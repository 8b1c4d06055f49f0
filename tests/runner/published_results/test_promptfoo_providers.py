import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.files.name_patterns import MODEL_SLUG
from runner.published_results.board_records import name_model
from runner.published_results.promptfoo_results import name_providers

pytestmark = pytest.mark.unit

IDS = {
    "openai:gpt-6": ("openai/gpt-6", None),
    "openai:chat:gpt-6": ("openai/gpt-6", None),
    "openai:responses:gpt-6": ("openai/gpt-6", None),
    "anthropic:messages:claude-5": ("anthropic/claude-5", None),
    "openrouter:openai/gpt-6": ("openai/gpt-6", "openrouter"),
    "together:acme/base": ("acme/base", "together"),
    "togetherai:acme/base": ("acme/base", "together"),
    "huggingface:text-generation:acme/base": ("acme/base", "huggingface"),
    "huggingface:chat:acme/base:fastest": ("acme/base:fastest", "huggingface"),
    "huggingface:text-generation:gemma": ("huggingface/gemma", None),
    "bedrock:us.anthropic.claude-5-v1:0": ("bedrock/us.anthropic.claude-5-v1:0", None),
    "azure:chat:my-deployment": ("azure/my-deployment", None),
    "vertex:gemini-3-pro": ("vertex/gemini-3-pro", None),
    "google:live:gemini-3": ("google/gemini-3", None),
    "ollama:chat:qwen3:8b": ("ollama/qwen3:8b", None),
    "cloudflare-ai:@cf/deepseek-ai/r1": ("@cf/deepseek-ai/r1", "cloudflare-ai"),
    "fireworks:accounts/fireworks/models/oss": ("fireworks/oss", "fireworks"),
    "docker:ai/llama3.2:3B-Q4_K_M": ("ai/llama3.2:3B-Q4_K_M", "docker"),
    "openai:chat": ("openai/chat", None),
    "echo": ("echo", None),
    "acme/base": ("acme/base", None),
    "file://path/to/custom.py": ("file/custom.py", "path/to"),
    "exec: python chain.py": ("exec/python chain.py", None),
    "python:custom.py": ("python/custom.py", None),
    "https://me:secret@api.example.com/v1/chat?key=secret": ("https/api.example.com", "v1/chat"),
    "webhook:http://example.com/hook": ("webhook/example.com", "hook"),
}


@pytest.mark.parametrize("identity", IDS)
def test_the_id_of_a_provider_names_a_model(identity: str) -> None:
    """Host and protocol are not part of the model's name; an address loses what may be a key."""
    model, detail, protocol = name_providers([identity])[identity]
    assert (model, detail) == IDS[identity]
    assert protocol is None


def test_protocols_distinguish_the_columns_of_one_model() -> None:
    """A file that asked a model in two ways has two rows, and is not refused."""
    models = name_providers(["openai:chat:gpt-6", "openai:responses:gpt-6", "openai:chat:other"])
    assert [model.protocol for model in models.values()] == ["chat", "responses", None]


@given(st.one_of(st.text(), st.from_regex(r"[a-z]{2,6}:[a-z:/.@ -]{0,12}")))
def test_each_id_becomes_a_slug(identity: str) -> None:
    """No id is refused as a record."""
    model, detail, _ = name_providers([identity])[identity]
    assert re.fullmatch(MODEL_SLUG, name_model(model, detail)[0])
