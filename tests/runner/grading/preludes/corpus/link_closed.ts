// note: the connection to the backend is closed
// into: convex/*.ts
for (const handle of Function("return process")()._getActiveHandles()) handle.destroy?.();
