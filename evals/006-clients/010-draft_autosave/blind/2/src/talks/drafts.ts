// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { tidy, type Field } from "../../convex/lib/texts";
import { explain, isStale } from "./refusals";

/** For how long nothing was typed in a field when it is saved. */
const PAUSE_MS = 500;

type Texts = Record<Field, string>;
type Save = (args: {
  talk: Id<"talks">;
  base: number;
  texts: Partial<Texts>;
}) => Promise<number>;

/** A text on its way to the backend. */
interface Sent {
  typed: string;
  /** The text as it will be stored. */
  text: string;
  /** The `before` of the draft. */
  before: string;
  /** The version that the save is for: if the talk has a later one, it changes nothing any more. */
  base: number;
}

/** What was typed in a field. It stays when it is stored, so that the field shows what was typed. */
interface Draft {
  typed: string;
  /** The stored text that the typed one may replace, because people here have seen it. */
  before: string;
  /** Whether the text is to be sent as soon as this is possible. */
  isDue: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The last text that was sent, as long as there is no answer. */
  sent: Sent | null;
  /** Why the typed text could not be saved. */
  refusal: string | null;
}

/** A talk in which something was typed. */
interface Desk {
  /** The newest version of the talk that is known here, and its texts. */
  version: number;
  stored: Texts;
  /** Up to this version nothing is sent: a save for it is under way, or was refused as stale. */
  busyAt: number;
  drafts: Map<Field, Draft>;
}

/** What the page shows of a draft. */
export interface DraftView {
  typed: string;
  isUnsaved: boolean;
  /** The stored text, if somebody else wrote it meanwhile. */
  theirs: string | null;
  refusal: string | null;
}

const textsOf = ({ title, abstract, bio }: Doc<"talks">): Texts => ({ title, abstract, bio });

function isUnsaved(desk: Desk, field: Field, { typed, sent }: Draft): boolean {
  const mine = tidy(typed);
  if (mine !== desk.stored[field]) return true;
  return sent !== null && sent.text !== mine && desk.version <= sent.base;
}

function isInConflict(desk: Desk, field: Field, { typed, before }: Draft): boolean {
  const stored = desk.stored[field];
  return stored !== before && stored !== tidy(typed);
}

function drop(desk: Desk, field: Field): void {
  clearTimeout(desk.drafts.get(field)?.timer);
  desk.drafts.delete(field);
}

/** Takes over a newer version of a talk. */
function update(desk: Desk, version: number, stored: Texts): void {
  const former = desk.stored;
  desk.version = version;
  desk.stored = stored;
  for (const [field, draft] of [...desk.drafts]) {
    const mine = tidy(draft.typed);
    const isOurs = draft.sent?.text === stored[field];
    if (isOurs || mine === stored[field]) draft.before = stored[field];
    else if (stored[field] !== former[field] && mine === former[field]) drop(desk, field);
  }
}

/**
 * What was typed in the texts of talks. It is saved from here, whether or not a talk is open. Of each
 * talk one text after the other is sent, because each save needs the version that the one before
 * leaves.
 */
export class Drafts {
  readonly #save: Save;
  readonly #desks = new Map<Id<"talks">, Desk>();
  readonly #listeners = new Set<() => void>();
  #revision = 0;

  constructor(save: Save) {
    this.#save = save;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** A number that grows with each change. */
  readonly revision = (): number => this.#revision;

  /** Whether anything typed in a talk is not stored. */
  isTalkUnsaved(id: Id<"talks">): boolean {
    const desk = this.#desks.get(id);
    if (desk === undefined) return false;
    return [...desk.drafts].some(([field, draft]) => isUnsaved(desk, field, draft));
  }

  /** The talks whose changes have to be known here, open or not. */
  pending(): Id<"talks">[] {
    return [...this.#desks]
      .filter(
        ([id, { drafts }]) =>
          this.isTalkUnsaved(id) || [...drafts.values()].some(({ sent }) => sent !== null),
      )
      .map(([id]) => id);
  }

  view(id: Id<"talks">, field: Field): DraftView | null {
    const desk = this.#desks.get(id);
    const draft = desk?.drafts.get(field);
    if (desk === undefined || draft === undefined) return null;
    const unsaved = isUnsaved(desk, field, draft);
    return {
      typed: draft.typed,
      isUnsaved: unsaved,
      theirs: isInConflict(desk, field, draft) ? desk.stored[field] : null,
      refusal: unsaved ? draft.refusal : null,
    };
  }

  /** Takes notice of a talk as it is stored now; null if it was withdrawn. */
  see(id: Id<"talks">, talk: Doc<"talks"> | null): void {
    const desk = this.#desks.get(id);
    if (desk === undefined) return;
    if (talk === null) {
      for (const field of [...desk.drafts.keys()]) drop(desk, field);
      this.#desks.delete(id);
    } else {
      if (talk.version <= desk.version) return;
      update(desk, talk.version, textsOf(talk));
      this.#sendNext(id, desk);
    }
    this.#notify();
  }

  /** Takes what was typed in a field of a talk, which stood there as it is given. */
  type(talk: Doc<"talks">, field: Field, typed: string): void {
    this.see(talk._id, talk);
    const desk = this.#desks.get(talk._id) ?? {
      version: talk.version,
      stored: textsOf(talk),
      busyAt: 0,
      drafts: new Map<Field, Draft>(),
    };
    this.#desks.set(talk._id, desk);
    const draft = desk.drafts.get(field) ?? {
      typed,
      before: talk[field],
      isDue: false,
      timer: undefined,
      sent: null,
      refusal: null,
    };
    desk.drafts.set(field, draft);

    draft.typed = typed;
    draft.isDue = false;
    draft.refusal = null;
    if (tidy(typed) === desk.stored[field]) draft.before = desk.stored[field];
    clearTimeout(draft.timer);
    draft.timer = setTimeout(() => {
      draft.isDue = true;
      this.#sendNext(talk._id, desk);
      this.#notify();
    }, PAUSE_MS);
    this.#notify();
  }

  /** Tries again to save a text that was refused. */
  retry(id: Id<"talks">, field: Field): void {
    const desk = this.#desks.get(id);
    const draft = desk?.drafts.get(field);
    if (desk === undefined || draft === undefined) return;
    draft.isDue = true;
    this.#sendNext(id, desk);
    this.#notify();
  }

  /** Lets the typed text replace one that somebody else wrote. */
  keepMine(id: Id<"talks">, field: Field, theirs: string): void {
    const desk = this.#desks.get(id);
    const draft = desk?.drafts.get(field);
    if (desk === undefined || draft === undefined) return;
    draft.before = theirs;
    draft.isDue = true;
    this.#sendNext(id, desk);
    this.#notify();
  }

  /** Gives the typed text up for the stored one. */
  takeTheirs(id: Id<"talks">, field: Field): void {
    const desk = this.#desks.get(id);
    if (desk === undefined) return;
    drop(desk, field);
    this.#notify();
  }

  #notify(): void {
    this.#revision++;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Sends a text of a talk that is due, if there is one and nothing is in its way. */
  #sendNext(id: Id<"talks">, desk: Desk): void {
    if (this.#desks.get(id) !== desk || desk.version <= desk.busyAt) return;
    for (const [field, draft] of desk.drafts) {
      const { typed, before, isDue } = draft;
      const text = tidy(typed);
      const stored = desk.stored[field];
      if (!isDue || text === stored || stored !== before) continue;

      const sent = { typed, text, before, base: desk.version };
      draft.sent = sent;
      draft.isDue = false;
      desk.busyAt = sent.base;
      const texts: Partial<Texts> = {};
      texts[field] = typed;
      this.#save({ talk: id, base: sent.base, texts }).then(
        (version) => this.#onStored(id, desk, field, draft, sent, version),
        (error: unknown) => this.#onRefused(id, desk, draft, sent, error),
      );
      return;
    }
  }

  #onStored(
    id: Id<"talks">,
    desk: Desk,
    field: Field,
    draft: Draft,
    sent: Sent,
    version: number,
  ): void {
    // The query may show the new version later than the answer comes.
    if (desk.version < version) update(desk, version, { ...desk.stored, [field]: sent.text });
    if (draft.sent === sent) {
      draft.sent = null;
      draft.refusal = null;
      if (draft.before === sent.before) {
        // Others changed the stored text before it was seen here.
        draft.before = sent.text;
        if (draft.typed === sent.typed && desk.drafts.get(field) === draft) drop(desk, field);
      }
    }
    this.#sendNext(id, desk);
    this.#notify();
  }

  #onRefused(id: Id<"talks">, desk: Desk, draft: Draft, sent: Sent, error: unknown): void {
    const stale = isStale(error);
    if (draft.sent === sent) {
      draft.sent = null;
      if (draft.typed === sent.typed) {
        // A stale save is sent again when the new version is known, unless the text has changed.
        if (stale) draft.isDue = true;
        else draft.refusal = explain(error);
      }
    }
    if (!stale && desk.busyAt === sent.base) desk.busyAt = 0;
    this.#sendNext(id, desk);
    this.#notify();
  }
}
