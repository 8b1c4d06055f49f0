// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { FieldView } from "./drafts";

interface Props extends Omit<FieldView, "field"> {
  onType: (text: string) => void;
  onKeep: () => void;
  onTake: () => void;
  onRetry: () => void;
}

/** A text of a talk, in which people type; below it stands what keeps it from being saved. */
export function TextField(props: Props) {
  const { label, text, isUnsaved, theirs, refusal, onType, onKeep, onTake, onRetry } = props;
  return (
    <div className="field">
      <label>
        {label}
        <textarea value={text} onChange={(event) => onType(event.target.value)} />
      </label>
      {isUnsaved && <p className="unsaved">Not saved</p>}
      {theirs !== null && (
        <div className="theirs">
          <p>{`Somebody else wrote: ${theirs}`}</p>
          <button onClick={onKeep}>Keep mine</button>
          <button onClick={onTake}>Take theirs</button>
        </div>
      )}
      {refusal !== null && (
        <div className="refusal">
          <p role="alert">{refusal}</p>
          <button onClick={onRetry}>Retry</button>
        </div>
      )}
    </div>
  );
}
