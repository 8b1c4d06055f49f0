// The HTTP API of a deployment, and its HTTP actions.

import { callSystem, isSystem } from "./admin.mjs";
import { CONTROLS, control } from "./controls.mjs";
import { RequestError } from "./errors.mjs";
import { ADMIN, NOBODY } from "./executor.mjs";
import { load, store } from "./storage.mjs";

const FUNCTION_FAILED = 560;
const FUNCTION = /^\/api\/(query|mutation|action|function|query_at_ts)$/;
const RUN = /^\/api\/run\/(.+)$/;
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type, convex-client",
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
};

/**
 * Answers one request to the deployment or to its site.
 *
 * @param {import("./deployment.mjs").Deployment} deployment
 * @param {Request} request
 * @returns {Promise<Response>}
 */
export async function answer(deployment, request) {
  const url = new URL(request.url);
  try {
    if (url.origin === deployment.siteOrigin) return await answerSite(deployment, request, url);
    return await answerCloud(deployment, request, url);
  } catch (error) {
    if (error instanceof RequestError) {
      return json({ code: error.code, message: error.message }, error.status);
    }
    throw error;
  }
}

async function answerCloud(deployment, request, url) {
  const { pathname } = url;
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
  if (pathname === "/version") return new Response("embedded");
  if (pathname === "/instance_name") return new Response("embedded");
  const called = FUNCTION.exec(pathname);
  if (called) return answerCall(called[1], deployment, request);
  const run = RUN.exec(pathname);
  if (run) return answerRun(run[1], deployment, request);
  if (pathname === "/api/query_ts") return json({ ts: "AAAAAAAAAAA=" });
  if (pathname.startsWith(CONTROLS)) return answerControl(pathname, deployment, request);
  if (deployment.links.isUpload(url)) return answerUpload(deployment, request, url);
  const id = deployment.links.idAt(url);
  if (id !== undefined) return answerDownload(deployment, request, id);
  throw new RequestError(404, "NotFound", `nothing is at ${pathname}`);
}

async function answerCall(kind, deployment, request) {
  const { path, args, format } = await body(request);
  if (typeof path !== "string") throw new RequestError(400, "InvalidRequest", "`path` must be a string");
  const identity = identify(deployment, request);
  const one = Array.isArray(args) ? (args[0] ?? {}) : (args ?? {});
  if (isSystem(path)) return answerSystem(deployment, path, one, identity);
  return outcome(await call(deployment, kindOf(kind, path, deployment), path, one, identity), format);
}

/** `/api/function` calls a function of whatever kind it is; the others say which kind they want. */
function kindOf(kind, path, deployment) {
  if (kind === "query_at_ts") return "query";
  if (kind !== "function") return kind;
  const name = path.includes(":") ? path : `${path}:default`;
  return deployment.executor.project.functions.get(name)?.kind ?? "query";
}

async function answerRun(identifier, deployment, request) {
  const { args, format } = await body(request);
  const parts = identifier.split("/");
  const path = `${parts.slice(0, -1).join("/")}:${parts.at(-1)}`;
  const kind = kindOf("function", path, deployment);
  return outcome(await call(deployment, kind, path, args ?? {}, identify(deployment, request)), format);
}

function call(deployment, kind, path, args, identity) {
  return deployment.executor[kind](path, args, identity);
}

async function answerSystem(deployment, path, args, identity) {
  if (identity !== ADMIN) throw new RequestError(403, "Forbidden", `${path} needs the admin key`);
  try {
    const value = await callSystem(path, args, deployment);
    return json({ status: "success", value, logLines: [] });
  } catch (error) {
    if (error instanceof RequestError) throw error;
    return json({ status: "error", errorMessage: String(error.message ?? error), logLines: [] }, FUNCTION_FAILED);
  }
}

function outcome(result) {
  if (result.success) {
    return json({ status: "success", value: result.value, logLines: result.logLines });
  }
  const { errorMessage, errorData, logLines } = result;
  return json({ status: "error", errorMessage, errorData, logLines }, FUNCTION_FAILED);
}

async function answerControl(pathname, deployment, request) {
  if (identify(deployment, request) !== ADMIN) {
    throw new RequestError(403, "Forbidden", "test controls need the admin key");
  }
  return json(await control(pathname.slice(CONTROLS.length), await body(request), deployment));
}

async function answerUpload(deployment, request, url) {
  if (request.method !== "POST") throw new RequestError(405, "MethodNotAllowed", "uploads are POSTs");
  if (!deployment.links.mayUpload(url)) {
    throw new RequestError(401, "Unauthorized", "this upload URL is unknown or has expired");
  }
  const bytes = Buffer.from(await request.arrayBuffer());
  const type = request.headers.get("content-type");
  return json({ storageId: await store(deployment.executor, bytes, type) });
}

async function answerDownload(deployment, request, id) {
  if (!["GET", "HEAD"].includes(request.method)) {
    throw new RequestError(405, "MethodNotAllowed", "stored files can only be read");
  }
  const blob = id === null ? null : await load(deployment.executor, id);
  if (!blob) throw new RequestError(404, "FileNotFound", "no file is stored here");
  const bytes = Buffer.from(await blob.arrayBuffer());
  return new Response(request.method === "HEAD" ? null : bytes, {
    headers: {
      ...CORS,
      "content-type": deployment.links.typeOf(id) ?? "application/octet-stream",
      "content-length": String(bytes.length),
      "cache-control": "private, max-age=2592000",
    },
  });
}

async function answerSite(deployment, request, url) {
  const { router } = deployment.executor.project;
  if (!router) {
    return new Response("This Convex deployment does not have HTTP actions enabled.", { status: 404 });
  }
  if (!router.lookup(url.pathname, request.method)) {
    return new Response("No matching routes found", { status: 404 });
  }
  const identity = request.headers.get("authorization")?.startsWith("Convex ")
    ? identify(deployment, request)
    : NOBODY;
  const init = { method: request.method, headers: request.headers };
  if (!["GET", "HEAD"].includes(request.method)) init.body = await request.arrayBuffer();
  try {
    return await deployment.executor.fetch(url.pathname + url.search, init, identity);
  } catch (error) {
    const code = `Server Error: Uncaught ${error?.name ?? "Error"}: ${error?.message ?? error}`;
    return json({ code, trace: String(error?.stack ?? error) }, 500);
  }
}

/** Reads `Authorization: Convex <key>`, or `Convex <key>:<base64 of a user's attributes>`. */
function identify(deployment, request) {
  const header = request.headers.get("authorization");
  if (!header) return NOBODY;
  const [scheme, token = ""] = header.split(" ");
  if (scheme === "Bearer") return deployment.executor.identify({ tokenType: "User", value: token });
  const { adminKey } = deployment;
  if (!token.startsWith(`${adminKey}:`)) {
    return deployment.executor.identify({ tokenType: "Admin", value: token });
  }
  const attributes = Buffer.from(token.slice(adminKey.length + 1), "base64").toString();
  try {
    const impersonating = JSON.parse(attributes);
    return deployment.executor.identify({ tokenType: "Admin", value: adminKey, impersonating });
  } catch {
    throw new RequestError(400, "BadActingAs", "the user to act as is not base64 of a JSON object");
  }
}

async function body(request) {
  try {
    return JSON.parse((await request.text()) || "{}");
  } catch {
    throw new RequestError(400, "InvalidJson", "the request's body is not JSON");
  }
}

function json(value, status = 200) {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...CORS, "content-type": "application/json" },
  });
}
