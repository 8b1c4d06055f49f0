// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
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

export type Content = { title: string; start: number; end: number };

export type KalendoEvent =
  | ({ id: string; version: number; deleted?: false } & Content)
  | { id: string; version: number; deleted: true; movedTo?: string };

export type Page = { events: KalendoEvent[]; nextPage?: string; nextSync?: string };

export type Answer = { kind: "done"; version: number } | { kind: "gone" };

/**
 * Returns a page of a calendar's events, the first one without the name of a page: all events, or
 * with `since` what has changed. Returns null if `since` is too old.
 */
export async function readEvents(
  calendar: string,
  { since, page }: { since?: string; page?: string },
): Promise<Page | null> {
  const path = `/calendars/${encodeURIComponent(calendar)}/events`;
  let query = "";
  if (page !== undefined) query = `?page=${encodeURIComponent(page)}`;
  else if (since !== undefined) query = `?since=${encodeURIComponent(since)}`;
  const response = await request("GET", `${path}${query}`);
  if (response.status === 410 && since !== undefined) return null;
  if (response.status !== 200) throw new Error(`Kalendo answered with ${response.status}`);
  const read = (await response.json()) as Page;
  const isLast = typeof read.nextSync === "string";
  if (!Array.isArray(read.events) || (!isLast && typeof read.nextPage !== "string")) {
    throw new Error("Kalendo sent no page");
  }
  return read;
}

/** Changes an event. Throws if it is not known whether it was changed. */
export async function putEvent(id: string, { title, start, end }: Content): Promise<Answer> {
  return await readAnswer(
    await request("PUT", `/events/${encodeURIComponent(id)}`, { title, start, end }),
  );
}

/** Deletes an event. Throws if it is not known whether it was deleted. */
export async function deleteEvent(id: string): Promise<Answer> {
  return await readAnswer(await request("DELETE", `/events/${encodeURIComponent(id)}`));
}

async function readAnswer(response: Response): Promise<Answer> {
  if (response.status === 404) return { kind: "gone" };
  if (response.status !== 200) throw new Error(`Kalendo answered with ${response.status}`);
  const { version } = (await response.json()) as { version?: unknown };
  if (typeof version !== "number") throw new Error("Kalendo named no version");
  return { kind: "done", version };
}

async function request(method: string, path: string, body?: object): Promise<Response> {
  return await fetch(`${BASE}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${process.env.KALENDO_TOKEN ?? ""}`,
      "Content-Type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
