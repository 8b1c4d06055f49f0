// HTTP requests to a server behind a Unix socket; bodies are base64.

import { once } from "node:events";
import { request } from "node:http";

/**
 * Sends a request, and returns the whole answer.
 *
 * @param {string} socketPath
 * @param {{ url: string, method: string, headers: Record<string, string>, body: string }} asked only path
 *   and search of the url are sent
 * @returns {Promise<{ status: number | undefined, headers: [string, string][], body: string }>}
 * @throws if no server listens at the socket, or the connection breaks
 */
export async function askSocket(socketPath, { url, method, headers, body }) {
  const { pathname, search } = new URL(url);
  const content = Buffer.from(body, "base64");
  const length = content.length > 0 ? { "content-length": String(content.length) } : {};
  const options = {
    socketPath,
    path: pathname + search,
    method,
    headers: { ...headers, ...length },
  };
  const call = request(options).on("error", () => {});
  const [answer] = await once(call.end(content), "response");
  const chunks = await Array.fromAsync(answer);
  return {
    status: answer.statusCode,
    headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    body: Buffer.concat(chunks).toString("base64"),
  };
}
