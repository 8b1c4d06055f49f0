// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { WithoutSystemFields } from "convex/server";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { HIDDEN, SECRET_FIELDS } from "../lib/secrets";

export type LoggedTable = "customers" | "tickets" | "members" | "integrations";
type Fields = Record<string, unknown>;

/** Return the actor that a member is. */
export function asMember(member: Doc<"members">): string {
  return `member:${member._id}`;
}

/** The writing half of `ctx.db` for the tables of which there is a log. */
export class Writer {
  constructor(
    private readonly ctx: MutationCtx,
    private readonly actor: string,
  ) {}

  async insert<T extends LoggedTable>(
    table: T,
    document: WithoutSystemFields<Doc<T>>,
  ): Promise<Id<T>> {
    const id = await this.ctx.db.insert(table, document);
    await this.note(table, id, null, await this.ctx.db.get(table, id));
    return id;
  }

  async patch<T extends LoggedTable>(
    table: T,
    id: Id<T>,
    fields: Partial<WithoutSystemFields<Doc<T>>>,
  ): Promise<void> {
    const before = await this.ctx.db.get(table, id);
    await this.ctx.db.patch(table, id, fields as Partial<Doc<T>>);
    await this.note(table, id, before, await this.ctx.db.get(table, id));
  }

  async replace<T extends LoggedTable>(
    table: T,
    id: Id<T>,
    document: WithoutSystemFields<Doc<T>>,
  ): Promise<void> {
    const before = await this.ctx.db.get(table, id);
    await this.ctx.db.replace(table, id, document as never);
    await this.note(table, id, before, await this.ctx.db.get(table, id));
  }

  async delete<T extends LoggedTable>(table: T, id: Id<T>): Promise<void> {
    const before = await this.ctx.db.get(table, id);
    await this.ctx.db.delete(table, id);
    await this.note(table, id, before, null);
  }

  private async note(
    table: LoggedTable,
    document: Id<LoggedTable>,
    before: Fields | null,
    after: Fields | null,
  ): Promise<void> {
    const changes = listChanges(before ?? {}, after ?? {});
    if (changes.length === 0 && before !== null && after !== null) {
      return;
    }
    await this.ctx.db.insert("audit", {
      at: Date.now(),
      actor: this.actor,
      kind: before === null ? "created" : after === null ? "deleted" : "changed",
      table,
      document,
      changes,
      customer: findCustomer(table, document, after ?? before ?? {}),
    });
  }
}

/** Return the customer whom a document is about, so that they can be erased from the log, too. */
function findCustomer(
  table: LoggedTable,
  document: Id<LoggedTable>,
  fields: Fields,
): string | undefined {
  if (table === "customers") {
    return document;
  }
  return table === "tickets" ? String(fields.customer) : undefined;
}

function listChanges(
  before: Fields,
  after: Fields,
): { field: string; from: unknown; to: unknown }[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !name.startsWith("_"))
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((field) => ({ field, from: show(field, before[field]), to: show(field, after[field]) }));
}

function show(field: string, value: unknown): unknown {
  if (value === undefined) {
    return null;
  }
  return SECRET_FIELDS.includes(field) ? HIDDEN : value;
}
