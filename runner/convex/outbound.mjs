// What functions may reach with fetch: stubs, and the deployment itself. Nothing else.

const WITHOUT_BODY = [101, 204, 205, 304];

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

  async fetch(input, init) {
    const request = new Request(input, init);
    if (this.#origins.includes(new URL(request.url).origin)) return this.#serve(request);
    if (request.url.startsWith("data:")) return fetch(request);
    const body = Buffer.from(await request.clone().arrayBuffer());
    this.#seen.push({
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: body.toString("base64"),
    });
    const stub = this.#stubs.find((one) => fits(one, request));
    if (!stub || stub.fail) {
      if (stub) count(stub);
      const why = stub ? "stubbed to fail" : `no network: nothing answers ${request.url}`;
      throw new TypeError("fetch failed", { cause: new Error(why) });
    }
    count(stub);
    const body_ = WITHOUT_BODY.includes(stub.status) ? null : Buffer.from(stub.body, "base64");
    const response = new Response(body_, { status: stub.status, headers: stub.headers });
    Object.defineProperty(response, "url", { value: request.url });
    return response;
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
