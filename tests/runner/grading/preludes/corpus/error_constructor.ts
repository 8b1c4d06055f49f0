// note: errors are no errors, and have no message
// into: convex/*.ts
Object.defineProperty(Error.prototype, "message", { get: () => "", set() {} });
Object.defineProperty(Error, Symbol.hasInstance, { value: () => false });
