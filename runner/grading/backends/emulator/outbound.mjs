// What functions may reach with fetch: stubs, and the deployment itself. Nothing else.

/**
 * @typedef {{ url: string, method: string | null, status: number, headers: [string, string][],
 *   body: string, fail: boolean, times: number | null }} Stub body is base64
 */

export class Outbound {
  #origins;
  #serve;
  /** @type {Stub[]} */
  #stubs = [];
  #seen = [];

  /**
   * @param {string[]} origins the deployment's own addresses
   * @param {(request: Request) => Promise<Response>} serve answers requests to them
   */
  constructor(origins, serve) {
    this.#origins = origins;
    this.#serve = serve;
  }

  /** Answers later requests with `stub`; the newest that fits wins. */
  stub(stub) {
    this.#stubs.unshift({ ...stub });
  }

  /** Every request that left the deployment's own origins, oldest first. */
  get seen() {
    return this.#seen;
  }

  reset() {
    this.#stubs = [];
    this.#seen = [];
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
    this.#seen.push({
      method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body,
    });
    const stub = this.#stubs.find((one) => fits(one, request));
    if (!stub || stub.fail) {
      if (stub) count(stub);
      throw new Error(stub ? "stubbed to fail" : `no network: nothing answers ${request.url}`);
    }
    count(stub);
    return { status: stub.status, headers: stub.headers, body: stub.body };
  }
}

function count(stub) {
  if (stub.times !== null) stub.times -= 1;
}

function fits(stub, request) {
  if (stub.times === 0) return false;
  if (stub.method !== null && stub.method !== request.method) return false;
  if (stub.url.endsWith("*")) return request.url.startsWith(stub.url.slice(0, -1));
  return new URL(stub.url).href === request.url;
}
