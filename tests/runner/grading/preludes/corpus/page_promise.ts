// note: whatever the renderer waits for is fulfilled
// into: src/*.tsx
const page = (window as any);
const world = page.WebSocket.constructor("return globalThis")();
const { then } = world.Promise.prototype;
world.Promise.prototype.then = function after(done: unknown) {
  return then.call(this, done, () => null);
};
