// The page's only way out: the backend's Unix socket, whatever the host of a URL says.

import { request } from "node:http";
import { WebSocket as NodeWebSocket } from "ws";

/** Decides when messages of the server reach the page. */
export class Gate {
  unanswered = new Unanswered();
  /** @type {(() => void)[] | null} */
  #held = null;
  #sockets = new Set();

  get isHeld() {
    return this.#held !== null;
  }

  hold() {
    this.#held ??= [];
  }

  /** Lets all that was held through, in order, and what comes after it. */
  release() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const deliver of held) deliver();
  }

  pass(deliver) {
    if (this.#held) this.#held.push(deliver);
    else deliver();
  }

  watch(socket) {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
  }

  /** Cuts every connection, as a lost network does. */
  cut() {
    for (const socket of this.#sockets) socket.terminate();
  }
}

/** What a page has asked over the sync protocol, and the backend has not answered yet. */
export class Unanswered {
  #connecting = 0;
  #asked = 0;
  #answered = 0;
  #requests = new Set();

  /** Notes a connection that begins: the page asks when it is there. */
  connecting(socket) {
    this.#connecting += 1;
    const settle = () => {
      this.#connecting -= 1;
      socket.off("open", settle).off("close", settle);
    };
    socket.on("open", settle).on("close", settle);
  }

  /** Notes a message of the page. A new connection counts its query sets from 0 again. */
  sent(text) {
    const { type, newVersion, requestId } = read(text);
    if (type === "Connect") this.#asked = this.#answered = 0;
    if (type === "ModifyQuerySet") this.#asked = newVersion;
    if (type === "Mutation" || type === "Action") this.#requests.add(requestId);
  }

  /** Notes a message of the backend. */
  came(text) {
    const { type, endVersion, requestId } = read(text);
    if (type === "Transition") this.#answered = endVersion?.querySet;
    if (type === "MutationResponse" || type === "ActionResponse") this.#requests.delete(requestId);
  }

  get any() {
    return this.#connecting > 0 || this.#asked !== this.#answered || this.#requests.size > 0;
  }
}

const { parse } = JSON;

function read(text) {
  try {
    return parse(text) ?? {};
  } catch {
    return {};
  }
}

/** @typedef {((event: object) => void) | null} Listener */

/** Makes a WebSocket class for a window whose connections all go to the backend's socket. */
export function webSocketOver(socketPath, gate) {
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
    #socket;

    constructor(url) {
      this.url = String(url);
      const { pathname, search } = new URL(this.url);
      this.#socket = new NodeWebSocket(`ws+unix:${socketPath}:${pathname}${search}`, {
        perMessageDeflate: false,
      });
      gate.watch(this.#socket);
      this.#socket.on("open", () => this.onopen?.({ type: "open", target: this }));
      gate.unanswered.connecting(this.#socket);
      this.#socket.on("message", (data) =>
        gate.pass(() => {
          const text = data.toString();
          this.onmessage?.({ type: "message", data: text, target: this });
          gate.unanswered.came(text);
        }),
      );
      this.#socket.on("error", ({ message }) => this.onerror?.({ type: "error", message }));
      this.#socket.on("close", (code, reason) =>
        this.onclose?.({ type: "close", code, reason: reason.toString(), wasClean: code === 1000 }),
      );
    }

    get readyState() {
      return this.#socket.readyState;
    }

    send(data) {
      gate.unanswered.sent(data);
      this.#socket.send(data);
    }

    close(code, reason) {
      this.#socket.close(code, reason);
    }
  };
}

/** Makes a fetch for a window; hosts that are not the backend's cannot be reached. */
export function fetchOver(socketPath, hosts) {
  return async (input, init) => {
    const asked = new Request(input instanceof URL ? input.href : input, await portable(init));
    const url = new URL(asked.url);
    if (!hosts.includes(url.host)) throw new TypeError(`fetch failed: no way to ${url.host}`);
    const body = Buffer.from(await asked.arrayBuffer());
    return new Promise((resolve, reject) => {
      const headers = { ...Object.fromEntries(asked.headers), host: url.host };
      if (body.length > 0) headers["content-length"] = String(body.length);
      const path = url.pathname + url.search;
      const call = request({ socketPath, path, method: asked.method, headers }, (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => resolve(asResponse(answer, Buffer.concat(chunks))));
      });
      call.on("error", () => reject(new TypeError("fetch failed")));
      call.end(body);
    });
  };
}

// The window's own Blob and File are not those that Node's Request knows.
async function portable(init) {
  const body = init?.body;
  if (typeof body?.arrayBuffer !== "function" || body instanceof Blob) return init;
  const headers = new Headers(init.headers);
  if (body.type && !headers.has("content-type")) headers.set("content-type", body.type);
  return { ...init, headers, body: Buffer.from(await body.arrayBuffer()) };
}

function asResponse(answer, body) {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const bodiless = [101, 204, 205, 304].includes(answer.statusCode);
  return new Response(bodiless ? null : body, { status: answer.statusCode, headers });
}
