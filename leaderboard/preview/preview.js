// Added to pages while they are previewed: reloads them, and shows faults below them.
const box = document.createElement("aside");
box.setAttribute("aria-label", "Preview");
box.style.cssText =
  "position:fixed;inset:auto 0 0 0;z-index:99;max-height:40vh;overflow:auto;font:14px/1.5 monospace;";
document.body.append(box);
let closed = "";

const show = (id, role, text, colours) => {
  document.getElementById(id)?.remove();
  if (!text || closed.includes(text)) return;
  const part = document.createElement("div");
  part.id = id;
  part.setAttribute("role", role);
  part.style.cssText = `display:flex;gap:1rem;padding:0.75rem 1rem;white-space:pre-wrap;${colours}`;
  const words = document.createElement("div");
  words.style.cssText = "flex:1;overflow-wrap:anywhere;";
  words.textContent = text;
  const close = document.createElement("button");
  close.textContent = "×";
  close.setAttribute("aria-label", "Close");
  close.style.cssText = "all:revert;align-self:start;";
  close.addEventListener("click", () => {
    closed += text;
    part.remove();
    makeRoom();
  });
  part.append(words, close);
  box.append(part);
};

// Nothing of the page is covered for good: it can be scrolled above the messages.
const makeRoom = () => {
  document.body.style.paddingBottom = `${box.offsetHeight}px`;
};

const freshStyle = () => {
  /** @type {NodeListOf<HTMLLinkElement>} */
  const links = document.querySelectorAll('link[rel="stylesheet"]');
  for (const link of links) {
    const address = new URL(link.href);
    address.searchParams.set("at", String(Date.now()));
    link.href = address.href;
  }
};

const page = encodeURIComponent(location.pathname);
const events = new EventSource(`/__preview/events?page=${page}`);
events.onmessage = (event) => {
  const { problem, notices, reload, style, building } = JSON.parse(event.data);
  if (reload) {
    location.reload();
    return;
  }
  if (style) freshStyle();
  show(
    "preview-building",
    "status",
    building ? "building …" : "",
    "background:#1c2b4a;color:#fff;",
  );
  show("preview-notices", "status", notices.join("\n"), "background:#3a2c05;color:#fff;");
  show("preview-problem", "alert", problem, "background:#3b0d0d;color:#fff;");
  makeRoom();
};
