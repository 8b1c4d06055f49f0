// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useEffect, useRef } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { tidy, type Field } from "../../convex/lib/texts";
import { meetStored, nextToSave, type Draft, type TalkDrafts } from "./drafts";
import { useDrafts } from "./DraftsProvider";
import { explain } from "./refusals";

/** Saves what was typed in a talk, one field after the other, whether it is open or not. */
export function Saver({ id, drafts }: { id: Id<"talks">; drafts: TalkDrafts }) {
  const talk = useQuery(api.talks.get, { talk: id });
  const save = useMutation(api.talks.save);
  const { change, patch, giveUp } = useDrafts();
  /** The version that turned out to be old: the talk that follows is on its way. */
  const old = useRef(0);

  const send = async ({ version }: Doc<"talks">, field: Field, { text }: Draft) => {
    patch(id, field, { sent: text });
    try {
      await save({ talk: id, base: version, texts: { [field]: text } });
      patch(id, field, { sent: null, base: tidy(text) });
    } catch (error) {
      const isStale = error instanceof ConvexError && (error.data as { code: string }).code === "stale";
      if (isStale) old.current = version;
      const refusal = isStale ? null : explain(error);
      patch(id, field, (draft) => ({ sent: null, refusal: draft.text === text ? refusal : null }));
    }
  };

  useEffect(() => {
    if (talk === undefined) return;
    if (talk === null) {
      giveUp(id);
      return;
    }
    for (const [field, draft] of Object.entries(drafts) as [Field, Draft | undefined][]) {
      const left = draft && meetStored(draft, talk[field]);
      if (left !== draft) change(id, field, () => left);
    }
    const next = talk.version === old.current ? undefined : nextToSave(drafts, talk);
    const draft = next && drafts[next];
    if (draft) void send(talk, next, draft);
  });

  return null;
}
