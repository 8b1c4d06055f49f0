// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { tidy, type Field } from "../../convex/lib/texts";
import { FIELDS } from "./fields";
import { explain, isStale } from "./refusals";

/** How long nothing is typed in a field before it is saved. */
const PAUSE = 500;

type Save = (args: {
  talk: Id<"talks">;
  base: number;
  texts: Partial<Record<Field, string>>;
}) => Promise<number>;

/** What is to be shown of a field. */
export interface FieldView {
  field: Field;
  label: string;
  text: string;
  isUnsaved: boolean;
  // What others stored while somebody typed here.
  theirs: string | null;
  // Why the text could not be saved.
  refusal: string | null;
}

/** What is to be shown of a talk. */
export interface TalkView {
  room: string | undefined;
  fields: FieldView[];
  isUnsaved: boolean;
  // Whether the talk has to be watched even if it is not open.
  isPending: boolean;
}

export type Talks = ReadonlyMap<Id<"talks">, TalkView | null>;

/** What was typed in a field; it stays when it is stored, so that saving does not change it. */
interface Draft {
  text: string;
  // The stored text that this one is to replace, and a version in which it was stored.
  base: string;
  seen: number;
  // Whether others stored something else than `base`. As long as not, `base` is what is stored.
  isContested: boolean;
  refusal: string | null;
  // Whether a refused text is not to be sent again.
  isBlocked: boolean;
  // Runs while somebody types.
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Sending {
  field: Field;
  text: string;
}

interface Entry {
  // The newest state that is known, be it from the query or from an answer; null if withdrawn.
  talk: Doc<"talks"> | null;
  // The newest version that came from the query.
  queried: number;
  // The newest version that was refused as stale: nothing can be saved until a newer one is known.
  outdated: number;
  drafts: Map<Field, Draft>;
  // Texts of a talk are saved one after the other, as each save makes a new version.
  sending: Sending | null;
}

/** Whether two texts are stored as the same. */
function isSame(one: string, other: string): boolean {
  return tidy(one) === tidy(other);
}

/** Whether something typed is not stored, or will not be once a save that is on its way arrives. */
function isUnsaved(entry: Entry, talk: Doc<"talks">, field: Field, draft: Draft): boolean {
  if (!isSame(draft.text, talk[field])) return true;
  const { sending } = entry;
  return sending?.field === field && !isSame(draft.text, sending.text);
}

/** Notes that what is stored is what was typed. */
function agree(draft: Draft, stored: string, version: number) {
  draft.base = stored;
  draft.seen = version;
  draft.isContested = false;
  draft.refusal = null;
  draft.isBlocked = false;
}

/** Takes over a newer state of a talk. */
function advance(entry: Entry, before: Doc<"talks">, talk: Doc<"talks">) {
  entry.talk = talk;
  for (const [field, draft] of entry.drafts) {
    const stored = talk[field];
    const wasBusy = draft.timer !== undefined || isUnsaved(entry, before, field, draft);
    const { sending } = entry;
    if (sending?.field === field && stored === tidy(sending.text) && !draft.isContested) {
      // The save has arrived, though its answer has not.
      entry.sending = null;
      draft.base = stored;
      draft.seen = talk.version;
    }
    if (isSame(draft.text, stored)) agree(draft, stored, talk.version);
    else if (stored === draft.base) draft.isContested = false;
    else if (draft.isContested || wasBusy) draft.isContested = true;
    else entry.drafts.delete(field);
  }
}

function view(entry: Entry): TalkView | null {
  const { talk, drafts } = entry;
  if (talk === null) return null;
  const fields = FIELDS.map(({ field, label }): FieldView => {
    const stored = talk[field];
    const draft = drafts.get(field);
    if (draft === undefined)
      return { field, label, text: stored, isUnsaved: false, theirs: null, refusal: null };
    return {
      field,
      label,
      text: draft.text,
      isUnsaved: isUnsaved(entry, talk, field, draft),
      theirs: draft.isContested ? stored : null,
      refusal: draft.refusal,
    };
  });
  const unsaved = fields.some((shown) => shown.isUnsaved);
  const isTyping = [...drafts.values()].some(({ timer }) => timer !== undefined);
  return {
    room: talk.room,
    fields,
    isUnsaved: unsaved,
    isPending: unsaved || isTyping || entry.sending !== null || talk.version > entry.queried,
  };
}

/** What people type in talks until it is stored, whichever talk is open. */
export class Drafts {
  private readonly save: Save;
  private readonly entries = new Map<Id<"talks">, Entry>();
  private readonly listeners = new Set<() => void>();
  private talks: Talks = new Map();

  constructor(save: Save) {
    this.save = save;
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  readonly getTalks = (): Talks => this.talks;

  /** Takes what the query says of a talk; null if it was withdrawn. */
  see(id: Id<"talks">, talk: Doc<"talks"> | null) {
    let entry = this.entries.get(id);
    if (entry === undefined) {
      const queried = talk === null ? 0 : talk.version;
      entry = { talk, queried, outdated: 0, drafts: new Map(), sending: null };
      this.entries.set(id, entry);
    } else if (entry.talk === null) {
      return;
    } else if (talk === null) {
      for (const { timer } of entry.drafts.values()) clearTimeout(timer);
      entry.drafts.clear();
      entry.talk = null;
    } else {
      if (talk.version <= entry.queried) return;
      entry.queried = talk.version;
      if (talk.version > entry.talk.version) advance(entry, entry.talk, talk);
    }
    this.proceed(entry);
  }

  /** Forgets a talk that is not watched any more, unless something of it is still to be done. */
  release(id: Id<"talks">) {
    const entry = this.entries.get(id);
    if (entry === undefined || view(entry)?.isPending) return;
    this.entries.delete(id);
    this.publish();
  }

  type(id: Id<"talks">, field: Field, text: string) {
    const entry = this.entries.get(id);
    if (!entry?.talk) return;
    const stored = entry.talk[field];
    const { version } = entry.talk;
    const draft: Draft = entry.drafts.get(field) ?? {
      text,
      base: stored,
      seen: version,
      isContested: false,
      refusal: null,
      isBlocked: false,
      timer: undefined,
    };
    entry.drafts.set(field, draft);
    draft.text = text;
    draft.refusal = null;
    draft.isBlocked = false;
    if (isSame(text, stored)) agree(draft, stored, version);
    clearTimeout(draft.timer);
    draft.timer = setTimeout(() => {
      draft.timer = undefined;
      this.proceed(entry);
    }, PAUSE);
    this.publish();
  }

  /** Lets what was typed replace what others stored. */
  keep(id: Id<"talks">, field: Field) {
    const entry = this.entries.get(id);
    const draft = entry?.drafts.get(field);
    if (!entry?.talk || draft === undefined) return;
    draft.base = entry.talk[field];
    draft.seen = entry.talk.version;
    draft.isContested = false;
    draft.isBlocked = false;
    this.proceed(entry);
  }

  /** Gives up what was typed. */
  take(id: Id<"talks">, field: Field) {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    clearTimeout(entry.drafts.get(field)?.timer);
    entry.drafts.delete(field);
    this.proceed(entry);
  }

  /** Tries again to save a refused text. */
  retry(id: Id<"talks">, field: Field) {
    const entry = this.entries.get(id);
    const draft = entry?.drafts.get(field);
    if (entry === undefined || draft === undefined) return;
    draft.isBlocked = false;
    this.proceed(entry);
  }

  /** Saves the next text of a talk that can be saved now, and shows what has changed. */
  private proceed(entry: Entry) {
    const { talk, drafts, outdated } = entry;
    if (talk !== null && entry.sending === null && talk.version > outdated) {
      for (const { field } of FIELDS) {
        const draft = drafts.get(field);
        if (draft === undefined || draft.timer !== undefined) continue;
        if (draft.isContested || draft.isBlocked || isSame(draft.text, talk[field])) continue;
        this.send(entry, talk, { field, text: draft.text });
        break;
      }
    }
    this.publish();
  }

  private send(entry: Entry, talk: Doc<"talks">, sending: Sending) {
    entry.sending = sending;
    const base = talk.version;
    const texts: Partial<Record<Field, string>> = {};
    texts[sending.field] = sending.text;
    void this.save({ talk: talk._id, base, texts }).then(
      (version) => this.onStored(entry, sending, version),
      (error: unknown) => this.onRefused(entry, sending, base, error),
    );
  }

  private onStored(entry: Entry, sending: Sending, version: number) {
    if (entry.sending === sending) entry.sending = null;
    if (entry.talk === null) return;
    const { field } = sending;
    const text = tidy(sending.text);
    // The answer can come before the query tells of it: nothing else was changed in this version.
    const talk = { ...entry.talk };
    if (version > talk.version) {
      talk[field] = text;
      talk.version = version;
      entry.talk = talk;
    }
    const draft = entry.drafts.get(field);
    if (draft !== undefined && version > draft.seen) {
      draft.base = text;
      draft.seen = version;
      draft.refusal = null;
      if (talk[field] === text) draft.isContested = false;
      // Others have changed the text after it was stored.
      else if (draft.timer === undefined && isSame(draft.text, text)) entry.drafts.delete(field);
      else draft.isContested = true;
    }
    this.proceed(entry);
  }

  private onRefused(entry: Entry, sending: Sending, base: number, error: unknown) {
    if (entry.sending !== sending) return;
    entry.sending = null;
    if (entry.talk === null) return;
    if (isStale(error)) {
      entry.outdated = Math.max(entry.outdated, base);
    } else {
      const draft = entry.drafts.get(sending.field);
      if (draft?.text === sending.text) {
        draft.refusal = explain(error);
        draft.isBlocked = true;
      }
    }
    this.proceed(entry);
  }

  private publish() {
    const talks = new Map<Id<"talks">, TalkView | null>();
    for (const [id, entry] of this.entries) talks.set(id, view(entry));
    this.talks = talks;
    for (const listener of this.listeners) listener();
  }
}
