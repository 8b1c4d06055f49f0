// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { ERASED, PERSONAL_FIELDS } from "./personal";
import { HIDDEN, SECRET_FIELDS } from "./secrets";

type Table = Doc<"audit">["table"];
type Change = Doc<"audit">["changes"][number];
type Values = Record<string, Change["from"] | undefined>;

export function memberActor(member: Id<"members">): string {
  return `member:${member}`;
}

/**
 * Write into the audit log what has become of a document: `before` is null for one that was created,
 * `after` for one that was deleted. A document that is as before is not in the log.
 */
export async function record(
  ctx: MutationCtx,
  actor: string,
  table: Table,
  before: Doc<Table> | null,
  after: Doc<Table> | null,
): Promise<void> {
  await write(ctx, actor, table, before, after, false);
}

/** The same for a change that erases a customer: what was before is not kept here either. */
export async function recordErasure(
  ctx: MutationCtx,
  actor: string,
  table: Table,
  before: Doc<Table> | null,
  after: Doc<Table> | null,
): Promise<void> {
  await write(ctx, actor, table, before, after, true);
}

async function write(
  ctx: MutationCtx,
  actor: string,
  table: Table,
  before: Doc<Table> | null,
  after: Doc<Table> | null,
  isErasure: boolean,
): Promise<void> {
  const document = after ?? before;
  if (document === null) {
    return;
  }
  const found = compare(before, after);
  if (found.length === 0 && before !== null && after !== null) {
    return;
  }
  const changes = isErasure
    ? found.map((change) => ({ ...change, from: erased(change.field, change.from) }))
    : found;
  const customer = isErasure ? undefined : customerOf(document);
  await ctx.db.insert("audit", {
    at: Date.now(),
    actor,
    kind: before === null ? "created" : after === null ? "deleted" : "changed",
    table,
    document: document._id,
    changes,
    ...(customer === undefined ? {} : { customer }),
  });
}

function compare(before: Doc<Table> | null, after: Doc<Table> | null): Change[] {
  const old: Values = { ...before };
  const now: Values = { ...after };
  const changes: Change[] = [];
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const from = old[field] ?? null;
    const to = now[field] ?? null;
    if (!field.startsWith("_") && from !== to) {
      changes.push({ field, from: shown(field, from), to: shown(field, to) });
    }
  }
  return changes;
}

function shown(field: string, value: Change["from"]): Change["from"] {
  return value !== null && SECRET_FIELDS.includes(field) ? HIDDEN : value;
}

function erased(field: string, value: Change["from"]): Change["from"] {
  return value !== null && PERSONAL_FIELDS.includes(field) ? ERASED : value;
}

function customerOf(document: Doc<Table>): Id<"customers"> | undefined {
  if ("customer" in document) {
    return document.customer;
  }
  return "email" in document ? document._id : undefined;
}

/** Erase a customer from entries of the log, also of tickets that are gone. Return how many. */
export async function eraseEntries(
  ctx: MutationCtx,
  customer: Id<"customers">,
  limit: number,
): Promise<number> {
  const entries = await ctx.db
    .query("audit")
    .withIndex("by_customer", (q) => q.eq("customer", customer))
    .take(limit);
  for (const entry of entries) {
    const changes = entry.changes.map(({ field, from, to }) => ({
      field,
      from: erased(field, from),
      to: erased(field, to),
    }));
    await ctx.db.patch("audit", entry._id, { changes, customer: undefined });
  }
  return entries.length;
}
