// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { UserIdentity } from "convex/server";
import { ConvexError } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";

type Role = Doc<"members">["role"];

const LADDER: Role[] = ["listener", "operator", "steward"];

function refuse(code: string, more: Record<string, string> = {}): never {
  throw new ConvexError({ code, ...more });
}

export { refuse };

async function memberOf(ctx: QueryCtx, identity: UserIdentity) {
  const [member] = await ctx.db
    .query("members")
    .withIndex("by_user", (q) => q.eq("user", identity.tokenIdentifier))
    .take(1);
  return member ?? refuse("not_a_member");
}

/** Makes a handler that runs only for members of at least this role, with the member at hand. */
export function guarded<Ctx extends QueryCtx | MutationCtx, Args, Result>(
  needs: Role,
  handler: (ctx: Ctx, args: Args, member: Doc<"members">) => Promise<Result>,
) {
  return async (ctx: Ctx, args: Args): Promise<Result> => {
    const identity = (await ctx.auth.getUserIdentity()) ?? refuse("unauthenticated");
    const member = await memberOf(ctx, identity);
    if (member.suspended) refuse("suspended");
    if (LADDER.indexOf(member.role) < LADDER.indexOf(needs)) refuse("forbidden", { needs });
    return await handler(ctx, args, member);
  };
}
