// note: the page ends the process that renders it
// into: src/*.tsx
(window as any).WebSocket.constructor("return process")().exit(0);
