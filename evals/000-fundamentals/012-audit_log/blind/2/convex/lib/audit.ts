// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import type { auditedTable, change } from "../schema";
import { HIDDEN, SECRET_FIELDS } from "./secrets";

type AuditedTable = Infer<typeof auditedTable>;
type Change = Infer<typeof change>;
type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A document before and after a write: `null` before it is created and after it is deleted. */
type Write = {
  [T in AuditedTable]: { table: T; before: Doc<T> | null; after: Doc<T> | null };
}[AuditedTable];

/** What stands in the place of what an erased customer had told us. */
export const ERASED = "(erased)";

/** Fields that tell who a customer is, how they are reached, or what they wrote. */
const PERSONAL_FIELDS: Readonly<Record<AuditedTable, readonly string[]>> = {
  customers: ["name", "email", "phone"],
  tickets: ["subject", "text"],
  members: [],
  integrations: [],
};

/** Longer texts are cut: an entry holds two of them, and a document at most 1 MiB. */
const MOST_BYTES = 450_000;

export function memberActor(member: Id<"members">): string {
  return `member:${member}`;
}

/** Log a write, unless it left everything as it was. One that erases does not log what was. */
export async function record(
  ctx: MutationCtx,
  actor: string,
  write: Write,
  erases = false,
): Promise<void> {
  const document = write.before ?? write.after;
  if (document === null) {
    return;
  }
  const changes = changesOf(write);
  const kind = write.before === null ? "created" : write.after === null ? "deleted" : "changed";
  if (kind === "changed" && changes.length === 0) {
    return;
  }
  await ctx.db.insert("audit", {
    at: Date.now(),
    actor,
    kind,
    table: write.table,
    document: document._id,
    changes: erases ? changes.map((one) => withoutFrom(write.table, one)) : changes,
    customer: customerOf(write),
    ...(erases ? { isErased: true } : {}),
  });
}

/** Change a ticket, and log it. */
export async function patchTicket(
  ctx: MutationCtx,
  actor: string,
  ticket: Id<"tickets">,
  fields: Partial<Omit<Doc<"tickets">, "_id" | "_creationTime">>,
  erases = false,
): Promise<void> {
  const before = await ctx.db.get("tickets", ticket);
  await ctx.db.patch("tickets", ticket, fields);
  const after = await ctx.db.get("tickets", ticket);
  await record(ctx, actor, { table: "tickets", before, after }, erases);
}

/** Delete a ticket, and log it. */
export async function deleteTicket(
  ctx: MutationCtx,
  actor: string,
  ticket: Doc<"tickets">,
): Promise<void> {
  await ctx.db.delete("tickets", ticket._id);
  await record(ctx, actor, { table: "tickets", before: ticket, after: null });
}

/** The changes of an entry without what tells about the customer. */
export function erasedChanges(entry: Doc<"audit">): Change[] {
  return entry.changes.map((one) => withoutTo(entry.table, withoutFrom(entry.table, one)));
}

function changesOf(write: Write): Change[] {
  const before: Fields = write.before ?? {};
  const after: Fields = write.after ?? {};
  const changes: Change[] = [];
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const from = before[field] ?? null;
    const to = after[field] ?? null;
    if (!field.startsWith("_") && from !== to) {
      changes.push({ field, from: shown(field, from), to: shown(field, to) });
    }
  }
  return changes;
}

function shown(field: string, value: Change["from"]): Change["from"] {
  if (value !== null && SECRET_FIELDS.includes(field)) {
    return HIDDEN;
  }
  if (typeof value !== "string" || value.length * 3 <= MOST_BYTES) {
    return value;
  }
  const bytes = new TextEncoder().encode(value);
  return bytes.length <= MOST_BYTES
    ? value
    : `${new TextDecoder().decode(bytes.subarray(0, MOST_BYTES))}…`;
}

function withoutFrom(table: AuditedTable, one: Change): Change {
  const isPersonal = PERSONAL_FIELDS[table].includes(one.field);
  return isPersonal && one.from !== null ? { ...one, from: ERASED } : one;
}

function withoutTo(table: AuditedTable, one: Change): Change {
  const isPersonal = PERSONAL_FIELDS[table].includes(one.field);
  return isPersonal && one.to !== null ? { ...one, to: ERASED } : one;
}

/** The customer whom an entry tells something about. */
function customerOf(write: Write): Id<"customers"> | undefined {
  if (write.table === "customers") {
    return (write.before ?? write.after)?._id;
  }
  if (write.table === "tickets") {
    return (write.before ?? write.after)?.customer;
  }
  return undefined;
}
