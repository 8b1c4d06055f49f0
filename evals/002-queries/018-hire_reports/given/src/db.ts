// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// The reports of the hire shop read one SQLite file; main.ts serves them.

/** What we use of the driver. */
export interface Sqlite {
  /** Runs a statement; arguments are bound by name. */
  all(statement: string, args: Record<string, Value>): Row[];
}

export type Value = string | number | null;
export type Row = Record<string, Value | boolean>;
export type Given = Value | boolean | (string | number)[];

/** A report, by its arguments. */
export interface Report<Args extends object> {
  readonly text: string;
  readonly args?: Args;
}

export function sql<Args extends object>(parts: TemplateStringsArray): Report<Args> {
  return { text: parts.join("") };
}

/** Fields of forms that nobody filled in arrive as empty texts. */
function bind(given: Given): Value {
  if (Array.isArray(given)) return JSON.stringify(given);
  if (typeof given === "boolean") return given ? 1 : 0;
  return given === "" ? null : given;
}

/** Whole numbers are bound as INTEGER. Columns named `is_…` are answered as true or false. */
export function run<Args extends object>(db: Sqlite, report: Report<Args>, args: Args): Row[] {
  const bound: Record<string, Value> = {};
  for (const [name, given] of Object.entries(args) as [string, Given][]) bound[name] = bind(given);
  return db.all(report.text, bound).map((row) => {
    const shown: Row = {};
    for (const [column, value] of Object.entries(row)) {
      shown[column] = column.startsWith("is_") ? Boolean(value) : value;
    }
    return shown;
  });
}
