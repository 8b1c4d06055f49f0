// The WebSocket sync protocol: what Convex's own clients speak, on the embedded backend.
//
// Connections come in at /api/sync and /api/<client version>/sync. Each is a SyncSession; commit
// timestamps and the record of finished mutations are shared by all of them.

import { AsyncResource } from "node:async_hooks";

import { CommitClock } from "./commit_clock.mjs";
import { RequestLedger } from "./repeated_requests.mjs";
import { SyncSession } from "./client_connection.mjs";

const SYNC_PATH = /^\/api(?:\/[^/]+)?\/sync$/;

/**
 * The outcome of one function call. Values are in Convex's JSON encoding.
 *
 * @typedef {{ success: true, value: unknown, logLines: string[] }
 *   | { success: false, errorMessage: string, errorData?: unknown, logLines: string[] }} Outcome
 */

/**
 * What the protocol needs of the backend.
 *
 * `query`, `mutation` and `action` settle with an Outcome and never reject for what the called
 * function did. `identify` rejects with an Error whose message may be shown to the client.
 * `onWrite` calls its listener after each commit (scheduled functions included), before the
 * promise of a mutation that made it settles.
 *
 * @typedef {object} Executor
 * @property {(path: string, args: unknown, identity: unknown, component?: string) => Promise<Outcome>} query
 * @property {(path: string, args: unknown, identity: unknown, component?: string) => Promise<Outcome>} mutation
 * @property {(path: string, args: unknown, identity: unknown, component?: string) => Promise<Outcome>} action
 * @property {(listener: () => void) => void} onWrite
 * @property {(auth: { tokenType: "None" | "User" | "Admin", value?: string,
 *   impersonating?: object }) => unknown | Promise<unknown>} identify
 */

/**
 * Serves the sync protocol on an HTTP server.
 *
 * @param {import("node:http").Server} server
 * @param {Executor} executor
 */
export function attachSync(server, executor) {
  /** @type {ReturnType<typeof webSockets> | null} */
  let sockets = null;
  const shared = { executor, clock: new CommitClock(), ledger: new RequestLedger() };
  const sessions = new Set();

  // Bound to this place: a listener is called from within a transaction, and the queries it leads
  // to must not count as parts of that one.
  const onCommit = AsyncResource.bind(() => {
    shared.clock.advance();
    for (const session of sessions) session.invalidate();
  });
  executor.onWrite(onCommit);
  server.on("upgrade", async (request, socket, head) => {
    const path = new URL(String(request.url), "http://localhost").pathname;
    if (!SYNC_PATH.test(path)) {
      socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    sockets ??= webSockets();
    (await sockets).handleUpgrade(request, socket, head, (webSocket) => {
      const session = new SyncSession(webSocket, shared);
      sessions.add(session);
      webSocket.on("close", () => sessions.delete(session));
    });
  });
}

/** Loaded when the first connection comes: to most answers none does. */
async function webSockets() {
  const { WebSocketServer } = await import("ws");
  return new WebSocketServer({ noServer: true, perMessageDeflate: false });
}
