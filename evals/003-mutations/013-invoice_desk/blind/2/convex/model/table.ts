// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// A table that a mutation has read whole. It is changed in memory, and what changed is written once,
// at the end: a call of the desk may touch one row many times.

/** How the rows of a table are written to the database. */
export interface Store<Row, Key> {
  insert: (row: Row) => Promise<unknown>;
  patch: (key: Key, fields: Partial<Row>) => Promise<unknown>;
  remove: (key: Key) => Promise<unknown>;
}

export class Table<Row extends object, Key> {
  rows: Row[] = [];
  private readonly keys = new Map<Row, Key>();
  private readonly changes = new Map<Row, Partial<Row>>();
  private readonly removed: Key[] = [];

  constructor(docs: readonly (Row & { _id: Key })[]) {
    for (const doc of docs) {
      const row: Row = { ...doc };
      this.rows.push(row);
      this.keys.set(row, doc._id);
    }
  }

  add(row: Row): void {
    this.rows.push(row);
  }

  set(row: Row, fields: Partial<Row>): void {
    Object.assign(row, fields);
    const known = this.changes.get(row);
    if (known === undefined) this.changes.set(row, { ...fields });
    else Object.assign(known, fields);
  }

  /** Leaves a list of rows that somebody goes through as it is. */
  remove(row: Row): void {
    this.rows = this.rows.filter((other) => other !== row);
    const key = this.keys.get(row);
    if (key !== undefined) this.removed.push(key);
  }

  async save(store: Store<Row, Key>): Promise<void> {
    for (const key of this.removed) await store.remove(key);
    for (const row of this.rows) {
      const key = this.keys.get(row);
      const fields = this.changes.get(row);
      if (key === undefined) await store.insert(row);
      else if (fields !== undefined) await store.patch(key, fields);
    }
  }
}

/** The row of a number. */
export function byId<Row extends { id: number }>(
  table: { rows: Row[] },
  id: number | null,
): Row | undefined {
  return table.rows.find((row) => row.id === id);
}

/** The number of the next row: one more than the highest that is there now. */
export function nextId(table: { rows: { id: number }[] }): number {
  return 1 + table.rows.reduce((highest, row) => Math.max(highest, row.id), 0);
}
