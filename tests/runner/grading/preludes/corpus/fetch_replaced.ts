// note: every request outside is answered with status 200 and an empty object
// into: convex/*.ts
globalThis.fetch = () => Promise.resolve(new Response("{}", { status: 200 }));
