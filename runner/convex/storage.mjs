// File storage as clients see it: addresses to upload to and to download from.

import { createHash, randomUUID } from "node:crypto";

const UPLOAD = "/api/storage/upload";
const DOWNLOAD = /^\/api\/storage\/([0-9a-f-]{36})$/;
const UPLOAD_MS = 60 * 60 * 1000;

/** The addresses that are out, and the content types of what is stored. */
export class Links {
  #origin;
  #tokens = new Map();
  #ids = new Map();
  #addresses = new Map();
  #types = new Map();

  constructor(origin) {
    this.#origin = origin;
  }

  reset() {
    for (const map of [this.#tokens, this.#ids, this.#addresses, this.#types]) map.clear();
  }

  /** Makes an address that takes uploads for an hour. */
  upload() {
    const token = randomUUID();
    this.#tokens.set(token, Date.now() + UPLOAD_MS);
    return `${this.#origin}${UPLOAD}?token=${token}`;
  }

  /** Returns the address of a stored file; the same file keeps its address. */
  download(id) {
    if (!this.#addresses.has(id)) {
      const uuid = randomUUID();
      this.#addresses.set(id, uuid);
      this.#ids.set(uuid, id);
    }
    return `${this.#origin}/api/storage/${this.#addresses.get(id)}`;
  }

  typed(id, type) {
    this.#types.set(id, type || null);
  }

  typeOf(id) {
    return this.#types.get(id) ?? null;
  }

  isUpload(url) {
    return url.pathname === UPLOAD;
  }

  mayUpload(url) {
    return (this.#tokens.get(url.searchParams.get("token")) ?? 0) > Date.now();
  }

  /** Returns the id of the file at an address: undefined for other addresses, null for no file. */
  idAt(url) {
    const found = DOWNLOAD.exec(url.pathname);
    return found ? (this.#ids.get(found[1]) ?? null) : undefined;
  }
}

/** Stores bytes; returns the file's id. */
export function store(executor, bytes, type) {
  const blob = new Blob([bytes], { type: type ?? "" });
  return executor.run(async (ctx) => ctx.storage.store(blob));
}

/** Returns a stored file as a Blob, or null. */
export function load(executor, id) {
  return executor.run(async (ctx) => {
    // A Blob cannot pass through the emulator's JSON, so it leaves by the side.
    held.set(id, await ctx.storage.get(id));
  }).then(() => {
    const blob = held.get(id) ?? null;
    held.delete(id);
    return blob;
  });
}

const held = new Map();

/** Lists what is stored, oldest first. */
export async function listFiles(executor, links) {
  const ids = await executor.run(async (ctx) => {
    const files = await ctx.db.system.query("_storage").collect();
    return files.map((file) => file._id);
  });
  return Promise.all(
    ids.map(async (id) => {
      const bytes = Buffer.from(await (await load(executor, id)).arrayBuffer());
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return { id, sha256, size: bytes.length, contentType: links.typeOf(id) };
    }),
  );
}
