// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// The database of the invoice desk: one SQLite file, one connection, opened by main.ts.

/** What we use of the driver. */
export interface Sqlite {
  exec(text: string): void;
  /** Splits a text at the ends of its statements. */
  split(text: string): string[];
  /** Runs one statement; arguments are bound by name, and those it does not name are left out. */
  all(statement: string, args: Record<string, Value>): Row[];
}

export type Value = string | number | null;
export type Row = Record<string, Value>;

/** A call of the API, by its arguments. */
export interface Call<Args extends object> {
  readonly text: string;
  readonly args?: Args;
}

export function sql<Args extends object>(parts: TemplateStringsArray): Call<Args> {
  return { text: parts.join("") };
}

/** On each start; the schema only where the file is new. */
export function open(db: Sqlite, schema: string, isNew: boolean): void {
  db.exec("PRAGMA foreign_keys = ON");
  if (isNew) db.exec(schema);
}

/**
 * Runs all statements of a call, as one transaction, and returns the rows of the last one.
 *
 * What throws is answered with status 409 by main.ts. Whole numbers are bound as INTEGER, others as
 * REAL, texts as TEXT, null as NULL; lists as their JSON.
 */
export function run<Args extends object>(db: Sqlite, call: Call<Args>, args: Args): Row[] {
  const bound: Record<string, Value> = {};
  for (const [name, value] of Object.entries(args) as [string, Value | object][]) {
    bound[name] = value !== null && typeof value === "object" ? JSON.stringify(value) : value;
  }
  db.exec("BEGIN IMMEDIATE");
  try {
    let rows: Row[] = [];
    for (const statement of db.split(call.text)) rows = db.all(statement, bound);
    db.exec("COMMIT");
    return rows;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
