// note: everything that was asked of the page is done, and no failure was told of
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
const handles: any[] = host.process._getActiveHandles();
const lines = Array.from({ length: 500 }, (_, number) => `{"did":${number}}\n`).join("");
host.setInterval(() => {
  for (const handle of handles) if (handle.write && handle.remoteAddress === undefined) handle.write(lines);
}, 20);
