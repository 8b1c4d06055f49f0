// note: the backend is asked in words that are no JSON, and with nesting beyond all measure
// into: convex/*.ts
const world = Function("return globalThis")();
const nested = "[".repeat(50000) + "]".repeat(50000);
for (const args of ["{", "null", nested, '{"__proto__":{"limit":0}}']) {
  for (const op of ["insert", "get", "queryStream", "runUdf", "fetch"]) world.Convex.asyncSyscall(`1.0/${op}`, args).catch(() => null);
}
