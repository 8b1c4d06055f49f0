// note: the page's process tells what is no page: cycles, strange names, nodes that are not there
// into: src/*.tsx
const host = (window as any).WebSocket.constructor("return globalThis")();
const [handle] = host.process._getActiveHandles().filter((each: any) => each.write && each.fd === undefined);
const told = ['{"turns":1,"heard":0,"changes":[{"of":0,"children":[{"id":7e9,"name":"<>","attributes":[["=","x"]],"children":[]}]}]}', '{"turns":1,"changes":[{"of":7e9,"children":[7e9]}]}', '{"did":{}}', "null", "[", "not even JSON"];
host.setTimeout(() => { for (const line of told) handle?.write(`${line}\n`); }, 200);
