// File storage: the stored files, and their addresses for uploads and downloads.

import { createHash, randomUUID } from "node:crypto";

import { RequestError } from "../errors.mjs";
import { currentComponent } from "../functions/execution.mjs";

const UPLOAD = "/api/storage/upload";
const DOWNLOAD = /^\/api\/storage\/([0-9a-f-]{36})$/;
const UPLOAD_MS = 60 * 60 * 1000;
const TABLE = "_storage";

export class Storage {
  #origin;
  #parts;
  /** The end and the component of each upload address, by its token. @type {Map<string, { end: number, component: string }>} */
  #tokens = new Map();
  /** @type {Map<string, { bytes: Buffer, uuid: string, component: string }>} by id */
  #files = new Map();

  /**
   * @param {string} origin
   * @param {{ clock: import("../clock.mjs").Clock, database: import("./database.mjs").Database,
   *   executor: () => import("../functions/executor.mjs").Executor }} parts
   */
  constructor(origin, parts) {
    this.#origin = origin;
    this.#parts = parts;
  }

  reset() {
    this.#tokens.clear();
    this.#files.clear();
  }

  /** Returns a new address, which accepts uploads for an hour. */
  uploadUrl() {
    const token = randomUUID();
    this.#tokens.set(token, {
      end: this.#parts.clock.now + UPLOAD_MS,
      component: currentComponent(),
    });
    return `${this.#origin}${UPLOAD}?token=${token}`;
  }

  isUpload(url) {
    return url.pathname === UPLOAD;
  }

  /** Returns the component that made an upload address. Throws if the address is unknown or has expired. */
  uploaderOf(url) {
    const upload = this.#tokens.get(url.searchParams.get("token"));
    if (!upload) {
      throw new RequestError(
        401,
        "StorageTokenInvalid",
        "Couldn't decode the StoreFileAuthorization token",
      );
    }
    if (upload.end <= this.#parts.clock.now)
      throw new RequestError(401, "StorageTokenExpired", "Store File Authorization expired");
    return upload.component;
  }

  /**
   * Stores a file, in a transaction of its own; returns its id.
   *
   * @param {Blob} blob
   * @param {string | null} type
   * @param {string | null} [digest] the SHA-256 that the caller expects, in base64
   * @param {string} [component] the component that gets the file; by default that of the running function
   */
  async store(blob, type, digest = null, component = currentComponent()) {
    const bytes = Buffer.from(await blob.arrayBuffer());
    const hash = createHash("sha256").update(bytes).digest();
    if (digest !== null && digest !== hash.toString("base64")) {
      // The message is ours, because the real backend's is not known.
      throw new RequestError(
        400,
        "BadDigest",
        `The SHA-256 of the file is ${hash.toString("base64")}, not ${digest}.`,
      );
    }
    const sha256 = hash.toString("hex");
    const value = { sha256, size: bytes.length, ...(type ? { contentType: type } : {}) };
    const insert = async () => this.#parts.database.insert(TABLE, value).id;
    const id = await this.#parts.executor().transact("mutation", insert, component);
    this.#files.set(id, { bytes, uuid: randomUUID(), component });
    return id;
  }

  remove(id) {
    this.#files.delete(id);
  }

  bytesOf(id) {
    return this.#files.get(id)?.bytes ?? null;
  }

  /** Returns the download address of a stored file, which never changes; null if there is no such file. */
  urlOf(id) {
    const file = this.#files.get(id);
    return file ? `${this.#origin}/api/storage/${file.uuid}` : null;
  }

  /** Returns true if an address has the form of a download address. */
  isDownload(url) {
    return url.pathname.startsWith("/api/storage/") && !this.isUpload(url);
  }

  /** Returns the file at a download address; null if there is none. */
  async at(url) {
    const [, uuid] = DOWNLOAD.exec(url.pathname) ?? [];
    if (uuid === undefined) throw invalidPath(url.pathname.split("/").at(-1));
    const [id, file] = [...this.#files].find(([, stored]) => stored.uuid === uuid) ?? [];
    if (file === undefined) return null;
    const get = async () => this.#parts.database.get(id);
    const row = await this.#parts.executor().transact("query", get, file.component);
    return row && { ...row.document, bytes: file.bytes };
  }
}

function invalidPath(name) {
  return new RequestError(
    400,
    "InvalidStoragePath",
    `Invalid storage path: "${name}". Please use \`storage.getUrl()\` to generate a valid URL to ` +
      "retrieve files. See https://docs.convex.dev/file-storage/serve-files for more details",
  );
}
