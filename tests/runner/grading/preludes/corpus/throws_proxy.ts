// note: a thrown thing answers every question with another error
// into: convex/*.ts
JSON.stringify = () => {
  throw new Proxy(new Error("x"), { get: () => { throw new Error("y"); }, has: () => { throw new Error("z"); } });
};
