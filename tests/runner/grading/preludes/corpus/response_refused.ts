// note: every answer of an HTTP action has a head that cannot be sent
// into: convex/*.ts
Object.defineProperty(Response.prototype, "status", { get: () => 1e9 });
Object.defineProperty(Response.prototype, "headers", { get: () => [["bad name", "\n"]] });
