// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "./errors";
import { role, takesSeat, type Role } from "./roles";

/*
 * The members of a workspace, in their order, are its documents of `members`, by `place`, and then
 * those that are still in its array. A workspace whose members have all been moved has no array.
 * `size` and `seats` of a workspace count its documents.
 */

/** `name` is the person's present name; `since` is when they joined. */
export const member = v.object({
  user: v.string(),
  name: v.string(),
  role,
  since: v.number(),
});

export type Member = Infer<typeof member>;

type Workspace = Doc<"workspaces">;

export async function findMember(
  ctx: QueryCtx,
  workspace: Workspace,
  user: string,
): Promise<Member | undefined> {
  const left = workspace.members?.find((each) => each.user === user);
  if (left !== undefined) return left;
  const found = await findDocument(ctx, workspace._id, user);
  return found === null ? undefined : toMember(found);
}

/** Returns the workspaces of a user, the oldest first. Nobody is in more than 50. */
export async function workspacesOf(
  ctx: QueryCtx,
  user: string,
): Promise<{ workspace: Workspace; me: Member }[]> {
  const found: { workspace: Workspace; me: Member }[] = [];
  for await (const workspace of ctx.db.query("workspaces")) {
    const me = workspace.members?.find((each) => each.user === user);
    if (me !== undefined) found.push({ workspace, me });
  }
  const documents = await ctx.db
    .query("members")
    .withIndex("by_user", (q) => q.eq("user", user))
    .collect();
  for (const document of documents) {
    // Members of a workspace that was removed are swept soon.
    const workspace = await ctx.db.get("workspaces", document.workspace);
    if (workspace !== null) found.push({ workspace, me: toMember(document) });
  }
  return found.sort((a, b) => a.workspace._creationTime - b.workspace._creationTime);
}

export function countMembers({ size = 0, members = [] }: Workspace): number {
  return size + members.length;
}

export function countSeats({ seats = 0, members = [] }: Workspace): number {
  return seats + members.filter((each) => takesSeat(each.role)).length;
}

/** The first members in their order, or the first after one of them. */
export async function listMembers(
  ctx: QueryCtx,
  workspace: Workspace,
  most: number,
  after?: string,
): Promise<Member[]> {
  const left = workspace.members ?? [];
  let place: number | undefined;
  if (after !== undefined) {
    const index = left.findIndex((each) => each.user === after);
    if (index >= 0) return left.slice(index + 1, index + 1 + most);
    const found = await findDocument(ctx, workspace._id, after);
    if (found === null) refuse("no_member");
    place = found.place;
  }
  const documents = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_place", (q) => {
      const all = q.eq("workspace", workspace._id);
      return place === undefined ? all : all.gt("place", place);
    })
    .take(most);
  return [...documents.map(toMember), ...left].slice(0, most);
}

/** The first members whose names begin so, in whatever case, by name. */
export async function suggestMembers(
  ctx: QueryCtx,
  workspace: Workspace,
  prefix: string,
  most: number,
): Promise<Member[]> {
  const start = prefix.toLowerCase();
  const key = toKey(prefix);
  const documents = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_key", (q) =>
      q
        .eq("workspace", workspace._id)
        .gte("key", key)
        .lt("key", `${key}\u{10ffff}`),
    )
    .take(most);
  const left = (workspace.members ?? []).filter(({ name }) =>
    name.toLowerCase().startsWith(start),
  );
  return [...documents.map(toMember), ...left]
    .map((each) => ({ each, lower: each.name.toLowerCase() }))
    .sort((a, b) => (a.lower < b.lower ? -1 : a.lower > b.lower ? 1 : 0))
    .slice(0, most)
    .map(({ each }) => each);
}

/** Adds a member, as the last. */
export async function addMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  added: Member,
): Promise<void> {
  const workspace = await load(ctx, id);
  if (workspace.members !== undefined) {
    await ctx.db.patch("workspaces", id, { members: [...workspace.members, added] });
  } else {
    await appendDocuments(ctx, workspace, [added]);
  }
}

export async function changeMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  user: string,
  change: { name?: string; role?: Role },
): Promise<void> {
  const workspace = await load(ctx, id);
  if (workspace.members?.some((each) => each.user === user)) {
    const members = workspace.members.map((each) =>
      each.user === user ? { ...each, ...change } : each,
    );
    await ctx.db.patch("workspaces", id, { members });
    return;
  }
  const found = await findDocument(ctx, id, user);
  if (found === null) return;
  const changed = { ...toMember(found), ...change };
  await ctx.db.patch("members", found._id, { ...changed, key: toKey(changed.name) });
  await count(ctx, workspace, [found], [changed]);
}

export async function removeMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  user: string,
): Promise<void> {
  const workspace = await load(ctx, id);
  if (workspace.members?.some((each) => each.user === user)) {
    const members = workspace.members.filter((each) => each.user !== user);
    await ctx.db.patch("workspaces", id, { members });
    return;
  }
  const found = await findDocument(ctx, id, user);
  if (found === null) return;
  await ctx.db.delete("members", found._id);
  await count(ctx, workspace, [found], []);
}

/** Makes somebody the first member, and an owner. */
export async function putFirst(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  user: string,
): Promise<void> {
  const before = await load(ctx, id);
  const heir = await findMember(ctx, before, user);
  if (heir === undefined) return;
  const first = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_place", (q) => q.eq("workspace", id))
    .first();
  await removeMember(ctx, id, user);
  const added = { ...heir, role: "owner" as const };
  await ctx.db.insert("members", {
    workspace: id,
    ...added,
    key: toKey(added.name),
    place: (first?.place ?? 0) - 1,
  });
  await count(ctx, await load(ctx, id), [], [added]);
}

/** Makes these the members, in this order, of a workspace that has at most `most`. */
export async function replaceMembers(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  members: Member[],
  most: number,
): Promise<void> {
  const documents = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_place", (q) => q.eq("workspace", id))
    .take(most);
  for (const { _id } of documents) await ctx.db.delete("members", _id);
  await ctx.db.patch("workspaces", id, { members: undefined, size: 0, seats: 0 });
  await appendDocuments(ctx, await load(ctx, id), members);
}

/** A workspace always has an owner, whatever is done to its members: call this after the change. */
export async function requireOwner(ctx: MutationCtx, id: Id<"workspaces">): Promise<void> {
  if (!(await hasOwner(ctx, await load(ctx, id)))) refuse("last_owner");
}

/** Where no owner is left, makes one of the first of the admins, or the first of all. */
export async function findHeir(ctx: MutationCtx, id: Id<"workspaces">): Promise<void> {
  const workspace = await load(ctx, id);
  if (await hasOwner(ctx, workspace)) return;
  const heir =
    (await firstOfRole(ctx, workspace, "admin")) ?? (await listMembers(ctx, workspace, 1))[0];
  await changeMember(ctx, id, heir.user, { role: "owner" });
}

/** Moves the first so many members out of the array of a workspace. */
export async function moveMembers(
  ctx: MutationCtx,
  workspace: Workspace,
  most: number,
): Promise<void> {
  const members = workspace.members ?? [];
  const left = members.slice(most);
  await ctx.db.patch("workspaces", workspace._id, {
    members: left.length === 0 ? undefined : left,
  });
  await appendDocuments(ctx, workspace, members.slice(0, most));
}

async function hasOwner(ctx: QueryCtx, workspace: Workspace): Promise<boolean> {
  return (await firstOfRole(ctx, workspace, "owner")) !== undefined;
}

async function firstOfRole(
  ctx: QueryCtx,
  workspace: Workspace,
  wanted: Role,
): Promise<Member | undefined> {
  const found = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_role", (q) =>
      q.eq("workspace", workspace._id).eq("role", wanted),
    )
    .first();
  if (found !== null) return toMember(found);
  return workspace.members?.find((each) => each.role === wanted);
}

async function load(ctx: QueryCtx, id: Id<"workspaces">): Promise<Workspace> {
  return (await ctx.db.get("workspaces", id)) ?? refuse("no_workspace");
}

async function findDocument(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
  user: string,
): Promise<Doc<"members"> | null> {
  return await ctx.db
    .query("members")
    .withIndex("by_workspace_and_user", (q) => q.eq("workspace", workspace).eq("user", user))
    .unique();
}

/** Stores members behind those that have documents. */
async function appendDocuments(
  ctx: MutationCtx,
  workspace: Workspace,
  members: Member[],
): Promise<void> {
  const last = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_place", (q) => q.eq("workspace", workspace._id))
    .order("desc")
    .first();
  let place = last?.place ?? 0;
  for (const each of members) {
    place += 1;
    const key = toKey(each.name);
    await ctx.db.insert("members", { workspace: workspace._id, ...each, key, place });
  }
  await count(ctx, workspace, [], members);
}

/** Counts what took the place of what. */
async function count(
  ctx: MutationCtx,
  { _id, size = 0, seats = 0 }: Workspace,
  before: { role: Role }[],
  after: { role: Role }[],
): Promise<void> {
  const seatsOf = (members: { role: Role }[]) =>
    members.filter((each) => takesSeat(each.role)).length;
  await ctx.db.patch("workspaces", _id, {
    size: size + after.length - before.length,
    seats: seats + seatsOf(after) - seatsOf(before),
  });
}

function toMember({ user, name, role: given, since }: Doc<"members">): Member {
  return { user, name, role: given, since };
}

/**
 * Returns a name in small letters, written so that an index has the order of JavaScript, which
 * compares UTF-16. What is a beginning stays one.
 */
function toKey(name: string): string {
  return name
    .toLowerCase()
    .split("")
    .map((unit) =>
      unit < "\ud800" ? unit : String.fromCodePoint(0x10000 + unit.charCodeAt(0) - 0xd800),
    )
    .join("");
}
