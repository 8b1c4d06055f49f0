// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";

/** A comment, which its author edits and deletes. */
export function Comment({ comment, me }: { comment: Doc<"comments">; me: string }) {
  const edit = useMutation(api.comments.edit);
  const remove = useMutation(api.comments.remove);
  const [draft, setDraft] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);

  const save = async (text: string) => {
    try {
      await edit({ comment: comment._id, me, text });
      setDraft(null);
      setRefusal(null);
    } catch (error) {
      setRefusal(explain(error));
    }
  };

  const takeAway = async () => {
    try {
      await remove({ comment: comment._id, me });
    } catch (error) {
      setRefusal(explain(error));
    }
  };

  return (
    <li>
      <p className="text">{comment.text}</p>
      <p>{comment.isEdited ? `${comment.author}, edited` : comment.author}</p>
      {comment.author === me && draft === null && (
        <>
          <button onClick={() => setDraft(comment.text)}>Edit</button>
          <button onClick={() => void takeAway()}>Delete</button>
        </>
      )}
      {draft !== null && (
        <>
          <label>
            Comment
            <textarea value={draft} onChange={(event) => setDraft(event.target.value)} />
          </label>
          <button onClick={() => void save(draft)}>Save</button>
          <button onClick={() => setDraft(null)}>Cancel</button>
        </>
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
