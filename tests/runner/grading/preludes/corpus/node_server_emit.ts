// note: Node's HTTP server answers each request with status 418
// into: new:convex/prelude.ts
"use node";
import http from "node:http";
http.Server.prototype.emit = function emit(...[, , answer]: unknown[]) {
  if (answer instanceof http.ServerResponse) answer.writeHead(418).end("{}");
  return true;
} as typeof http.Server.prototype.emit;
export const nothing = 1;
