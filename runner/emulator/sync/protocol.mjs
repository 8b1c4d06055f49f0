// The server of the sync protocol, which Convex's own clients use over WebSockets.
//
// Clients connect to /api/sync or /api/<client version>/sync. Each connection is a SyncSession. All sessions
// share the timestamps of commits and the record of finished mutations.

import { AsyncResource } from "node:async_hooks";

import { CommitClock } from "./commit_clock.mjs";
import { RequestLedger } from "./repeated_requests.mjs";
import { SyncSession } from "./client_connection.mjs";

const SYNC_PATH = /^\/api(?:\/[^/]+)?\/sync$/;

/**
 * Serves the sync protocol on an HTTP server.
 *
 * @param {import("node:http").Server} server
 * @param {import("../deployment.mjs").Deployment} deployment
 */
export function attachSync(server, deployment) {
  /** @type {ReturnType<typeof webSockets> | null} */
  let sockets = null;
  const shared = { deployment, clock: new CommitClock(), ledger: new RequestLedger() };
  const sessions = new Set();

  // The listener is called inside a transaction. Without `bind`, queries that it starts would count as parts
  // of this transaction.
  const onCommit = AsyncResource.bind(() => {
    shared.clock.advance();
    for (const session of sessions) session.invalidate();
  });
  deployment.executor.onWrite(onCommit);
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

/** Loads the WebSocket server at the first connection, because most answers have no connections. */
async function webSockets() {
  const { WebSocketServer } = await import("ws");
  return new WebSocketServer({ noServer: true, perMessageDeflate: false });
}
