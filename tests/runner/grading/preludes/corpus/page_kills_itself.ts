// note: the page's process ends itself as the kernel would
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
host.setTimeout(() => host.process.kill(host.process.pid, "SIGKILL"), 100);
