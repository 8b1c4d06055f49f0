// Requests of functions by fetch. They can reach only stubs, the deployment itself, and servers that the grader
// opened on its loopback.

import { existsSync } from "node:fs";

import { askSocket } from "../socket_requests.mjs";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * @typedef {{ url: string, method: string | null, status: number, headers: [string, string][],
 *   body: string, fail: boolean, times: number | null, after: number }} Stub body is base64; the answer comes
 *   `after` milliseconds after the request
 */

export class Outbound {
  #origins;
  #serve;
  /** @type {Stub[]} */
  #stubs = [];
  /** All requests to addresses other than the deployment's own, the oldest first. */
  seen = [];
  #fixtures;

  /**
   * @param {string[]} origins the deployment's own addresses
   * @param {(request: Request) => Promise<Response>} serve answers requests to these addresses
   * @param {string} [fixtures] the path of the socket through which servers of the grader are reached
   */
  constructor(origins, serve, fixtures) {
    this.#origins = origins;
    this.#serve = serve;
    this.#fixtures = fixtures;
  }

  /** Answers later requests with `stub`; if several stubs match, the newest answers. */
  stub(stub) {
    this.#stubs.unshift({ ...stub });
  }

  reset() {
    this.#stubs = [];
    this.seen = [];
  }

  /**
   * Answers a request of a function; bodies are base64.
   *
   * @param {{ url: string, method: string, headers: [string, string][], body: string }} asked
   */
  async fetch({ url, method, headers, body }) {
    const isBodiless = method === "GET" || method === "HEAD";
    const content = isBodiless ? {} : { body: Buffer.from(body, "base64") };
    const request = new Request(url, { method, headers, ...content });
    if (this.#origins.includes(new URL(request.url).origin)) {
      const response = await this.#serve(request);
      const bytes = Buffer.from(await response.arrayBuffer());
      return {
        status: response.status,
        headers: [...response.headers],
        body: bytes.toString("base64"),
      };
    }
    this.seen.push({
      method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body,
    });
    const stub = this.#stubs.find((one) => fits(one, request));
    if (!stub && this.#leadsToGrader(request)) return this.#askGrader(request, headers, body);
    if (!stub) return { error: `no network: nothing answers ${request.url}`, after: 0 };
    if (stub.times !== null) stub.times -= 1;
    const { status, headers: answered, body: sent, after } = stub;
    if (stub.fail) return { error: "stubbed to fail", after };
    return { status, headers: answered, body: sent, after };
  }

  #leadsToGrader({ url }) {
    const isLocal = LOOPBACK.has(new URL(url).hostname);
    return isLocal && this.#fixtures !== undefined && existsSync(this.#fixtures);
  }

  /** Returns the answer of a server of the grader; see grading/fixtures/vitest/run_grader.mjs. */
  async #askGrader({ url, method }, headers, body) {
    const sent = { ...Object.fromEntries(headers), "x-fixture": new URL(url).host };
    try {
      return await askSocket(String(this.#fixtures), { url, method, headers: sent, body });
    } catch {
      throw new Error(`no network: nothing answers ${url}`);
    }
  }
}

function fits(stub, request) {
  if (stub.times === 0) return false;
  if (stub.method !== null && stub.method !== request.method) return false;
  if (stub.url.endsWith("*")) return request.url.startsWith(stub.url.slice(0, -1));
  return new URL(stub.url).href === request.url;
}
