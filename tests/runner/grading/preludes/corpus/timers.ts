// note: timers never run
// into: convex/*.ts
globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout;
