// note: the socket of the renderer is taken down, taken over, and connected to again
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
const { connect, createServer } = host.process.getBuiltinModule("node:net");
const files = host.process.getBuiltinModule("node:fs");
for (const path of ["/link/page.sock", "/backend/backend.sock", "/scratch/backend.sock"]) {
  try { files.unlinkSync(path); } catch { /* Not to be had. */ }
  connect(path, function written(this: any) { this.write('{"did":1}\n{"turns":1,"heard":1}\n{"result":null}\n'); }).on("error", () => { /* Nobody listens. */ });
  createServer().on("error", () => { /* Not to be written to. */ }).listen(path);
}
