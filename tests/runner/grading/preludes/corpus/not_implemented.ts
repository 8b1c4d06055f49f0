// note: every answer of an HTTP action says that the backend does not do this
// into: convex/*.ts
Object.defineProperty(Response.prototype, "status", { get: () => 501 });
