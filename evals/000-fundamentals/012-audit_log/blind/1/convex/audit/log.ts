// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Infer } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { ERASED, PERSONAL_FIELDS } from "../lib/erased";
import { HIDDEN, SECRET_FIELDS } from "../lib/secrets";
import type { auditedTable, auditedValue } from "../schema";

/*
 * Every mutation that creates, changes or deletes a document of these tables does it by way of the
 * functions here, once for each document.
 */

type Table = Infer<typeof auditedTable>;
type Value = Infer<typeof auditedValue>;
type Fields = Record<string, Value | undefined>;

const SCRUBBED_AT_ONCE = 200;

export function memberActor(member: Doc<"members">): string {
  return `member:${member._id}`;
}

/** Log a document that was just created. */
export async function logCreated(
  ctx: MutationCtx,
  actor: string,
  table: Table,
  id: Id<Table>,
): Promise<void> {
  await log(ctx, actor, table, null, await ctx.db.get(id), false);
}

/** Change or delete a document, and log it if it is another than before, or gone. */
export async function logChange(
  ctx: MutationCtx,
  actor: string,
  table: Table,
  id: Id<Table>,
  change: () => Promise<unknown>,
  { erases = false }: { erases?: boolean } = {},
): Promise<void> {
  const before = await ctx.db.get(id);
  await change();
  await log(ctx, actor, table, before, await ctx.db.get(id), erases);
}

export async function log(
  ctx: MutationCtx,
  actor: string,
  table: Table,
  before: Doc<Table> | null,
  after: Doc<Table> | null,
  erases: boolean,
): Promise<void> {
  const document = after ?? before;
  if (document === null) {
    return;
  }
  const old = { ...before } as Fields;
  const fresh = { ...after } as Fields;
  const changes = [];
  for (const field of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
    const from = old[field] ?? null;
    const to = fresh[field] ?? null;
    if (field.startsWith("_") || from === to) {
      continue;
    }
    if (SECRET_FIELDS.includes(field)) {
      changes.push({ field, from: replaced(from, HIDDEN), to: replaced(to, HIDDEN) });
    } else if (erases && PERSONAL_FIELDS.includes(field)) {
      changes.push({ field, from: replaced(from, ERASED), to });
    } else {
      changes.push({ field, from, to });
    }
  }
  const kind = before === null ? "created" : after === null ? "deleted" : "changed";
  if (kind === "changed" && changes.length === 0) {
    return;
  }
  await ctx.db.insert("audit", {
    at: Date.now(),
    actor,
    kind,
    table,
    document: document._id,
    changes,
    ...(!erases && customerOf(document)),
  });
}

/**
 * Take what tells who a customer was out of what was logged, also about tickets that are deleted.
 * What is too much for one transaction is done directly afterwards.
 */
export async function scrub(ctx: MutationCtx, customer: Id<"customers">): Promise<void> {
  const entries = await ctx.db
    .query("audit")
    .withIndex("by_customer", (q) => q.eq("customer", customer))
    .take(SCRUBBED_AT_ONCE);
  for (const entry of entries) {
    await ctx.db.patch("audit", entry._id, {
      customer: undefined,
      changes: entry.changes.map(({ field, from, to }) =>
        PERSONAL_FIELDS.includes(field)
          ? { field, from: replaced(from, ERASED), to: replaced(to, ERASED) }
          : { field, from, to },
      ),
    });
  }
  if (entries.length === SCRUBBED_AT_ONCE) {
    await ctx.scheduler.runAfter(0, internal.audit.scrub.run, { customer });
  }
}

function replaced(value: Value, by: string): Value {
  return value === null ? null : by;
}

/** Whom an entry may tell something about. */
function customerOf(document: Doc<Table>): { customer?: Id<"customers"> } {
  if ("subject" in document) {
    return { customer: document.customer };
  }
  return "email" in document ? { customer: document._id } : {};
}
