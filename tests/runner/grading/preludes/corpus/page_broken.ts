// note: the page's own process says that it is broken
// into: src/*.tsx
const page = (window as any);
const node = page.WebSocket.constructor("return process")();
const { write } = node.stdout;
node.stdout.write = (text: string) => write.call(node.stdout, text.replace(/\{"id":(\d+),.*\}/, '{"id":$1,"broken":"it is"}'));
