// note: Object.defineProperty defines nothing
// into: convex/*.ts
Object.defineProperty = (target) => target;
