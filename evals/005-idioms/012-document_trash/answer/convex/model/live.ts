// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** A document; null if it is gone or in the trash. */
export async function getLive(ctx: QueryCtx, id: Id<"documents">) {
  const document = await ctx.db.get("documents", id);
  return document === null || document.trashedAt !== undefined ? null : document;
}

/** The first documents that are not in the trash. */
export async function takeLive(documents: AsyncIterable<Doc<"documents">>, most = Infinity) {
  const taken: Doc<"documents">[] = [];
  for await (const document of documents) {
    if (taken.length >= most) break;
    if (document.trashedAt === undefined) taken.push(document);
  }
  return taken;
}

/** The first rows whose documents are not in the trash, with these. */
export async function takeLiveRows<Row extends { document: Id<"documents"> }>(
  ctx: QueryCtx,
  rows: AsyncIterable<Row>,
  most = Infinity,
) {
  const taken: { row: Row; document: Doc<"documents"> }[] = [];
  for await (const row of rows) {
    if (taken.length >= most) break;
    const document = await getLive(ctx, row.document);
    if (document !== null) taken.push({ row, document });
  }
  return taken;
}
