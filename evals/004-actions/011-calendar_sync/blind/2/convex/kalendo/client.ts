// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";

/*
 * Kalendo keeps calendars. The parts of its manual that we need, in short.
 *
 * An event is { id, version, title, start, end }. `version` is a number, which grows with every change
 * of the event. The id stays, also when the event is moved to another calendar.
 *
 * GET /v1/calendars/CALENDAR/events             all events of the calendar
 * GET /v1/calendars/CALENDAR/events?since=TEXT  only what has changed since `nextSync` was TEXT
 * GET /v1/calendars/CALENDAR/events?page=TEXT   the next page of either
 *
 *   200  { events, nextPage }   a page, and the name of the next one
 *   200  { events, nextSync }   the last page. `nextSync` stands for the moment of the first one.
 *   410                         `since` is too old: read all events.
 *
 *   With `since`, an event that is no longer in the calendar is { id, version, deleted: true }. If it was
 *   moved, `movedTo` has the id of its new calendar, which lists the event with that same version.
 *   A page has at most 100 events. What changes while pages are read is listed again by a later page or
 *   by the next sync, so that the same event can come twice, and an older version after a newer one.
 *
 * PUT /v1/events/ID   { title, start, end }
 *   200  { id, version }    changed
 *   404                     the event was deleted
 *
 * DELETE /v1/events/ID
 *   200  { id, version }    deleted
 *   404                     it was deleted before
 *
 * Any other status, or no answer: it is not known whether the request was carried out. Requests about one
 * event that are under way at the same time are carried out in any order.
 */

export const BASE = "https://api.kalendo.test/v1";

const content = { title: v.string(), start: v.number(), end: v.number() };

/** What we can change of an event. */
export const eventContent = v.object(content);

/** An event that a calendar has. */
const listedEvent = v.object({ id: v.string(), version: v.number(), ...content });

/** An event that a calendar has no more. */
const goneEvent = v.object({
  id: v.string(),
  version: v.number(),
  deleted: v.literal(true),
  movedTo: v.optional(v.string()),
});

export const kalendoEvent = v.union(listedEvent, goneEvent);

/** What became of a request. */
export const requestOutcome = v.union(
  v.object({ kind: v.literal("confirmed"), version: v.number() }),
  v.object({ kind: v.literal("deleted") }),
  v.object({ kind: v.literal("failed") }),
);

export type EventContent = Infer<typeof eventContent>;
export type ListedEvent = Infer<typeof listedEvent>;
export type GoneEvent = Infer<typeof goneEvent>;
export type KalendoEvent = Infer<typeof kalendoEvent>;
export type RequestOutcome = Infer<typeof requestOutcome>;

export type Page = { events: KalendoEvent[]; nextPage?: string; nextSync?: string };

type RawEvent = ListedEvent & { deleted?: boolean; movedTo?: string | null };

/**
 * Returns a page of a calendar's events: a named one, or the first one of all events or of those that
 * have changed. Null stands for a `since` that is too old.
 */
export async function readEvents(
  calendar: string,
  { since, page }: { since?: string; page?: string },
): Promise<Page | null> {
  let search = "";
  if (page !== undefined) search = `?page=${encodeURIComponent(page)}`;
  else if (since !== undefined) search = `?since=${encodeURIComponent(since)}`;
  const response = await request("GET", `/calendars/${encodeURIComponent(calendar)}/events${search}`);
  if (response.status === 410) return null;
  if (response.status !== 200) throw new Error(`Kalendo answered with ${response.status}`);
  const body = (await response.json()) as {
    events: RawEvent[];
    nextPage?: string | null;
    nextSync?: string | null;
  };
  return {
    events: body.events.map(toEvent),
    nextPage: body.nextPage ?? undefined,
    nextSync: body.nextSync ?? undefined,
  };
}

function toEvent({ id, version, title, start, end, deleted, movedTo }: RawEvent): KalendoEvent {
  if (deleted !== true) return { id, version, title, start, end };
  return { id, version, deleted, ...(typeof movedTo === "string" ? { movedTo } : {}) };
}

/** Changes an event, or deletes it if there is no content. Never throws. */
export async function tellEvent(id: string, change: EventContent | null): Promise<RequestOutcome> {
  const path = `/events/${encodeURIComponent(id)}`;
  try {
    const response =
      change === null ? await request("DELETE", path) : await request("PUT", path, change);
    if (response.status === 404) return { kind: "deleted" };
    if (response.status !== 200) return { kind: "failed" };
    const { version } = (await response.json()) as { version?: unknown };
    return typeof version === "number" ? { kind: "confirmed", version } : { kind: "failed" };
  } catch {
    return { kind: "failed" };
  }
}

export async function request(method: string, path: string, body?: object): Promise<Response> {
  return await fetch(`${BASE}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${process.env.KALENDO_TOKEN ?? ""}`,
      "Content-Type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
