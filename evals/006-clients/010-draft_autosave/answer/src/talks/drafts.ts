// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { tidy, type Field } from "../../convex/lib/texts";

/** What somebody typed in a field. It is kept when it is stored, because blanks are not stored. */
export interface Draft {
  text: string;
  /** The stored text that was seen last before the first keystroke that is not stored. */
  base: string;
  /** Whether nothing was typed for a while. */
  isDue: boolean;
  /** The text that is being saved. */
  sent: string | null;
  /** Why `text` was not stored. */
  refusal: string | null;
}

export type TalkDrafts = Partial<Record<Field, Draft>>;
export type Drafts = Record<Id<"talks">, TalkDrafts | undefined>;

export function isUnsaved({ text, base, sent }: Draft): boolean {
  return sent !== null || tidy(text) !== base;
}

/** Whether others changed the stored text since, and not to the same. */
export function isContested(draft: Draft, stored: string): boolean {
  const isSame = stored === draft.base || stored === tidy(draft.text);
  return draft.sent === null && isUnsaved(draft) && !isSame;
}

/** Returns what stands in a field. */
export function shownText(draft: Draft | undefined, stored: string): string {
  if (draft === undefined) return stored;
  return isUnsaved(draft) || draft.base === stored ? draft.text : stored;
}

/** Returns a draft after a keystroke. */
export function typeText(draft: Draft | undefined, text: string, stored: string): Draft {
  const isGoingOn =
    draft !== undefined &&
    isUnsaved(draft) &&
    (draft.sent !== null || stored !== tidy(draft.text));
  const base = isGoingOn ? draft.base : stored;
  return { text, base, isDue: false, sent: draft?.sent ?? null, refusal: null };
}

/** Returns what is left of a draft when a stored text has come; undefined: nothing. */
export function meetStored(draft: Draft, stored: string): Draft | undefined {
  if (draft.sent !== null || draft.base === stored) return draft;
  if (!isUnsaved(draft)) return undefined;
  return stored === tidy(draft.text) ? { ...draft, base: stored, refusal: null } : draft;
}

/** Returns the field of a talk that is to be saved next. */
export function nextToSave(drafts: TalkDrafts, talk: Doc<"talks">): Field | undefined {
  const all = Object.entries(drafts) as [Field, Draft | undefined][];
  if (all.some(([, draft]) => draft && draft.sent !== null)) return undefined;
  const next = all.find(
    ([field, draft]) =>
      draft?.isDue &&
      draft.refusal === null &&
      isUnsaved(draft) &&
      draft.base === talk[field],
  );
  return next?.[0];
}
