// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "./errors";
import { role, takesSeat, type Role } from "./roles";

/** `name` is the person's present name; `since` is when they joined. */
export const member = v.object({
  user: v.string(),
  name: v.string(),
  role,
  since: v.number(),
});

export type Member = Infer<typeof member>;

/** A member with their document. */
export type Found = Member & { doc: Doc<"members"> };

/** What a new workspace has, before its first member is added. */
export const NO_MEMBERS = { size: 0, seats: 0, owners: 0 };

function toMember({ user, name, role: given, since }: Member): Member {
  return { user, name, role: given, since };
}

/**
 * The small letters of a name, four digits for each code unit: so keys are ordered, and begin, in
 * the database just like the names do in JavaScript.
 */
function keyOf(name: string): string {
  const lower = name.toLowerCase();
  let key = "";
  for (let i = 0; i < lower.length; i++) {
    key += lower.charCodeAt(i).toString(16).padStart(4, "0");
  }
  return key;
}

function countRoles(members: { role: Role }[]) {
  return {
    size: members.length,
    seats: members.filter((each) => takesSeat(each.role)).length,
    owners: members.filter((each) => each.role === "owner").length,
  };
}

/** How many members a workspace has, and how many of them take a seat or are owners. */
export function countMembers({ size, seats, owners }: Doc<"workspaces">) {
  return { size, seats, owners };
}

export async function findMember(
  ctx: QueryCtx,
  workspace: Doc<"workspaces">,
  user: string,
): Promise<Found | undefined> {
  const doc = await ctx.db
    .query("members")
    .withIndex("by_user", (q) => q.eq("user", user).eq("workspace", workspace._id))
    .unique();
  return doc === null ? undefined : { ...toMember(doc), doc };
}

/** The workspaces of a person, in the order in which they were made. */
export async function listWorkspaces(
  ctx: QueryCtx,
  user: string,
): Promise<{ workspace: Doc<"workspaces">; me: Found }[]> {
  const found: { workspace: Doc<"workspaces">; me: Found }[] = [];
  const docs = ctx.db.query("members").withIndex("by_user", (q) => q.eq("user", user));
  for await (const doc of docs) {
    const workspace = await ctx.db.get("workspaces", doc.workspace);
    // A removed workspace is gone before its members are.
    if (workspace !== null) found.push({ workspace, me: { ...toMember(doc), doc } });
  }
  return found.sort((a, b) => a.workspace._creationTime - b.workspace._creationTime);
}

/** The first members in their order, or the first after one of them. */
export async function listMembers(
  ctx: QueryCtx,
  workspace: Doc<"workspaces">,
  limit: number,
  after?: Found,
): Promise<Member[]> {
  const docs = await ctx.db
    .query("members")
    .withIndex("by_workspace", (q) => {
      const all = q.eq("workspace", workspace._id);
      return after === undefined ? all : all.gt("rank", after.doc.rank);
    })
    .take(limit);
  return docs.map(toMember);
}

/** Members whose names begin so, in whatever case, by name. */
export async function searchMembers(
  ctx: QueryCtx,
  workspace: Doc<"workspaces">,
  prefix: string,
  limit: number,
): Promise<Member[]> {
  const start = keyOf(prefix);
  const docs = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_key", (q) =>
      // "g" comes after all digits of keys.
      q.eq("workspace", workspace._id).gte("key", start).lt("key", `${start}g`),
    )
    .take(limit);
  return docs.map(toMember);
}

/** Who becomes the owner where none is left: the first of the admins, or the first of all. */
export async function findHeir(
  ctx: QueryCtx,
  workspace: Doc<"workspaces">,
): Promise<Found | undefined> {
  const admin = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_role", (q) => q.eq("workspace", workspace._id).eq("role", "admin"))
    .first();
  const doc = admin ?? (await findEnd(ctx, workspace._id, "asc"));
  return doc === null ? undefined : { ...toMember(doc), doc };
}

/** A workspace always has an owner, whatever is done to its members. */
export function requireOwner(workspace: Doc<"workspaces">, before: Role, after: Role | null): void {
  const left =
    workspace.owners - (before === "owner" ? 1 : 0) + (after === "owner" ? 1 : 0);
  if (left < 1) refuse("last_owner");
}

/** Adds a member as the last. Who is a member already must not be added. */
export async function addMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  added: Member,
): Promise<void> {
  const last = await findEnd(ctx, id, "desc");
  await insertDoc(ctx, id, added, last === null ? 0 : last.rank + 1);
  await changeCounts(ctx, id, null, added.role);
}

export async function changeRole(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  changed: Found,
  given: Role,
): Promise<void> {
  await ctx.db.patch("members", changed.doc._id, { role: given });
  await changeCounts(ctx, id, changed.role, given);
}

export async function changeName(
  ctx: MutationCtx,
  _id: Id<"workspaces">,
  changed: Found,
  name: string,
): Promise<void> {
  await ctx.db.patch("members", changed.doc._id, { name, key: keyOf(name) });
}

export async function removeMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  removed: Found,
): Promise<void> {
  await ctx.db.delete("members", removed.doc._id);
  await changeCounts(ctx, id, removed.role, null);
}

/** Makes a member the first, with a role. */
export async function makeFirst(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  changed: Found,
  given: Role,
): Promise<void> {
  const first = await findEnd(ctx, id, "asc");
  const rank = first === null ? 0 : first.rank - 1;
  await ctx.db.patch("members", changed.doc._id, { role: given, rank });
  await changeCounts(ctx, id, changed.role, given);
}

/** Stores all members of a workspace, in this order. Only for workspaces with few members. */
export async function replaceMembers(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  members: Member[],
): Promise<void> {
  const present = new Map<string, Doc<"members">>();
  const docs = ctx.db.query("members").withIndex("by_workspace", (q) => q.eq("workspace", id));
  for (const doc of await docs.collect()) present.set(doc.user, doc);
  for (const [rank, each] of members.entries()) {
    const doc = present.get(each.user);
    present.delete(each.user);
    if (doc === undefined) await insertDoc(ctx, id, each, rank);
    else await ctx.db.patch("members", doc._id, { role: each.role, rank });
  }
  for (const doc of present.values()) await ctx.db.delete("members", doc._id);
  await ctx.db.patch("workspaces", id, countRoles(members));
}

/** Deletes members of a workspace that is gone, and returns how many. */
export async function sweepMembers(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  limit: number,
): Promise<number> {
  const docs = await ctx.db
    .query("members")
    .withIndex("by_workspace", (q) => q.eq("workspace", id))
    .take(limit);
  for (const doc of docs) await ctx.db.delete("members", doc._id);
  return docs.length;
}

async function findEnd(
  ctx: QueryCtx,
  id: Id<"workspaces">,
  order: "asc" | "desc",
): Promise<Doc<"members"> | null> {
  return await ctx.db
    .query("members")
    .withIndex("by_workspace", (q) => q.eq("workspace", id))
    .order(order)
    .first();
}

async function insertDoc(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  added: Member,
  rank: number,
): Promise<void> {
  const fields = toMember(added);
  await ctx.db.insert("members", { ...fields, workspace: id, rank, key: keyOf(fields.name) });
}

async function changeCounts(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  before: Role | null,
  after: Role | null,
): Promise<void> {
  const workspace = await ctx.db.get("workspaces", id);
  if (workspace === null) return refuse("no_workspace");
  const less = countRoles(before === null ? [] : [{ role: before }]);
  const more = countRoles(after === null ? [] : [{ role: after }]);
  await ctx.db.patch("workspaces", id, {
    size: workspace.size - less.size + more.size,
    seats: workspace.seats - less.seats + more.seats,
    owners: workspace.owners - less.owners + more.owners,
  });
}
