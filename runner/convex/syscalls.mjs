// What functions ask of the backend passes through here, on its way to the emulator: to notice
// writes, and to mend where the emulator and the real backend differ.

import { jsonToConvex } from "convex/values";

const WRITES = new Set([
  "1.0/insert",
  "1.0/shallowMerge",
  "1.0/replace",
  "1.0/remove",
  "1.0/schedule",
  "1.0/cancel_job",
  "1.0/actions/schedule",
  "1.0/actions/cancel_job",
  "1.0/storageDelete",
]);
const CALLS = new Set(["1.0/runUdf", "1.0/actions/query", "1.0/actions/mutation", "1.0/actions/action"]);
const DOCUMENTS = new Set(["1.0/insert", "1.0/shallowMerge", "1.0/replace"]);

/**
 * Puts itself between functions and the emulator. The emulator must have been made once before.
 *
 * @param {{ onWrite: () => void, links: import("./storage.mjs").Links,
 *   executor: { argumentsError(path: string, args: unknown): string | null } }} hooks
 */
export function watchSyscalls({ onWrite, links, executor }) {
  const emulator = globalThis.Convex;
  globalThis.Convex = Object.freeze({
    get syscall() {
      return emulator.syscall;
    },
    get asyncSyscall() {
      const ask = emulator.asyncSyscall;
      return (op, json) => mended(op, json, ask, { onWrite, links, executor });
    },
    get jsSyscall() {
      const ask = emulator.jsSyscall;
      return async (op, args) => {
        const answer = await ask(op, args);
        if (op === "storage/storeBlob") {
          links.typed(answer, args.blob.type);
          onWrite();
        }
        return answer;
      };
    },
  });
}

async function mended(op, json, ask, { onWrite, links, executor }) {
  if (WRITES.has(op)) onWrite();
  if (op === "1.0/storageGenerateUploadUrl") return JSON.stringify(links.upload());
  if (op === "1.0/storageGetUrl") {
    const found = JSON.parse(await ask(op, json));
    return JSON.stringify(found === null ? null : links.download(JSON.parse(json).storageId));
  }
  if (op === "1.0/queryPage") checkPage(JSON.parse(json));
  if (CALLS.has(op)) checkCall(JSON.parse(json), executor);
  try {
    return await ask(op, json);
  } catch (error) {
    if (DOCUMENTS.has(op)) throw inRealWords(error, JSON.parse(json));
    throw error;
  }
}

function checkPage({ pageSize }) {
  if (!(pageSize > 0)) {
    throw new Error(`Invalid argument \`numItems\` in \`paginate\`: must be positive, got ${pageSize}`);
  }
}

function checkCall({ name, args }, executor) {
  if (typeof name !== "string") return;
  const path = name.includes(":") ? name : `${name}:default`;
  const problem = executor.argumentsError(path, jsonToConvex(args ?? {}));
  if (problem) throw new Error(problem);
}

function inRealWords(error, { table }) {
  if (!/^Validator error:/.test(error?.message ?? "")) return error;
  const told = error.message.replace(/^Validator error:\s*/, "");
  const known = table ? ` in table "${table}"` : "";
  return new Error(
    `Failed to insert or update a document${known} because it does not match the schema: ${told}`,
  );
}
