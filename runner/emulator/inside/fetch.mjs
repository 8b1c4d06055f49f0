// `fetch` for functions. This process has no network, so the backend answers each request. Redirects are
// followed by the real backend's rules (npm-packages/udf-runtime/src/26_fetch.ts).

import { Buffer } from "node:buffer";

const WITHOUT_BODY = [101, 204, 205, 304];
const REDIRECTS = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 20;
/** The headers that a redirected request loses together with its body. */
const OF_THE_BODY = ["content-encoding", "content-language", "content-location", "content-type"];

/**
 * A request in the form that is sent to the backend; body is base64.
 *
 * @typedef {{ url: string, method: string, headers: Headers, body: string }} Asked
 */

/**
 * Returns the backend's response to a request, after redirects.
 *
 * @param {import("./calls.mjs").Calls} calls
 * @param {Request} request
 * @param {RequestRedirect} redirect
 * @returns {Promise<Response>}
 */
export async function fetchThrough(calls, request, redirect) {
  if (request.url.startsWith("data:")) return fetch(request);
  const { url, method, headers, signal } = request;
  const body = Buffer.from(await request.arrayBuffer()).toString("base64");
  /** @type {Asked} */
  let asked = { url, method, headers, body };
  for (let redirects = 0; redirects < MOST_REDIRECTS; redirects++) {
    const response = await ask(calls, asked, signal);
    const isRedirect = redirect !== "manual" && REDIRECTS.includes(response.status);
    const location = isRedirect ? response.headers.get("location") : null;
    if (isRedirect && redirect === "error") throw new TypeError("fetch attempted redirect");
    if (location === null)
      return Object.defineProperty(response, "redirected", { value: redirects > 0 });
    asked = sentOn(asked, response.status, location);
  }
  throw new TypeError("fetch too many redirects");
}

/**
 * @param {import("./calls.mjs").Calls} calls
 * @param {Asked} asked
 * @param {AbortSignal} signal
 */
async function ask(calls, asked, signal) {
  const { url, method, headers, body } = asked;
  signal.throwIfAborted();
  let answer;
  try {
    answer = JSON.parse(
      await calls.ask("fetch", JSON.stringify({ url, method, headers: [...headers], body })),
    );
  } catch (error) {
    // Only the message of the error is passed on.
    // eslint-disable-next-line preserve-caught-error
    throw new TypeError("fetch failed", { cause: new Error(error.message) });
  }
  signal.throwIfAborted();
  if (answer.after > 0) await pass(calls, answer.after, signal);
  if (answer.error !== undefined)
    throw new TypeError("fetch failed", { cause: new Error(answer.error) });
  const { status } = answer;
  const content = WITHOUT_BODY.includes(status) ? null : Buffer.from(answer.body, "base64");
  const response = new Response(content, { status, headers: answer.headers });
  return Object.defineProperty(response, "url", { value: url });
}

/**
 * Waits for `ms` milliseconds of the deployment's clock. Rejects if the request is aborted.
 *
 * @param {import("./calls.mjs").Calls} calls
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pass(calls, ms, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      calls.disarm(timer);
      reject(signal.reason);
    };
    const run = () => {
      signal.removeEventListener("abort", abort);
      resolve();
    };
    const timer = calls.arm(calls.current(), { run, ms, repeats: false });
    signal.addEventListener("abort", abort, { once: true });
  });
}

/**
 * Returns the request that follows a redirect.
 *
 * @param {Asked} asked
 * @returns {Asked}
 */
function sentOn({ url, method, headers, body }, status, location) {
  const next = new URL(location, url);
  const kept = new Headers(headers);
  if (next.origin !== new URL(url).origin) kept.delete("authorization");
  const isGet =
    (status <= 302 && method === "POST") || (status === 303 && !["GET", "HEAD"].includes(method));
  if (!isGet) return { url: next.href, method, headers: kept, body };
  for (const name of OF_THE_BODY) kept.delete(name);
  return { url: next.href, method: "GET", headers: kept, body: "" };
}
