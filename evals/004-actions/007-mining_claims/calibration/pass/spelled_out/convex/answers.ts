// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export function json(status: number, body: unknown, more?: HeadersInit) {
  const headers = new Headers(more);
  headers.set("content-type", "application/json; charset=utf-8");
  return new Response(JSON.stringify(body), { status, headers });
}

export const notFound = () => json(404, { error: "not found" });

export const notAllowed = (...allowed: string[]) =>
  json(405, { error: "method not allowed" }, { Allow: allowed.join(",") });

/** Returns the claim's number that a request's path names, or null. */
export function numberIn(request: Request) {
  const found = /^\/claims\/([A-Z]{2}-[0-9]{1,6})$/.exec(new URL(request.url).pathname);
  return found === null ? null : found[1];
}
