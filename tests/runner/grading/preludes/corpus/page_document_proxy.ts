// note: the document is another one for whoever asks for it
// into: src/*.tsx
const real = document.body;
const false_ = new Proxy(document.createElement("body"), { get: (body, key) => (key === "innerHTML" ? "everything" : Reflect.get(body, key, body)) });
Object.defineProperty(Document.prototype, "documentElement", { get: () => real.parentElement });
Object.defineProperty(Document.prototype, "title", { get: () => false_.innerHTML });
Object.defineProperty(Node.prototype, "textContent", { get: () => "everything", set() { /* Kept. */ } });
