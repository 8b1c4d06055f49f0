// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";
import { useMargin } from "./margin";

interface Props {
  comment: Doc<"comments">;
  thread: Doc<"threads">;
  me: string;
}

/** A comment, which its author edits and deletes. */
export function Comment({ comment, thread, me }: Props) {
  const { edits, refusals, setEdit, save, remove } = useMargin();
  const { _id } = comment;
  const draft = edits[_id];
  const refusal = refusals[_id];
  return (
    <li>
      <p className="text">{comment.text}</p>
      <p>{comment.isEdited ? `${comment.author}, edited` : comment.author}</p>
      {comment.author === me && draft === undefined && (
        <>
          <button onClick={() => setEdit(_id, comment.text)}>Edit</button>
          <button onClick={() => remove(_id, thread)}>Delete</button>
        </>
      )}
      {draft !== undefined && (
        <>
          <label>
            Comment
            <textarea value={draft} onChange={(event) => setEdit(_id, event.target.value)} />
          </label>
          <button onClick={() => void save(_id, draft)}>Save</button>
          <button onClick={() => setEdit(_id, undefined)}>Cancel</button>
        </>
      )}
      {refusal !== undefined && <p role="alert">{refusal}</p>}
    </li>
  );
}
