// note: every object can be awaited, and never ends waiting
// into: convex/schema.ts
Object.defineProperty(Object.prototype, "then", { get: () => undefined, set() {}, configurable: true });
