// The HTTP API of a deployment, and its HTTP actions.
//
// Requests and answers are plain objects, because Node's Request and Response take more time than most calls.

import { isSystem } from "./admin.mjs";
import { FORBIDDEN, callFunction } from "./calls.mjs";
import { CONTROLS, control } from "./controls.mjs";
import { storedPath } from "../functions/crons.mjs";
import { HttpActionError, RequestError } from "../errors.mjs";
import { NOBODY } from "../functions/execution.mjs";
import { checkFormat, formatOutcome } from "./formats.mjs";
import { whyNoModulePath } from "../identifiers.mjs";
import { ADMIN, checkHasKey } from "./identity.mjs";
import { checkVariables } from "../project/variables.mjs";
import { decodeTimestamp, encodeTimestamp } from "../sync/commit_clock.mjs";
import { VERSION } from "../version.mjs";

/**
 * Asked is a Request, or an object with the fields of a Request that are used here. The body of an HTTP
 * action's answer comes piece by piece.
 *
 * @typedef {{ url: string, method: string, text(): Promise<string>, arrayBuffer(): Promise<ArrayBuffer>,
 *   headers: { get(name: string): string | null } & Iterable<[string, string]> }} Asked
 * @typedef {{ status: number, headers: Record<string, string> | [string, string][],
 *   body: string | Buffer<ArrayBuffer> | null | AsyncIterable<Buffer> }} Answered
 */

const WITHOUT_BODY = new Set([101, 204, 205, 304]);
const FUNCTION_FAILED = 560;
const CALL = /^\/api\/(query|mutation|action|function)((?<=query)_at_ts)?$/;
const DIGEST = /^sha-256=(.+)$/i;
const RUN = /^\/api\/run\/(.+)$/;
const PREFLIGHT = {
  "access-control-allow-methods": "GET,POST,OPTIONS,PATCH,DELETE,PUT",
  "access-control-max-age": "86400",
};

/**
 * Answers a request to the deployment or to its site (HTTP actions).
 *
 * @param {import("../deployment.mjs").Deployment} deployment
 * @param {Asked} request
 * @returns {Promise<Answered>}
 */
export async function answer(deployment, request) {
  const url = new URL(request.url);
  const isSite = url.origin === deployment.siteOrigin;
  const answered = await answerOrExplain(() =>
    isSite ? answerSite(deployment, request) : answerCloud(deployment, request, url),
  );
  // Headers of an HTTP action are its own.
  if (!isSite) Object.assign(answered.headers, corsOf(request));
  return answered;
}

/** Returns the answer of `respond`; an error becomes an answer with its reason. */
async function answerOrExplain(respond) {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof RequestError) {
      return json({ code: error.code, message: error.message }, error.status);
    }
    return json({ code: "InternalServerError", message: String(error?.stack ?? error) }, 500);
  }
}

/** Returns the headers that let a page of any origin read an answer of the API, also with credentials. */
function corsOf({ method, headers }) {
  const origin = headers.get("origin");
  const asked = headers.get("access-control-request-headers");
  return {
    vary: "origin, access-control-request-method, access-control-request-headers",
    "access-control-allow-credentials": "true",
    ...(origin === null ? {} : { "access-control-allow-origin": origin }),
    ...(method === "OPTIONS" ? PREFLIGHT : {}),
    ...(method === "OPTIONS" && asked !== null ? { "access-control-allow-headers": asked } : {}),
  };
}

/**
 * Returns true if a body comes piece by piece.
 *
 * @param {unknown} body
 * @returns {body is AsyncIterable<Buffer>}
 */
export function isStream(body) {
  return body !== null && Symbol.asyncIterator in Object(body);
}

/** Answers a request of a function to its own deployment. */
export async function answerFetch(deployment, request) {
  const { status, headers, body } = await answer(deployment, request);
  const content = isStream(body) ? Buffer.concat(await Array.fromAsync(body)) : body;
  return new Response(WITHOUT_BODY.has(status) ? null : content, { status, headers });
}

async function answerCloud(deployment, request, url) {
  const { pathname } = url;
  if (request.method === "OPTIONS") return plain(null, {}, 200);
  if (pathname === "/version") return plain(VERSION, {});
  if (pathname === "/instance_name") return plain("embedded", {});
  if (pathname === "/api/query_ts")
    return json({ ts: encodeTimestamp(deployment.database.pinTime()) });
  const called = CALL.exec(pathname);
  if (called) return answerCall(deployment, request, called[1], called[2] !== undefined);
  const run = RUN.exec(pathname);
  if (run) return answerRun(deployment, request, run[1]);
  if (pathname === "/api/query_batch") return answerBatch(deployment, request);
  if (pathname === "/api/update_environment_variables") return changeVariables(deployment, request);
  if (pathname === "/api/v1/list_environment_variables") return listVariables(deployment, request);
  if (pathname.startsWith(CONTROLS)) return answerControl(deployment, request, pathname);
  if (deployment.storage.isUpload(url)) return answerUpload(deployment, request, url);
  if (deployment.storage.isDownload(url)) return answerDownload(deployment, request, url);
  throw new RequestError(404, "NotFound", `Nothing is at ${pathname}.`);
}

// --- Functions ---------------------------------------------------------------------------------

/** @param {boolean} isPast true for a query that sees the data of a time */
async function answerCall(deployment, request, kind, isPast) {
  checkMethod(request, kind === "query" && !isPast ? ["GET", "POST"] : ["POST"]);
  const asked = request.method === "GET" ? fromQuery(request) : await bodyOf(request);
  const identity = callerOf(deployment, request);
  if (kind === "function") checkHasKey(identity);
  const time = isPast ? readTime(asked.ts) : undefined;
  return outcome(await call(deployment, kind, asked, identity, time), asked.format);
}

function readTime(text) {
  try {
    return decodeTimestamp(text);
  } catch {
    throw new RequestError(400, "BadJsonBody", "`ts` is not a timestamp.");
  }
}

async function answerRun(deployment, request, identifier) {
  checkMethod(request, ["POST"]);
  const parts = identifier.split("/").map(decodeURIComponent);
  if (parts.length < 2) {
    throw new RequestError(
      400,
      "MissingIdentifier",
      "Path or function name not provided in path, e.g. /api/run/messages/list",
    );
  }
  const path = `${parts.slice(0, -1).join("/")}:${parts.at(-1)}`;
  const { args, format } = await bodyOf(request);
  const asked = { path, args, componentPath: "" };
  return outcome(await call(deployment, "function", asked, callerOf(deployment, request)), format);
}

async function answerBatch(deployment, request) {
  const { queries } = await bodyOf(request);
  if (!Array.isArray(queries))
    throw new RequestError(400, "BadJsonBody", "`queries` must be a list of queries.");
  for (const { format } of queries) checkFormat(format);
  const identity = callerOf(deployment, request);
  const results = [];
  for (const asked of queries) {
    results.push(formatOutcome(await call(deployment, "query", asked, identity), asked.format));
  }
  return json({ results });
}

async function call(deployment, kind, { path, args = {}, componentPath = "" }, identity, time) {
  if (typeof path !== "string")
    throw new RequestError(400, "InvalidRequest", "`path` must be a string.");
  checkFunctionPath(path);
  if (isSystem(path) && identity !== ADMIN) throw new RequestError(403, "Unauthorized", FORBIDDEN);
  const passed = Array.isArray(args) ? (args[0] ?? {}) : args;
  // All other addresses call only functions of the app.
  const component = kind === "function" ? (componentPath ?? "") : "";
  return callFunction(deployment, kind, path, passed, identity, component, time);
}

/** Throws a RequestError if no function can have this path. */
function checkFunctionPath(path) {
  const why = whyNoModulePath(storedPath(path).split(":")[0]);
  if (why === null) return;
  const message = `${path} is not a valid path to a Convex function. ${why}`;
  throw new RequestError(400, "BadConvexFunctionIdentifier", message);
}

function checkMethod({ method }, allowed) {
  if (!allowed.includes(method))
    throw new RequestError(405, "MethodNotAllowed", `This takes ${allowed.join(" and ")} alone.`);
}

function fromQuery(request) {
  const { searchParams } = new URL(request.url);
  try {
    return {
      path: searchParams.get("path"),
      args: JSON.parse(searchParams.get("args") ?? "{}"),
      format: searchParams.get("format") ?? undefined,
    };
  } catch {
    throw new RequestError(400, "InvalidArgs", "`args` is not JSON.");
  }
}

function outcome(result, format) {
  checkFormat(format);
  return json(formatOutcome(result, format), result.success ? 200 : FUNCTION_FAILED);
}

// --- Environment variables ---------------------------------------------------------------------

async function changeVariables(deployment, request) {
  checkAdmin(deployment, request);
  const { changes } = await bodyOf(request);
  checkVariables(changes, deployment);
  for (const { name, value } of changes) deployment.setEnv(name, value ?? null);
  return plain(null, {});
}

async function listVariables(deployment, request) {
  checkAdmin(deployment, request);
  return json({ environmentVariables: deployment.ownEnv });
}

function checkAdmin(deployment, request) {
  if (callerOf(deployment, request) === ADMIN) return;
  throw new RequestError(403, "Unauthorized", FORBIDDEN);
}

// --- Test controls -----------------------------------------------------------------------------

async function answerControl(deployment, request, pathname) {
  checkAdmin(deployment, request);
  return json(await control(pathname.slice(CONTROLS.length), await bodyOf(request), deployment));
}

// --- Storage -----------------------------------------------------------------------------------

async function answerUpload({ storage }, request, url) {
  if (request.method !== "POST")
    throw new RequestError(405, "MethodNotAllowed", "Uploads are POSTs.");
  const uploader = storage.uploaderOf(url);
  const blob = new Blob([await request.arrayBuffer()]);
  const digest = DIGEST.exec(request.headers.get("digest") ?? "")?.[1] ?? null;
  const type = request.headers.get("content-type");
  return json({ storageId: await storage.store(blob, type, digest, uploader) });
}

async function answerDownload({ storage }, request, url) {
  if (!["GET", "HEAD"].includes(request.method)) {
    throw new RequestError(405, "MethodNotAllowed", "Stored files can only be read.");
  }
  const file = await storage.at(url);
  if (!file)
    throw new RequestError(404, "FileNotFound", `File ${url.pathname.split("/").at(-1)} not found`);
  const headers = {
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=2592000",
    ...(file.contentType ? { "content-type": file.contentType } : {}),
  };
  const range = request.headers.get("range");
  if (range) return partOf(file.bytes, range, headers);
  const digest = `sha-256=${Buffer.from(file.sha256, "hex").toString("base64")}`;
  const described = { ...headers, digest, "content-length": String(file.bytes.length) };
  return plain(request.method === "HEAD" ? null : file.bytes, described);
}

function partOf(bytes, range, headers) {
  const found = /^bytes=(\d*)-(\d*)$/.exec(range);
  const size = bytes.length;
  if (!found || (!found[1] && !found[2])) return plain(null, {}, 416);
  const from = found[1] ? Number(found[1]) : Math.max(0, size - Number(found[2]));
  const to = found[1] && found[2] ? Math.min(Number(found[2]), size - 1) : size - 1;
  if (from > to) return plain(null, { "content-range": `bytes */${size}` }, 416);
  const part = { ...headers, "content-range": `bytes ${from}-${to}/${size}` };
  return plain(bytes.subarray(from, to + 1), part, 206);
}

// --- HTTP actions ------------------------------------------------------------------------------

async function answerSite(deployment, request) {
  const route = deployment.components.route(new URL(request.url).pathname, request.method);
  if (route === null) {
    return plain("This Convex deployment does not have HTTP actions enabled.", {}, 404);
  }
  try {
    const identity = identityAt(deployment, request);
    const { url, method } = request;
    const body = Buffer.from(await request.arrayBuffer()).toString("base64");
    const asked = { url, method, headers: [...request.headers], body };
    const response = await deployment.executor.http(asked, identity, route);
    return response ?? plain("No matching routes found", {}, 404);
  } catch (error) {
    if (error instanceof HttpActionError) return json(error.answer, 500);
    throw error;
  }
}

function callerOf({ identities }, request) {
  return identities.ofHeader(request.headers.get("authorization"));
}

/** Returns the caller of an HTTP action; a header in a form of the model's own means no caller. */
function identityAt(deployment, request) {
  try {
    return callerOf(deployment, request);
  } catch {
    return NOBODY;
  }
}

async function bodyOf(request) {
  let body;
  try {
    body = JSON.parse((await request.text()) || "{}");
  } catch {
    throw new RequestError(400, "BadJsonBody", "The request's body is not JSON.");
  }
  if (body === null || typeof body !== "object")
    throw new RequestError(400, "BadJsonBody", "The request's body is not a JSON object.");
  return body;
}

function json(value, status = 200) {
  return plain(JSON.stringify(value), { "content-type": "application/json" }, status);
}

/** @returns {Answered} */
function plain(body, headers, status = 200) {
  return { status, headers, body };
}
