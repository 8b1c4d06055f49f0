// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

import type { Doc, Id } from "../../convex/_generated/dataModel";
import { tidy, type Field } from "../../convex/lib/texts";
import { explain, isStale } from "./refusals";

/** A field is saved when nothing was typed in it for so many milliseconds. */
const PAUSE = 500;

type Texts = Record<Field, string>;

type Save = (args: {
  talk: Id<"talks">;
  base: number;
  texts: Partial<Texts>;
}) => Promise<number>;

/** A text on its way to the backend. */
interface Attempt {
  text: string;
  base: number;
  turn: number;
}

/** What was typed in a field. It stays after it was stored, for blanks are stored differently. */
interface Draft {
  text: string;
  /** Grows with all that people do with the field. */
  turn: number;
  isStored: boolean;
  /** The stored text that may be overwritten, and the talk's version that it was seen in. */
  seen: string;
  seenAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether it is to be saved as soon as it can be. */
  isDue: boolean;
  sent: Attempt | null;
  /** An attempt that failed in a way that does not tell whether the text was stored. */
  unsure: Attempt | null;
  /** The last version that a save was refused for as stale. */
  staleAt: number;
  refused: { text: string; reason: string } | null;
}

interface Talk {
  id: Id<"talks">;
  /** The newest version that is known, from the query or from the answer to a save. */
  version: number;
  texts: Texts;
  drafts: Map<Field, Draft>;
}

export interface DraftView {
  text: string;
  isStored: boolean;
  /** What somebody else wrote meanwhile. */
  theirs: string | null;
  refusal: string | null;
}

export interface TalkView {
  version: number;
  texts: Texts;
  drafts: Partial<Record<Field, DraftView>>;
  isUnsaved: boolean;
  /** Whether changes of the talk matter even while it is not open. */
  isWatched: boolean;
}

export type TalkViews = ReadonlyMap<Id<"talks">, TalkView>;

function agree(typed: string, stored: string): boolean {
  return typed === stored || tidy(typed) === stored;
}

function isInConflict(talk: Talk, field: Field, draft: Draft): boolean {
  return !draft.isStored && talk.texts[field] !== draft.seen;
}

function see(talk: Talk, field: Field, draft: Draft) {
  draft.seen = talk.texts[field];
  draft.seenAt = talk.version;
}

function stopTimer(draft: Draft) {
  clearTimeout(draft.timer);
  draft.timer = undefined;
}

/** Compares a draft with the text that is stored now. */
function review(talk: Talk, field: Field, draft: Draft) {
  const stored = talk.texts[field];

  // The own text is there already, its answer is not.
  if (draft.sent !== null && talk.version > draft.sent.base && agree(draft.sent.text, stored)) {
    draft.sent = null;
    see(talk, field, draft);
  }
  if (draft.unsure !== null && talk.version > draft.unsure.base) {
    if (agree(draft.unsure.text, stored)) see(talk, field, draft);
    draft.unsure = null;
  }

  if (!draft.isStored) {
    // While a save of the same version is on its way, it can still change the stored text.
    const isOpen = draft.sent !== null && draft.sent.base === talk.version;
    draft.isStored = agree(draft.text, stored) && !isOpen;
  }
  if (!draft.isStored) return;

  stopTimer(draft);
  draft.isDue = false;
  draft.refused = null;
  if (agree(draft.text, stored)) see(talk, field, draft);
  else talk.drafts.delete(field);
}

function viewDraft(talk: Talk, field: Field, draft: Draft): DraftView {
  return {
    text: draft.text,
    isStored: draft.isStored,
    theirs: isInConflict(talk, field, draft) ? talk.texts[field] : null,
    refusal: draft.refused === null ? null : draft.refused.reason,
  };
}

function viewTalk(talk: Talk): TalkView {
  const drafts: Partial<Record<Field, DraftView>> = {};
  let isUnsaved = false;
  let isWatched = false;
  for (const [field, draft] of talk.drafts) {
    drafts[field] = viewDraft(talk, field, draft);
    if (!draft.isStored) isUnsaved = true;
    if (!draft.isStored || draft.sent !== null) isWatched = true;
  }
  return { version: talk.version, texts: talk.texts, drafts, isUnsaved, isWatched };
}

/** What was typed in all talks, open or not. It saves itself. */
export class Drafts {
  private readonly save: Save;
  private readonly talks = new Map<Id<"talks">, Talk>();
  private readonly listeners = new Set<() => void>();
  private views: TalkViews = new Map();

  constructor(save: Save) {
    this.save = save;
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  readonly read = (): TalkViews => this.views;

  /** Takes what the backend tells about a talk; null if it was withdrawn. */
  receive(id: Id<"talks">, doc: Doc<"talks"> | null) {
    const talk = this.talks.get(id);
    if (doc === null) {
      if (talk === undefined) return;
      talk.drafts.forEach(stopTimer);
      this.talks.delete(id);
      this.publish();
      return;
    }
    const { version, title, abstract, bio } = doc;
    const texts = { title, abstract, bio };
    if (talk === undefined) {
      this.talks.set(id, { id, version, texts, drafts: new Map() });
      this.publish();
    } else if (version > talk.version) {
      talk.version = version;
      talk.texts = texts;
      this.settle(talk);
    }
  }

  type(id: Id<"talks">, field: Field, text: string) {
    const talk = this.talks.get(id);
    if (talk === undefined) return;
    const draft = talk.drafts.get(field) ?? this.begin(talk, field);
    draft.text = text;
    draft.turn += 1;
    draft.isStored = false;
    draft.isDue = false;
    if (draft.refused?.text !== text) draft.refused = null;
    clearTimeout(draft.timer);
    draft.timer = setTimeout(() => {
      draft.timer = undefined;
      draft.isDue = true;
      this.settle(talk);
    }, PAUSE);
    this.settle(talk);
  }

  retry(id: Id<"talks">, field: Field) {
    const talk = this.talks.get(id);
    const draft = talk?.drafts.get(field);
    if (talk === undefined || draft === undefined) return;
    stopTimer(draft);
    draft.isDue = true;
    this.settle(talk);
  }

  /** Lets what was typed overwrite what somebody else wrote. */
  keepMine(id: Id<"talks">, field: Field) {
    const talk = this.talks.get(id);
    const draft = talk?.drafts.get(field);
    if (talk === undefined || draft === undefined) return;
    see(talk, field, draft);
    draft.turn += 1;
    if (draft.timer === undefined) draft.isDue = true;
    this.settle(talk);
  }

  takeTheirs(id: Id<"talks">, field: Field) {
    const talk = this.talks.get(id);
    const draft = talk?.drafts.get(field);
    if (talk === undefined || draft === undefined) return;
    stopTimer(draft);
    talk.drafts.delete(field);
    this.settle(talk);
  }

  private begin(talk: Talk, field: Field): Draft {
    const draft: Draft = {
      text: talk.texts[field],
      turn: 0,
      isStored: true,
      seen: talk.texts[field],
      seenAt: talk.version,
      timer: undefined,
      isDue: false,
      sent: null,
      unsure: null,
      staleAt: -Infinity,
      refused: null,
    };
    talk.drafts.set(field, draft);
    return draft;
  }

  /** Does what is to be done after any change, and shows it. */
  private settle(talk: Talk) {
    if (this.talks.get(talk.id) !== talk) return;
    for (const [field, draft] of talk.drafts) {
      review(talk, field, draft);
      const canBeSent =
        !draft.isStored &&
        draft.isDue &&
        draft.sent === null &&
        !isInConflict(talk, field, draft) &&
        talk.version > draft.staleAt;
      if (canBeSent) this.send(talk, field, draft);
    }
    this.publish();
  }

  private send(talk: Talk, field: Field, draft: Draft) {
    const attempt: Attempt = { text: draft.text, base: talk.version, turn: draft.turn };
    draft.sent = attempt;
    const texts: Partial<Texts> = {};
    texts[field] = attempt.text;
    void this.save({ talk: talk.id, base: attempt.base, texts }).then(
      (version) => this.finish(talk, field, draft, attempt, version),
      (error: unknown) => this.fail(talk, draft, attempt, error),
    );
  }

  private finish(talk: Talk, field: Field, draft: Draft, attempt: Attempt, version: number) {
    const text = tidy(attempt.text);
    if (version > talk.version) {
      talk.version = version;
      talk.texts = { ...talk.texts, [field]: text };
    }
    if (draft.sent === attempt) {
      draft.sent = null;
      draft.refused = null;
      if (version > draft.seenAt) {
        draft.seen = text;
        draft.seenAt = version;
      }
      if (draft.turn === attempt.turn) draft.isStored = true;
    }
    this.settle(talk);
  }

  private fail(talk: Talk, draft: Draft, attempt: Attempt, error: unknown) {
    if (draft.sent !== attempt) return;
    draft.sent = null;
    if (isStale(error)) {
      // It goes on with the next version, unless somebody else changed the same text.
      draft.staleAt = attempt.base;
    } else {
      if (!(error instanceof ConvexError)) draft.unsure = attempt;
      if (draft.text === attempt.text)
        draft.refused = { text: attempt.text, reason: explain(error) };
      if (draft.turn === attempt.turn) draft.isDue = false;
    }
    this.settle(talk);
  }

  private publish() {
    this.views = new Map([...this.talks].map(([id, talk]) => [id, viewTalk(talk)]));
    for (const listener of this.listeners) listener();
  }
}
