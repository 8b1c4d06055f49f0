// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "./errors";
import { role, takesSeat, type Role } from "./roles";

/*
 * A member is either in the table `members` or, until move.ts has moved them, in the array of their
 * workspace. Those in the table come first. Only this file knows of the two places.
 */

/** `name` is the person's present name; `since` is when they joined. */
export const member = v.object({
  user: v.string(),
  name: v.string(),
  role,
  since: v.number(),
});

export type Member = Infer<typeof member>;

/** A member, with their document if they have one already. */
export type Found = Member & { doc: Doc<"members"> | null };

/** What a new workspace has, before its first member is added. */
export const NO_MEMBERS = { isMoved: true, size: 0, seats: 0, owners: 0 };

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
export function countMembers(workspace: Doc<"workspaces">) {
  const waiting = countRoles(workspace.members ?? []);
  return {
    size: (workspace.size ?? 0) + waiting.size,
    seats: (workspace.seats ?? 0) + waiting.seats,
    owners: (workspace.owners ?? 0) + waiting.owners,
  };
}

export async function findMember(
  ctx: QueryCtx,
  workspace: Doc<"workspaces">,
  user: string,
): Promise<Found | undefined> {
  const waiting = workspace.members?.find((each) => each.user === user);
  if (waiting !== undefined) return { ...waiting, doc: null };
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
  const unmoved = ctx.db
    .query("workspaces")
    .withIndex("by_moved", (q) => q.eq("isMoved", undefined));
  for await (const workspace of unmoved) {
    const waiting = workspace.members?.find((each) => each.user === user);
    if (waiting !== undefined) found.push({ workspace, me: { ...waiting, doc: null } });
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
  const waiting = workspace.members ?? [];
  if (after !== undefined && after.doc === null) {
    const start = waiting.findIndex((each) => each.user === after.user) + 1;
    return waiting.slice(start, start + limit);
  }
  const rank = after?.doc?.rank;
  const docs = await ctx.db
    .query("members")
    .withIndex("by_workspace", (q) => {
      const all = q.eq("workspace", workspace._id);
      return rank === undefined ? all : all.gt("rank", rank);
    })
    .take(limit);
  return [...docs.map(toMember), ...waiting.slice(0, limit - docs.length)];
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
  const waiting = (workspace.members ?? [])
    .map((each) => ({ each, key: keyOf(each.name) }))
    .filter(({ key }) => key.startsWith(start));
  return [...docs.map((doc) => ({ each: toMember(doc), key: doc.key })), ...waiting]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .slice(0, limit)
    .map(({ each }) => each);
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
  if (admin !== null) return { ...toMember(admin), doc: admin };
  const waiting = workspace.members?.find((each) => each.role === "admin");
  if (waiting !== undefined) return { ...waiting, doc: null };
  const doc = await findEnd(ctx, workspace._id, "asc");
  if (doc !== null) return { ...toMember(doc), doc };
  const first = workspace.members?.at(0);
  return first === undefined ? undefined : { ...first, doc: null };
}

/** A workspace always has an owner, whatever is done to its members. */
export function requireOwner(workspace: Doc<"workspaces">, before: Role, after: Role | null): void {
  const { owners } = countMembers(workspace);
  const left = owners - (before === "owner" ? 1 : 0) + (after === "owner" ? 1 : 0);
  if (left < 1) refuse("last_owner");
}

/** Adds a member as the last. Who is a member already must not be added. */
export async function addMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  added: Member,
): Promise<void> {
  const { members } = await getWorkspace(ctx, id);
  if (members !== undefined) {
    await ctx.db.patch("workspaces", id, { members: [...members, toMember(added)] });
    return;
  }
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
  if (changed.doc === null) {
    await changeWaiting(ctx, id, changed.user, { role: given });
    return;
  }
  await ctx.db.patch("members", changed.doc._id, { role: given });
  await changeCounts(ctx, id, changed.role, given);
}

export async function changeName(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  changed: Found,
  name: string,
): Promise<void> {
  if (changed.doc === null) await changeWaiting(ctx, id, changed.user, { name });
  else await ctx.db.patch("members", changed.doc._id, { name, key: keyOf(name) });
}

export async function removeMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  removed: Found,
): Promise<void> {
  if (removed.doc === null) {
    await dropWaiting(ctx, id, removed.user);
    return;
  }
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
  if (changed.doc === null) {
    await dropWaiting(ctx, id, changed.user);
    await insertDoc(ctx, id, { ...changed, role: given }, rank);
    await changeCounts(ctx, id, null, given);
  } else {
    await ctx.db.patch("members", changed.doc._id, { role: given, rank });
    await changeCounts(ctx, id, changed.role, given);
  }
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
  await ctx.db.patch("workspaces", id, {
    members: undefined,
    isMoved: true,
    ...countRoles(members),
  });
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

/** Moves the first members who wait in the array to the table, and returns how many. */
export async function moveMembers(
  ctx: MutationCtx,
  workspace: Doc<"workspaces">,
  limit: number,
): Promise<number> {
  const waiting = workspace.members ?? [];
  const moved = waiting.slice(0, limit);
  const rest = waiting.slice(limit);
  const last = await findEnd(ctx, workspace._id, "desc");
  let rank = last === null ? 0 : last.rank + 1;
  for (const each of moved) {
    await insertDoc(ctx, workspace._id, each, rank);
    rank += 1;
  }
  const added = countRoles(moved);
  await ctx.db.patch("workspaces", workspace._id, {
    size: (workspace.size ?? 0) + added.size,
    seats: (workspace.seats ?? 0) + added.seats,
    owners: (workspace.owners ?? 0) + added.owners,
    ...(rest.length > 0 ? { members: rest } : { members: undefined, isMoved: true }),
  });
  return moved.length;
}

async function getWorkspace(ctx: QueryCtx, id: Id<"workspaces">): Promise<Doc<"workspaces">> {
  const workspace = await ctx.db.get("workspaces", id);
  if (workspace === null) return refuse("no_workspace");
  return workspace;
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
  const { size = 0, seats = 0, owners = 0 } = await getWorkspace(ctx, id);
  const less = countRoles(before === null ? [] : [{ role: before }]);
  const more = countRoles(after === null ? [] : [{ role: after }]);
  await ctx.db.patch("workspaces", id, {
    size: size - less.size + more.size,
    seats: seats - less.seats + more.seats,
    owners: owners - less.owners + more.owners,
  });
}

async function changeWaiting(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  user: string,
  changes: Partial<Member>,
): Promise<void> {
  const { members = [] } = await getWorkspace(ctx, id);
  await ctx.db.patch("workspaces", id, {
    members: members.map((each) => (each.user === user ? { ...each, ...changes } : each)),
  });
}

async function dropWaiting(ctx: MutationCtx, id: Id<"workspaces">, user: string): Promise<void> {
  const { members = [] } = await getWorkspace(ctx, id);
  await ctx.db.patch("workspaces", id, { members: members.filter((each) => each.user !== user) });
}
