// note: time stands still, and timers, ticks and tasks come at once
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
host.performance.now = () => 0;
host.Date.now = () => 0;
const { setTimeout: later, setInterval: often } = host;
host.setTimeout = (call: () => void, _: number, ...rest: unknown[]) => later(call, 0, ...rest);
host.setInterval = (call: () => void, _: number, ...rest: unknown[]) => often(call, 1, ...rest);
host.queueMicrotask = (call: () => void) => later(call, 0);
