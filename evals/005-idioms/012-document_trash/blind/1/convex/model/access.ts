// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export async function requireUser(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  return identity.tokenIdentifier;
}

export async function requireMember(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
): Promise<Doc<"members">> {
  const user = await requireUser(ctx);
  const member = await ctx.db
    .query("members")
    .withIndex("by_user", (q) => q.eq("user", user).eq("workspace", workspace))
    .unique();
  if (member === null) throw new ConvexError("not a member");
  return member;
}

export async function requireAdmin(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
): Promise<Doc<"members">> {
  const member = await requireMember(ctx, workspace);
  if (member.role !== "admin") throw new ConvexError("not an admin");
  return member;
}

/** A document; null if it is gone or in the trash. */
export async function findDocument(
  ctx: QueryCtx,
  id: Id<"documents">,
): Promise<Doc<"documents"> | null> {
  const document = await ctx.db.get("documents", id);
  return document === null || document.trash !== undefined ? null : document;
}

/** A document with the member who asks for it: all members of a workspace read and write all. */
export async function requireDocument(ctx: QueryCtx, id: Id<"documents">) {
  await requireUser(ctx);
  const document = await findDocument(ctx, id);
  if (document === null) throw new ConvexError("not found");
  return { document, member: await requireMember(ctx, document.workspace) };
}

/** A document's owner, and admins, remove it and share it. */
export function requireOwner(document: Doc<"documents">, member: Doc<"members">): void {
  if (document.owner !== member._id && member.role !== "admin")
    throw new ConvexError("not the owner");
}

/** What the trash has of a document that was removed itself, for those who may remove it. */
export async function requireTrashed(ctx: QueryCtx, id: Id<"documents">): Promise<Doc<"trash">> {
  await requireUser(ctx);
  const document = await ctx.db.get("documents", id);
  if (document === null || document.trash === undefined) throw new ConvexError("not found");
  const entry = await ctx.db.get("trash", document.trash);
  if (entry === null || entry.document !== id) throw new ConvexError("not found");
  requireOwner(document, await requireMember(ctx, document.workspace));
  return entry;
}
