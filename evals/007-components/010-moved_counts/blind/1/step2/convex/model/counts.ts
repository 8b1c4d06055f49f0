// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * What is counted, and under which key:
 *
 * - the votes for an idea, by the idea's id. Votes that came from our old forum have no document
 *   (staff/forum.ts);
 * - the votes on a board, by "board/" and the board's id: those for all its ideas that are not removed;
 * - the votes that a member has given, by "member/" and the member's id: for ideas that still exist,
 *   removed or not;
 * - the views of an idea, by "views/" and the idea's id.
 *
 * What has no document in the table `counts` is zero.
 */

class Counter {
  constructor(private readonly prefix: string) {}

  async count(ctx: QueryCtx, name: string): Promise<number> {
    return (await this.find(ctx, name))?.value ?? 0;
  }

  async add(ctx: MutationCtx, name: string, by: number): Promise<void> {
    const counted = await this.find(ctx, name);
    if (counted === null) {
      await ctx.db.insert("counts", { key: this.prefix + name, value: by });
    } else {
      await ctx.db.patch("counts", counted._id, { value: counted.value + by });
    }
  }

  async subtract(ctx: MutationCtx, name: string, by: number): Promise<void> {
    await this.add(ctx, name, -by);
  }

  async inc(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, 1);
  }

  async dec(ctx: MutationCtx, name: string): Promise<void> {
    await this.add(ctx, name, -1);
  }

  async reset(ctx: MutationCtx, name: string): Promise<void> {
    const counted = await this.find(ctx, name);
    if (counted !== null) await ctx.db.delete("counts", counted._id);
  }

  private async find(ctx: QueryCtx, name: string): Promise<Doc<"counts"> | null> {
    return await ctx.db
      .query("counts")
      .withIndex("by_key", (q) => q.eq("key", this.prefix + name))
      .unique();
  }
}

export const votes = new Counter("");
export const views = new Counter("views/");

export const boardKey = (board: Id<"boards">): string => `board/${board}`;
export const memberKey = (member: Id<"members">): string => `member/${member}`;
