// note: what is rejected is fulfilled with null
// into: convex/*.ts
const then = Promise.prototype.then;
Promise.prototype.then = function after(this: Promise<unknown>, done?: unknown) {
  return then.call(this, done as never, () => (done as ((value: unknown) => unknown) | undefined)?.(null));
} as typeof Promise.prototype.then;
