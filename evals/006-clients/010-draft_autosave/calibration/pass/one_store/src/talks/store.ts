// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, type ConvexReactClient } from "convex/react";
import { ConvexError } from "convex/values";
import { createContext, useContext, useState, useSyncExternalStore } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { tidy, type Field } from "../../convex/lib/texts";
import { explain } from "./refusals";

const PAUSE = 500;

/** A field in which somebody typed. */
interface Entry {
  typed: string;
  base: string;
  timer: number | undefined;
  isSaving: boolean;
  reason: string | null;
}

/** What a field shows besides its text. */
export interface Shown {
  text: string;
  isSaved: boolean;
  isContested: boolean;
  reason: string | null;
}

/** One talk: what is stored, and what is typed. */
class Desk {
  readonly entries = new Map<Field, Entry>();
  #client: ConvexReactClient;
  #id: Id<"talks">;
  #changed: () => void;
  #talk: Doc<"talks"> | undefined;
  #isBusy = false;
  #outdated = 0;

  constructor(client: ConvexReactClient, id: Id<"talks">, changed: () => void) {
    this.#client = client;
    this.#id = id;
    this.#changed = changed;
    const watch = client.watchQuery(api.talks.get, { talk: id });
    watch.onUpdate(() => this.#look(watch.localQueryResult()));
    this.#look(watch.localQueryResult());
  }

  type(field: Field, typed: string, stored: string) {
    const before = this.entries.get(field);
    window.clearTimeout(before?.timer);
    const timer = window.setTimeout(() => this.#ripen(field), PAUSE);
    const isSaving = before?.isSaving ?? false;
    const isAgreed = !isSaving && tidy(typed) === stored;
    const base = before && !isDone(before) && !isAgreed ? before.base : stored;
    this.entries.set(field, { typed, base, timer, isSaving, reason: null });
    this.#changed();
  }

  retry(field: Field) {
    const entry = this.entries.get(field);
    if (entry) entry.reason = null;
    this.#ripen(field);
  }

  keep(field: Field, stored: string) {
    const entry = this.entries.get(field);
    if (entry) entry.base = stored;
    this.retry(field);
  }

  drop(field: Field) {
    window.clearTimeout(this.entries.get(field)?.timer);
    this.entries.delete(field);
    this.#changed();
  }

  #ripen(field: Field) {
    const entry = this.entries.get(field);
    if (entry) entry.timer = undefined;
    this.#changed();
    void this.#work();
  }

  #look(talk: Doc<"talks"> | null | undefined) {
    if (talk === undefined) return;
    if (talk === null) {
      for (const field of [...this.entries.keys()]) this.drop(field);
      return;
    }
    this.#talk = talk;
    for (const [field, entry] of this.entries) {
      if (entry.isSaving || entry.base === talk[field]) continue;
      if (isDone(entry)) this.drop(field);
      else if (tidy(entry.typed) === talk[field]) entry.base = talk[field];
    }
    this.#changed();
    void this.#work();
  }

  /** Saves all that can be saved, one text after the other. */
  async #work() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#next(); next; next = this.#next()) await this.#save(...next);
    this.#isBusy = false;
  }

  #next(): [Doc<"talks">, Field, Entry] | undefined {
    const talk = this.#talk;
    if (!talk || talk.version === this.#outdated) return undefined;
    const next = [...this.entries].find(
      ([field, entry]) =>
        entry.timer === undefined &&
        entry.reason === null &&
        !isDone(entry) &&
        entry.base === talk[field],
    );
    return next && [talk, ...next];
  }

  async #save({ version }: Doc<"talks">, field: Field, entry: Entry) {
    const { typed } = entry;
    entry.isSaving = true;
    this.#changed();
    let reason: string | null = null;
    let isStored = false;
    try {
      const args = { talk: this.#id, base: version, texts: { [field]: typed } };
      await this.#client.mutation(api.talks.save, args);
      isStored = true;
    } catch (error) {
      if (error instanceof ConvexError && (error.data as { code: string }).code === "stale") {
        this.#outdated = version;
      } else reason = explain(error);
    }
    const now = this.entries.get(field);
    if (!now) return;
    now.isSaving = false;
    if (isStored) now.base = tidy(typed);
    if (now.typed === typed) now.reason = reason;
    this.#look(this.#talk);
  }
}

function isDone({ typed, base, isSaving }: Entry): boolean {
  return !isSaving && tidy(typed) === base;
}

/** The desks of all talks in which somebody typed. */
export class Store {
  #desks = new Map<Id<"talks">, Desk>();
  #client: ConvexReactClient;
  #listeners = new Set<() => void>();
  #changes = 0;

  constructor(client: ConvexReactClient) {
    this.#client = client;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly changes = () => this.#changes;

  desk(id: Id<"talks">): Desk {
    let desk = this.#desks.get(id);
    if (!desk) {
      desk = new Desk(this.#client, id, () => this.#tell());
      this.#desks.set(id, desk);
    }
    return desk;
  }

  /** Returns what a field shows. */
  show(id: Id<"talks">, field: Field, stored: string): Shown {
    const entry = this.#desks.get(id)?.entries.get(field);
    if (!entry) return { text: stored, isSaved: true, isContested: false, reason: null };
    const isSaved = isDone(entry);
    const isSame = stored === entry.base || stored === tidy(entry.typed);
    const isContested = !isSaved && !entry.isSaving && !isSame;
    return { text: entry.typed, isSaved, isContested, reason: entry.reason };
  }

  isSaved(id: Id<"talks">): boolean {
    return [...(this.#desks.get(id)?.entries.values() ?? [])].every(isDone);
  }

  #tell() {
    this.#changes += 1;
    for (const listener of this.#listeners) listener();
  }
}

export const StoreContext = createContext<Store | null>(null);

export function useNewStore(): Store {
  const client = useConvex();
  return useState(() => new Store(client))[0];
}

/** Returns the store; the component is rendered again after each of its changes. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === null) throw new Error("no store");
  useSyncExternalStore(store.subscribe, store.changes);
  return store;
}
