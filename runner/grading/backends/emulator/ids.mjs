// Ids of documents, as the emulator makes them.

/** Returns the table of one of the emulator's ids: digits, then the table's name. */
export function tableOf(id) {
  return /^\d+([A-Za-z_]\w*)$/.exec(id)?.[1] ?? null;
}
