// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../../convex/_generated/dataModel";
import type { Field } from "../../convex/lib/texts";
import { isContested, isUnsaved, shownText } from "./drafts";
import { useDrafts } from "./DraftsProvider";

interface Props {
  talk: Id<"talks">;
  field: Field;
  label: string;
  stored: string;
}

/** A text of a talk, in which people type. */
export function TextField({ talk, field, label, stored }: Props) {
  const { drafts, type, retry, keepMine, takeTheirs } = useDrafts();
  const draft = drafts[talk]?.[field];
  return (
    <div className="field">
      <label>
        {label}
        <textarea
          value={shownText(draft, stored)}
          onChange={(event) => type(talk, field, event.target.value, stored)}
        />
      </label>
      {draft && isUnsaved(draft) && <p>Not saved</p>}
      {draft && isContested(draft, stored) && (
        <>
          <p>{`Somebody else wrote: ${stored}`}</p>
          <button onClick={() => keepMine(talk, field, stored)}>Keep mine</button>
          <button onClick={() => takeTheirs(talk, field)}>Take theirs</button>
        </>
      )}
      {draft && draft.refusal !== null && (
        <>
          <p role="alert">{draft.refusal}</p>
          <button onClick={() => retry(talk, field)}>Retry</button>
        </>
      )}
    </div>
  );
}
