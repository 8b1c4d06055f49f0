// note: the page's process never yields once it has rendered
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
host.setTimeout(() => { for (;;) { /* For ever. */ } }, 300);
