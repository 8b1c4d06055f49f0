// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";
import type { Margin } from "./useMargin";

interface Props {
  comment: Doc<"comments">;
  me: string;
  margin: Margin;
}

/** A comment, which its author edits and deletes. */
export function Comment({ comment, me, margin }: Props) {
  const draft = margin.draftOf(comment._id);
  const refusal = margin.refusalOf(comment._id);
  return (
    <li>
      <p className="text">{comment.text}</p>
      <p>{comment.isEdited ? `${comment.author}, edited` : comment.author}</p>
      {comment.author === me && draft === null && (
        <>
          <button onClick={() => margin.setDraft(comment._id, comment.text)}>Edit</button>
          <button onClick={() => margin.removeComment(comment._id)}>Delete</button>
        </>
      )}
      {draft !== null && (
        <>
          <label>
            Comment
            <textarea
              value={draft}
              onChange={(event) => margin.setDraft(comment._id, event.target.value)}
            />
          </label>
          <button onClick={() => margin.saveEdit(comment._id, draft)}>Save</button>
          <button onClick={() => margin.setDraft(comment._id, null)}>Cancel</button>
        </>
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
