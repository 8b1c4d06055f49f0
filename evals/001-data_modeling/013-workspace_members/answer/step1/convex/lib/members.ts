// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "./errors";
import type { Member } from "./member";
import { takesSeat, type Role } from "./roles";

/*
 * A member is either in a document of the table, or in the array of the workspace until `move:run`
 * has come so far. All that are in the table come before all that are in the array.
 */

type Workspace = Doc<"workspaces">;

const waiting = (workspace: Workspace): Member[] => workspace.members ?? [];

const toMember = ({ user, name, role, since }: Member): Member => ({ user, name, role, since });

const countSeats = (members: Member[]): number =>
  members.filter((each) => takesSeat(each.role)).length;

async function findRow(ctx: QueryCtx, workspace: Id<"workspaces">, user: string) {
  return await ctx.db
    .query("members")
    .withIndex("by_workspace_and_user", (q) => q.eq("workspace", workspace).eq("user", user))
    .unique();
}

function rowsInOrder(ctx: QueryCtx, workspace: Id<"workspaces">, after = -Infinity) {
  return ctx.db
    .query("members")
    .withIndex("by_workspace_and_place", (q) => q.eq("workspace", workspace).gt("place", after));
}

function rowsOfRole(ctx: QueryCtx, workspace: Id<"workspaces">, role: Role) {
  return ctx.db
    .query("members")
    .withIndex("by_workspace_and_role_and_place", (q) =>
      q.eq("workspace", workspace).eq("role", role),
    );
}

export async function findMember(
  ctx: QueryCtx,
  workspace: Workspace,
  user: string,
): Promise<Member | undefined> {
  const row = await findRow(ctx, workspace._id, user);
  if (row !== null) return toMember(row);
  return waiting(workspace).find((each) => each.user === user);
}

export function countMembers(workspace: Workspace): { members: number; seats: number } {
  const others = waiting(workspace);
  return {
    members: (workspace.size ?? 0) + others.length,
    seats: (workspace.seats ?? 0) + countSeats(others),
  };
}

/** Returns the first members in their order, or the first after a member. */
export async function listMembers(
  ctx: QueryCtx,
  workspace: Workspace,
  limit: number,
  after?: string,
): Promise<Member[]> {
  let others = waiting(workspace);
  const row = after === undefined ? null : await findRow(ctx, workspace._id, after);
  if (after !== undefined && row === null) {
    const index = others.findIndex((each) => each.user === after);
    if (index < 0) refuse("no_member");
    return others.slice(index + 1, index + 1 + limit);
  }
  const rows = await rowsInOrder(ctx, workspace._id, row?.place).take(limit);
  others = others.slice(0, limit - rows.length);
  return [...rows.map(toMember), ...others];
}

/** Returns members whose names begin so, by name. */
export async function suggestMembers(
  ctx: QueryCtx,
  workspace: Workspace,
  prefix: string,
  limit: number,
): Promise<Member[]> {
  const begin = prefix.toLowerCase();
  const rows = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_key_and_place", (q) =>
      q.eq("workspace", workspace._id).gte("key", begin).lt("key", `${begin}\uffff`),
    )
    .take(limit);
  const others = waiting(workspace)
    .map((each) => ({ ...each, key: each.name.toLowerCase() }))
    .filter(({ key }) => key.startsWith(begin));
  return [...rows, ...others]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .slice(0, limit)
    .map(toMember);
}

/** Returns who becomes the owner where none is left: the first admin, or the first of all. */
export async function findHeir(ctx: QueryCtx, workspace: Workspace): Promise<Member | undefined> {
  const row = await rowsOfRole(ctx, workspace._id, "admin").first();
  if (row !== null) return row;
  const others = waiting(workspace);
  const admin = others.find((each) => each.role === "admin");
  return admin ?? (await rowsInOrder(ctx, workspace._id).first()) ?? others[0];
}

export async function hasOwner(ctx: QueryCtx, workspace: Workspace): Promise<boolean> {
  if (waiting(workspace).some((each) => each.role === "owner")) return true;
  return (await rowsOfRole(ctx, workspace._id, "owner").first()) !== null;
}

/** A workspace always has an owner: call this after its members were changed. */
export async function requireOwner(ctx: QueryCtx, id: Id<"workspaces">): Promise<void> {
  if (!(await hasOwner(ctx, await requireWorkspace(ctx, id)))) refuse("last_owner");
}

export async function requireWorkspace(
  ctx: QueryCtx,
  id: Id<"workspaces">,
): Promise<Workspace> {
  return (await ctx.db.get("workspaces", id)) ?? refuse("no_workspace");
}

async function count(ctx: MutationCtx, id: Id<"workspaces">, by: number, seats: number) {
  const workspace = await requireWorkspace(ctx, id);
  await ctx.db.patch("workspaces", id, {
    size: (workspace.size ?? 0) + by,
    seats: (workspace.seats ?? 0) + seats,
  });
}

/** Stores members in the table, after those that are there, or before all. */
export async function insertRows(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  members: Member[],
  where: "first" | "last" = "last",
): Promise<void> {
  const end = await rowsInOrder(ctx, workspace)
    .order(where === "last" ? "desc" : "asc")
    .first();
  let place = end?.place ?? 0;
  for (const each of members) {
    place += where === "last" ? 1 : -1;
    const row = { ...toMember(each), key: each.name.toLowerCase(), workspace, place };
    await ctx.db.insert("members", row);
  }
  await count(ctx, workspace, members.length, countSeats(members));
}

/** Adds somebody who is no member yet, as the last. */
export async function addMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  added: Member,
): Promise<void> {
  const others = waiting(await requireWorkspace(ctx, id));
  if (others.length === 0) await insertRows(ctx, id, [added]);
  else await ctx.db.patch("workspaces", id, { members: [...others, added] });
}

export async function changeMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  user: string,
  change: { role?: Role; name?: string },
): Promise<void> {
  const row = await findRow(ctx, id, user);
  if (row === null) {
    const members = waiting(await requireWorkspace(ctx, id)).map((each) =>
      each.user === user ? { ...each, ...change } : each,
    );
    await ctx.db.patch("workspaces", id, { members });
    return;
  }
  const changed = { ...row, ...change };
  await ctx.db.patch("members", row._id, { ...change, key: changed.name.toLowerCase() });
  await count(ctx, id, 0, countSeats([changed]) - countSeats([row]));
}

export async function removeMember(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  user: string,
): Promise<void> {
  const row = await findRow(ctx, id, user);
  if (row === null) {
    const members = waiting(await requireWorkspace(ctx, id)).filter((each) => each.user !== user);
    await ctx.db.patch("workspaces", id, { members });
    return;
  }
  await ctx.db.delete("members", row._id);
  await count(ctx, id, -1, -countSeats([row]));
}

/** Returns the workspaces of a person. */
export async function listWorkspaces(ctx: QueryCtx, user: string): Promise<Workspace[]> {
  const rows = await ctx.db
    .query("members")
    .withIndex("by_user", (q) => q.eq("user", user))
    .take(50);
  const workspaces = await Promise.all(rows.map((row) => ctx.db.get("workspaces", row.workspace)));
  const listed = workspaces.filter((workspace) => workspace !== null);
  const unmoved = ctx.db.query("workspaces").withIndex("by_moved", (q) => q.eq("moved", undefined));
  for await (const workspace of unmoved) {
    if (waiting(workspace).some((each) => each.user === user)) listed.push(workspace);
  }
  return listed;
}
