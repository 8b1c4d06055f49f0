// note: the backend is asked for something that it does not know
// into: convex/*.ts
const world = Function("return globalThis")();
try {
  world.Convex.syscall("1.0/nothing", "{}");
} catch {
  // Then for something else.
}
world.Convex.asyncSyscall("1.0/constructor", "{}").catch(() => null);
world.Convex.asyncSyscall("1.0/__proto__", "[]").catch(() => null);
