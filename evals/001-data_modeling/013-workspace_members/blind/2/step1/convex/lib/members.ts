// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "./errors";
import { role, takesSeat, type Role } from "./roles";

/*
 * The members of a workspace are the documents of the table `members`, by their `order`, and behind
 * them those that `move.ts` has not moved yet, which are in the array of the workspace. Nobody is
 * in both.
 */

/** The page of the members shows so many. */
export const MOST_LISTED = 100;

/** `name` is the person's present name; `since` is when they joined. */
export const member = v.object({
  user: v.string(),
  name: v.string(),
  role,
  since: v.number(),
});

export type Member = Infer<typeof member>;

/** A member, and their document if they were moved. */
export type Found = Member & { id?: Id<"members"> };

/** What a mutation knows of the members of a workspace: end with `storeRoster`. */
export interface Roster {
  _id: Id<"workspaces">;
  members: Member[];
  /** Of those that have documents. */
  size: number;
  seats: number;
  nextOrder?: number;
}

type Place = Pick<Doc<"workspaces">, "_id" | "members">;

/**
 * Names are found and sorted by this: the UTF-16 units of the small letters, as JavaScript compares
 * them. Indexes compare texts otherwise.
 */
function keyOf(name: string): string {
  const small = name.toLowerCase();
  return Array.from({ length: small.length }, (_, index) =>
    small.charCodeAt(index).toString(16).padStart(4, "0"),
  ).join("");
}

function toMember({ user, name, role: has, since }: Doc<"members">): Member {
  return { user, name, role: has, since };
}

export function openRoster(workspace: Doc<"workspaces">): Roster {
  return {
    _id: workspace._id,
    members: [...(workspace.members ?? [])],
    size: workspace.size ?? 0,
    seats: workspace.seats ?? 0,
  };
}

export async function storeRoster(ctx: MutationCtx, roster: Roster): Promise<void> {
  const { _id, members, size, seats } = roster;
  const left = members.length > 0 ? { members, isMoved: undefined } : { members: undefined };
  await ctx.db.patch("workspaces", _id, { size, seats, isMoved: true, ...left });
}

export function countMembers(workspace: Doc<"workspaces">): number {
  return (workspace.size ?? 0) + (workspace.members ?? []).length;
}

export function countSeats(workspace: Doc<"workspaces">): number {
  const left = (workspace.members ?? []).filter((each) => takesSeat(each.role));
  return (workspace.seats ?? 0) + left.length;
}

export async function findMember(
  ctx: QueryCtx,
  workspace: Place,
  user: string,
): Promise<Found | undefined> {
  const doc = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_user", (q) => q.eq("workspace", workspace._id).eq("user", user))
    .unique();
  if (doc !== null) return { ...toMember(doc), id: doc._id };
  return workspace.members?.find((each) => each.user === user);
}

/** The workspaces of a user, in the order in which they were created. */
export async function listWorkspaces(
  ctx: QueryCtx,
  user: string,
): Promise<{ workspace: Doc<"workspaces">; me: Found }[]> {
  const found: { workspace: Doc<"workspaces">; me: Found }[] = [];
  const docs = ctx.db.query("members").withIndex("by_user", (q) => q.eq("user", user));
  for await (const doc of docs) {
    const workspace = await ctx.db.get("workspaces", doc.workspace);
    if (workspace !== null) found.push({ workspace, me: { ...toMember(doc), id: doc._id } });
  }
  const unmoved = ctx.db
    .query("workspaces")
    .withIndex("by_isMoved", (q) => q.eq("isMoved", undefined));
  for await (const workspace of unmoved) {
    const me = workspace.members?.find((each) => each.user === user);
    if (me !== undefined) found.push({ workspace, me });
  }
  return found.sort((a, b) => a.workspace._creationTime - b.workspace._creationTime);
}

/** The first members in their order, or the first after a user. */
export async function listMembers(
  ctx: QueryCtx,
  workspace: Place,
  after?: string,
): Promise<Member[]> {
  const left = workspace.members ?? [];
  let order: number | undefined;
  if (after !== undefined) {
    const found = await findMember(ctx, workspace, after);
    if (found === undefined) refuse("no_member");
    if (found.id === undefined) {
      const index = left.findIndex((each) => each.user === after);
      return left.slice(index + 1, index + 1 + MOST_LISTED);
    }
    order = (await ctx.db.get("members", found.id))?.order;
  }
  const docs = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_order", (q) => {
      const all = q.eq("workspace", workspace._id);
      return order === undefined ? all : all.gt("order", order);
    })
    .take(MOST_LISTED);
  return [...docs.map(toMember), ...left].slice(0, MOST_LISTED);
}

/** The first members by name whose names begin so. */
export async function suggestMembers(
  ctx: QueryCtx,
  workspace: Place,
  prefix: string,
  limit: number,
): Promise<Member[]> {
  const start = keyOf(prefix);
  const docs = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_key", (q) =>
      // "g" comes behind all digits of a key.
      q.eq("workspace", workspace._id).gte("key", start).lt("key", `${start}g`),
    )
    .take(limit);
  return [...docs.map(toMember), ...(workspace.members ?? [])]
    .map((each) => ({ each, key: keyOf(each.name) }))
    .filter(({ key }) => key.startsWith(start))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .slice(0, limit)
    .map(({ each }) => each);
}

async function insertMember(
  ctx: MutationCtx,
  roster: Roster,
  { user, name, role: has, since }: Member,
  order: number,
): Promise<void> {
  const fields = { workspace: roster._id, user, name, role: has, since };
  await ctx.db.insert("members", { ...fields, key: keyOf(name), order });
  count(roster, has, 1);
}

function count(roster: Roster, has: Role, by: number): void {
  roster.size += by;
  if (takesSeat(has)) roster.seats += by;
}

async function findEnd(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
  order: "asc" | "desc",
): Promise<Doc<"members"> | null> {
  return await ctx.db
    .query("members")
    .withIndex("by_workspace_and_order", (q) => q.eq("workspace", workspace))
    .order(order)
    .first();
}

/** Gives a member a document, behind those that have one. */
export async function appendMember(
  ctx: MutationCtx,
  roster: Roster,
  added: Member,
): Promise<void> {
  const next = roster.nextOrder ?? ((await findEnd(ctx, roster._id, "desc"))?.order ?? -1) + 1;
  await insertMember(ctx, roster, added, next);
  roster.nextOrder = next + 1;
}

/** Adds a member as the last one. */
export async function addMember(ctx: MutationCtx, roster: Roster, added: Member): Promise<void> {
  if (roster.members.length > 0) roster.members.push(added);
  else await appendMember(ctx, roster, added);
}

export async function removeMember(
  ctx: MutationCtx,
  roster: Roster,
  removed: Found,
): Promise<void> {
  if (removed.id === undefined) {
    roster.members = roster.members.filter((each) => each.user !== removed.user);
    return;
  }
  await ctx.db.delete("members", removed.id);
  count(roster, removed.role, -1);
}

export async function changeRole(
  ctx: MutationCtx,
  roster: Roster,
  changed: Found,
  given: Role,
): Promise<void> {
  if (changed.id === undefined) {
    roster.members = roster.members.map((each) =>
      each.user === changed.user ? { ...each, role: given } : each,
    );
    return;
  }
  await ctx.db.patch("members", changed.id, { role: given });
  count(roster, changed.role, -1);
  count(roster, given, 1);
}

export async function changeName(
  ctx: MutationCtx,
  roster: Roster,
  changed: Found,
  name: string,
): Promise<void> {
  if (changed.id === undefined) {
    roster.members = roster.members.map((each) =>
      each.user === changed.user ? { ...each, name } : each,
    );
    return;
  }
  await ctx.db.patch("members", changed.id, { name, key: keyOf(name) });
}

/** Makes a member the first one, and the owner. */
export async function makeFirstOwner(
  ctx: MutationCtx,
  roster: Roster,
  heir: Found,
): Promise<void> {
  const first = await findEnd(ctx, roster._id, "asc");
  const order = (first?.order ?? 0) - 1;
  if (heir.id === undefined) {
    await removeMember(ctx, roster, heir);
    await insertMember(ctx, roster, { ...heir, role: "owner" }, order);
    return;
  }
  await changeRole(ctx, roster, heir, "owner");
  await ctx.db.patch("members", heir.id, { order });
}

/** Makes these the members, in this order. Only for workspaces that are small, and stay so. */
export async function replaceMembers(
  ctx: MutationCtx,
  roster: Roster,
  members: Member[],
): Promise<void> {
  const docs = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_order", (q) => q.eq("workspace", roster._id))
    .take(MOST_LISTED);
  const gone = new Map(docs.map((doc) => [doc.user, doc]));
  roster.members = [];
  roster.size = 0;
  roster.seats = 0;
  for (const [order, each] of members.entries()) {
    const doc = gone.get(each.user);
    if (doc === undefined) {
      await insertMember(ctx, roster, each, order);
      continue;
    }
    gone.delete(each.user);
    await ctx.db.patch("members", doc._id, { role: each.role, order });
    count(roster, each.role, 1);
  }
  for (const doc of gone.values()) await ctx.db.delete("members", doc._id);
}

async function findFirst(
  ctx: QueryCtx,
  roster: Roster,
  has: Role,
): Promise<Found | undefined> {
  const doc = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_role", (q) => q.eq("workspace", roster._id).eq("role", has))
    .first();
  if (doc !== null) return { ...toMember(doc), id: doc._id };
  return roster.members.find((each) => each.role === has);
}

export async function hasOwner(ctx: QueryCtx, roster: Roster): Promise<boolean> {
  return (await findFirst(ctx, roster, "owner")) !== undefined;
}

/** A workspace always has an owner, whatever is done to its members. */
export async function requireOwner(ctx: QueryCtx, roster: Roster): Promise<void> {
  if (!(await hasOwner(ctx, roster))) refuse("last_owner");
}

/** The first of the admins, or the first of all. */
export async function findHeir(ctx: QueryCtx, roster: Roster): Promise<Found | undefined> {
  const admin = await findFirst(ctx, roster, "admin");
  if (admin !== undefined) return admin;
  const doc = await findEnd(ctx, roster._id, "asc");
  return doc === null ? roster.members[0] : { ...toMember(doc), id: doc._id };
}
