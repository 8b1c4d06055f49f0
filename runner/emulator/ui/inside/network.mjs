// WebSocket and fetch for the page's window. The renderer has the connections; this process has no network.

/** @typedef {((event: object) => void) | null} Listener */

/** The page's side of all its connections. */
export class Network {
  #send;
  #next = 1;
  /** The functions that get the messages of each connection, by its number. */
  #sockets = new Map();
  #fetches = new Map();

  /** @param {(message: object) => void} send sends a message to the renderer */
  constructor(send) {
    this.#send = send;
  }

  /**
   * Passes a message of the renderer to its connection or request.
   *
   * @param {any} message
   */
  hear({ fetched, socket, ...news }) {
    if (fetched === undefined) {
      this.#sockets.get(socket)?.(news);
      if (news.closed) this.#sockets.delete(socket);
      return;
    }
    this.#fetches.get(fetched)?.(news);
    this.#fetches.delete(fetched);
  }

  /** Returns a class WebSocket for a window. */
  webSocket() {
    const open = (url, hear) => {
      const socket = this.#next++;
      this.#sockets.set(socket, hear);
      this.#send({ socket, open: url });
      return (message) => this.#send({ socket, ...message });
    };
    return class WebSocket {
      static CONNECTING = 0;
      static OPEN = 1;
      static CLOSING = 2;
      static CLOSED = 3;
      /** @type {Listener} */
      onopen = null;
      /** @type {Listener} */
      onmessage = null;
      /** @type {Listener} */
      onclose = null;
      /** @type {Listener} */
      onerror = null;
      readyState = 0;
      #send;

      constructor(url) {
        this.url = String(url);
        this.#send = open(this.url, (news) => this.#hear(news));
      }

      send(data) {
        this.#send({ data: String(data) });
      }

      close(code, reason) {
        if (this.readyState < 2) this.readyState = 2;
        this.#send({ close: { code, reason } });
      }

      #hear({ opened, data, error, closed }) {
        if (opened) {
          this.readyState = 1;
          this.onopen?.({ type: "open", target: this });
        } else if (data !== undefined) {
          this.onmessage?.({ type: "message", data, target: this });
        } else if (error !== undefined) {
          this.onerror?.({ type: "error", message: error });
        } else if (closed) {
          this.readyState = 3;
          const { code, reason } = closed;
          this.onclose?.({ type: "close", code, reason, wasClean: code === 1000 });
        }
      }
    };
  }

  /** Returns a function fetch for a window. */
  fetch() {
    return async (input, init) => {
      const asked = new Request(input instanceof URL ? input.href : input, await portable(init));
      const { url, method, headers } = asked;
      const body = Buffer.from(await asked.arrayBuffer()).toString("base64");
      const fetch = this.#next++;
      const answered = new Promise((resolve) => this.#fetches.set(fetch, resolve));
      this.#send({ fetch, url, method, headers: [...headers], body });
      const answer = await answered;
      if (answer.error !== undefined) throw new TypeError(answer.error);
      return asResponse(answer);
    };
  }
}

// Node's Request does not accept the window's own Blob and File, so they are converted.
async function portable(init) {
  const body = init?.body;
  if (typeof body?.arrayBuffer !== "function" || body instanceof Blob) return init;
  const headers = new Headers(init.headers);
  if (body.type && !headers.has("content-type")) headers.set("content-type", body.type);
  return { ...init, headers, body: Buffer.from(await body.arrayBuffer()) };
}

function asResponse({ status, headers, body }) {
  const bodiless = [101, 204, 205, 304].includes(status);
  const content = bodiless ? null : Buffer.from(body, "base64");
  return new Response(content, { status, headers });
}
