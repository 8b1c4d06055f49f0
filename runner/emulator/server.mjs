// The program of the embedded backend: it deploys a Convex project and serves it until it is killed.
//
//   node server.mjs --project DIR --scratch DIR --link PATH --origin URL --site-origin URL
//                   [--apps DIR] [--fixtures PATH] (--socket PATH | --port N --site-port N)
//
// No model code runs in this process. It runs in the process of inside/main.mjs, which connects to the
// socket --link.
//
// Standard input has two lines: a token and the admin key. The program prints a line that begins with the
// token and continues with JSON: {"ready": {...}}, or {"failed": {"kind", "message"}}. The kind is "deploy"
// (a fault of the model's files) or "internal" (a fault of this program).

import { once } from "node:events";
import { readFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { readOptions } from "./command_line.mjs";
import { Deployment } from "./deployment.mjs";
import { DeployError } from "./errors.mjs";
import { answer, answerFetch, isStream } from "./api/http.mjs";
import { attachSync } from "./sync/protocol.mjs";

const LARGEST_BODY = 64 * 1024 * 1024;
/** The exit code when the process that runs model code has ended. */
const GONE = 3;

/**
 * @type {{ project: string, apps?: string, scratch: string, link: string, origin: string, "site-origin": string,
 *   fixtures?: string, socket?: string, port?: string, "site-port"?: string }}
 */
const options = readOptions(
  ...["project", "apps", "scratch", "link", "fixtures", "origin", "site-origin"],
  ...["socket", "port", "site-port"],
);

const [token, adminKey] = readFileSync(0, "utf8").split("\n");

// An error that no code awaits or catches must not end the deployment.
process.on("unhandledRejection", () => {});
process.on("uncaughtException", () => {});

serve().catch((error) => {
  const isRefusal = error instanceof DeployError;
  const message = isRefusal ? error.message : String(error.stack ?? error);
  say({ failed: { kind: isRefusal ? "deploy" : "internal", message } });
  process.exit(1);
});

function say(message) {
  writeSync(1, `${token}${JSON.stringify(message)}\n`);
}

async function serve() {
  const deployment = await Deployment.open(
    {
      dir: options.project,
      apps: options.apps,
      out: `${options.scratch}/build`,
      link: options.link,
      gone: () => process.exit(GONE),
      adminKey,
      origin: options.origin,
      siteOrigin: options["site-origin"],
      fixtures: options.fixtures,
    },
    answerFetch,
  );
  const onPort = (port, origin) => listen(deployment, { port, host: "127.0.0.1" }, origin);
  const servers = options.socket
    ? [await listen(deployment, { path: options.socket }, null)]
    : [
        await onPort(options.port, options.origin),
        await onPort(options["site-port"], options["site-origin"]),
      ];
  attachSync(servers[0], deployment);
  say({ ready: { pid: process.pid } });
}

/**
 * Serves the deployment at a path of a socket, or at a port. `origin` is the origin of all requests; with
 * null the Host header decides.
 */
async function listen(deployment, where, origin) {
  const server = createServer((incoming, outgoing) => {
    respond(deployment, incoming, outgoing, origin).catch((error) => {
      outgoing.destroy(error);
    });
  });
  // Idle connections stay open, however long a grader takes between two requests.
  server.keepAliveTimeout = 0;
  await once(server.listen(where), "listening");
  return server;
}

async function respond(deployment, incoming, outgoing, fixed) {
  const origin = fixed ?? originOf(deployment, incoming.headers.host);
  const body = await readAll(incoming);
  if (body === null) {
    outgoing.writeHead(413).end();
    return;
  }
  const response = await answer(deployment, requestOf(incoming, origin + incoming.url, body));
  const { status, headers, body: content } = response;
  if (isStream(content)) {
    outgoing.writeHead(status, Array.isArray(headers) ? headers.flat() : headers);
    await pipeline(Readable.from(content), outgoing);
    return;
  }
  // Head and body are sent together, with the length of the body.
  outgoing.statusCode = status;
  for (const name in headers) outgoing.setHeader(name, headers[name]);
  outgoing.end(content);
}

/** Reads a request's body; null if it is too large. */
function readAll(incoming) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    incoming.on("data", (chunk) => {
      size += chunk.length;
      if (size > LARGEST_BODY) resolve(null);
      else chunks.push(chunk);
    });
    incoming.on("end", () => resolve(Buffer.concat(chunks)));
    incoming.on("error", reject);
  });
}

/** @returns {import("./api/http.mjs").Asked} */
function requestOf(incoming, url, body) {
  const { method, headers, rawHeaders } = incoming;
  return {
    url,
    method,
    headers: { get: (name) => headers[name] ?? null, [Symbol.iterator]: () => pairs(rawHeaders) },
    text: async () => body.toString(),
    arrayBuffer: async () => body,
  };
}

/** @returns {Generator<[string, string], void, unknown>} */
function* pairs(rawHeaders) {
  for (let i = 0; i < rawHeaders.length; i += 2) yield [rawHeaders[i], rawHeaders[i + 1]];
}

function originOf(deployment, host) {
  const isSite = deployment.siteOrigin.endsWith(`//${host}`);
  return isSite ? deployment.siteOrigin : deployment.origin;
}
