// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * What is counted, and under which key:
 *
 * - the votes for an idea, by the idea's id. Votes that came from our old forum have no document
 *   (staff/forum.ts);
 * - the votes on a board, by "board/" and the board's id: those for all its ideas that are not removed;
 * - the votes that a member has given, by "member/" and the member's id: for ideas that still exist,
 *   removed or not.
 *
 * The views of ideas are counted apart, in rows whose key begins with "views/".
 */
/** A group of counts. What has no row is zero. */
class Counts {
  constructor(private readonly prefix: string) {}

  async count(ctx: QueryCtx, name: string): Promise<number> {
    const row = await this.getRow(ctx, name);
    return row?.value ?? 0;
  }

  async add(ctx: MutationCtx, name: string, count: number): Promise<void> {
    const row = await this.getRow(ctx, name);
    if (row !== null) {
      await ctx.db.patch("tallies", row._id, { value: row.value + count });
      return;
    }
    await ctx.db.insert("tallies", { key: this.prefix + name, value: count });
  }

  async subtract(ctx: MutationCtx, name: string, count: number): Promise<void> {
    await this.add(ctx, name, -count);
  }

  async inc(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, 1);
  }

  async dec(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, -1);
  }

  async reset(ctx: MutationCtx, name: string): Promise<void> {
    const row = await this.getRow(ctx, name);
    if (row !== null) await ctx.db.delete("tallies", row._id);
  }

  private async getRow(ctx: QueryCtx, name: string) {
    return await ctx.db
      .query("tallies")
      .withIndex("by_key", (q) => q.eq("key", this.prefix + name))
      .unique();
  }
}

export const votes = new Counts("");
export const views = new Counts("views/");

export const boardKey = (board: Id<"boards">): string => `board/${board}`;
export const memberKey = (member: Id<"members">): string => `member/${member}`;
