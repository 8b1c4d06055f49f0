// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { GenericId } from "convex/values";
import type { Doc, TableNames } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/**
 * Gets documents, each at most once: lists name the same few clients and members again and again.
 *
 *     const load = loaderOf(ctx, "clients");
 *     const client = await load(project.client);
 */
export function loaderOf<T extends TableNames>(ctx: QueryCtx, table: T) {
  const pending = new Map<string, Promise<Doc<T> | null>>();
  return (id: GenericId<T>): Promise<Doc<T> | null> => {
    let document = pending.get(id);
    if (document === undefined) {
      document = ctx.db.get(table, id);
      pending.set(id, document);
    }
    return document;
  };
}
