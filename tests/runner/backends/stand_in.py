"""A stand-in for Convex's own backend: it answers the command line's push, and serves one query.

It shows that the path to the backend works, and shows nothing about the backend itself.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PROGRAM: Final = """\
#!{python}
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODE = {mode!r}
words = sys.argv[1:]
options = dict(zip(words, words[1:]))
if words[:1] == ["keygen"]:
    print("a key of " + options["--instance-name"])
    sys.exit()
ports = int(options["--port"]), int(options["--site-proxy-port"])
STARTED = dict(
    environmentVariables={{}}, externalDepsId=None, componentDefinitionPackages={{}}, appAuth=[],
    analysis={{}}, schemaChange=dict(allocatedComponentIds={{}}, schemaIds={{}}, indexDiffs={{}}),
    app=dict(definitionPath="", componentPath="", args={{}}, childComponents={{}}, exports={{}},
             httpRoutes=dict(httpModuleRoutes=None, mounts=[])),
)
ADDED = dict(added=[], removed=[])
REPLIES = {{
    "/version": "0.0.0",
    "/api/v1/get_canonical_urls": dict(
        convexCloudUrl=options["--convex-origin"], convexSiteUrl=options["--convex-site"]),
    "/api/get_config_hashes": dict(
        config=dict(functions="convex/"), moduleHashes=[], nodeDependencies=[],
        udfServerVersion="1.0.0"),
    "/api/deploy2/start_push": STARTED,
    "/api/deploy2/wait_for_schema": dict(type="complete"),
    "/api/deploy2/finish_push": dict(authDiff=ADDED, definitionDiffs={{}}, componentDiffs={{}}),
    "/api/query": dict(status="success", value=dict(
        instance=options["--instance-name"], origin=options["--convex-origin"]), logLines=[]),
}}
REFUSALS = {{
    "refuses": (400, dict(code="InvalidModules", message="the module index.js is wrong")),
    "refuses the key": (401, dict(code="BadDeployKey", message="the admin key is wrong")),
    "forbids": (403, dict(code="Forbidden", message="the key may not deploy")),
    "says 402": (402, {{}}),
    "breaks": (500, dict(code="InternalServerError", message="it broke")),
}}

class Handler(BaseHTTPRequestHandler):
    def reply(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.split("?")[0]
        status, body = 200 if path in REPLIES else 404, REPLIES.get(path, {{}})
        if path.endswith("/start_push"):
            if MODE == "is late":
                threading.Event().wait()
            if MODE == "dies":
                import os
                os._exit(3)
            status, body = REFUSALS.get(MODE, (status, body))
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    do_GET = do_POST = reply
    def log_message(self, *_):
        pass

servers = [ThreadingHTTPServer(("127.0.0.1", port), Handler) for port in ports]
threading.Thread(target=servers[1].serve_forever, daemon=True).start()
servers[0].serve_forever()
"""


def write_stand_in(folder: Path, mode: str) -> Path:
    """Write the program into a folder; ``mode`` is its reply to a push, or "deploys"."""
    path = folder / "convex-local-backend"
    path.write_text(_PROGRAM.format(python=sys.executable, mode=mode))
    path.chmod(0o755)
    return path


def write_suite_over_stand_in(root: Path, graders: Mapping[str, str]) -> None:
    """Write a suite in TypeScript: a grader for each eval, beside a reference that deploys."""
    for name, grader in graders.items():
        folder = root / "evals" / "000-a" / name
        (folder / "answer" / "convex").mkdir(parents=True)
        (folder / "TASK.txt").write_text("A task.\n")
        (folder / "answer" / "package.json").write_text('{"dependencies": {"convex": "*"}}')
        (folder / "answer" / "convex" / "index.ts").write_text("export const a = 1;\n")
        (folder / "grader.test.ts").write_text(grader)
