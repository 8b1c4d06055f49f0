// The network of the page: requests of its process go to the backend's Unix socket, whatever the host of a URL
// is, and the answers come back through the gate.

import { WebSocket } from "ws";

import { askSocket } from "../socket_requests.mjs";
import { text } from "../checked_values.mjs";

const MOST_AT_ONCE = 100;

export class Relay {
  #setting;
  /** @type {Map<unknown, WebSocket>} */
  #sockets = new Map();
  #requests = 0;
  #isOver = false;

  /**
   * @param {{ socket: string, hosts: string[], gate: import("./gate.mjs").Gate,
   *   send: (message: object) => void }} setting
   *   socket is the path of the backend's socket; hosts are the only hosts that fetch can reach; send sends
   *   messages to the page
   */
  constructor(setting) {
    this.#setting = setting;
  }

  /** Ends all connections, and opens no further ones; the next page has its own relay. */
  end() {
    this.#isOver = true;
    this.cut();
  }

  /** Cuts all connections, as by a lost network. */
  cut() {
    for (const socket of this.#sockets.values()) socket.terminate();
  }

  /** Handles a message of the page. Throws if the message has a wrong form. */
  hear(message) {
    if ("fetch" in message) void this.#fetch(message);
    else if ("open" in message) this.#open(message.socket, text(message.open));
    else if ("data" in message) this.#pass(message.socket, text(message.data));
    else if ("close" in message) this.#close(message.socket, message.close);
    else throw new Error("it asks nothing of the network that is known");
  }

  #open(id, url) {
    const isRefused = this.#isOver || this.#sockets.has(id) || this.#sockets.size >= MOST_AT_ONCE;
    if (isRefused || !URL.canParse(url)) {
      this.#setting.send({ socket: id, closed: { code: 1006, reason: "" } });
      return;
    }
    const { pathname, search } = new URL(url);
    const path = `ws+unix:${this.#setting.socket}:${pathname.replaceAll(":", "%3A")}${search}`;
    const socket = new WebSocket(path, { perMessageDeflate: false });
    const { unanswered } = this.#setting.gate;
    this.#sockets.set(id, socket);
    unanswered.connecting(socket);
    socket.on("open", () => this.#setting.send({ socket: id, opened: true }));
    socket.on("message", (data) =>
      this.#setting.gate.pass(() => {
        if (this.#isOver) return;
        const content = data.toString();
        this.#setting.send({ socket: id, data: content });
        unanswered.came(content);
      }),
    );
    socket.on("error", ({ message }) => this.#setting.send({ socket: id, error: message }));
    socket.on("close", (code, reason) => {
      this.#sockets.delete(id);
      this.#setting.send({ socket: id, closed: { code, reason: reason.toString() } });
    });
  }

  #pass(id, data) {
    const socket = this.#sockets.get(id);
    if (socket?.readyState !== WebSocket.OPEN) return;
    this.#setting.gate.unanswered.sent(data);
    socket.send(data);
  }

  #close(id, { code, reason }) {
    try {
      this.#sockets.get(id)?.close(code ?? undefined, reason ?? undefined);
    } catch {
      // A page may not use this code, so the connection is closed without a code.
      this.#sockets.get(id)?.close();
    }
  }

  async #fetch({ fetch: id, ...asked }) {
    this.#requests += 1;
    try {
      if (this.#isOver) throw new TypeError("fetch failed: the page was closed");
      if (this.#requests > MOST_AT_ONCE) throw new TypeError("fetch failed: too many at once");
      const answer = await this.#answer(asked);
      this.#setting.gate.pass(() => {
        if (!this.#isOver) this.#setting.send({ fetched: id, ...answer });
      });
    } catch (error) {
      this.#setting.gate.pass(() => this.#setting.send({ fetched: id, error: error.message }));
    } finally {
      this.#requests -= 1;
    }
  }

  /** @param {any} asked */
  async #answer({ url, method, headers, body }) {
    const { host } = new URL(text(url));
    if (!this.#setting.hosts.includes(host)) throw new TypeError(`fetch failed: no way to ${host}`);
    const sent = { ...Object.fromEntries(headers), host };
    const asked = { url, method: text(method), headers: sent, body: text(body) };
    try {
      return await askSocket(this.#setting.socket, asked);
    } catch {
      throw new TypeError("fetch failed");
    }
  }
}
