// note: traces lead to the functions and objects of whoever called
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
const reached: any[] = [];
host.Error.prepareStackTrace = (error: unknown, calls: any[]) => {
  for (const call of calls) reached.push(call.getThis?.(), call.getFunction?.());
  for (const one of reached) if (one && typeof one === "object" && "failed" in one) delete one.failed;
  return String(error);
};
host.Error.stackTraceLimit = 100;
