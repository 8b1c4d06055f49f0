// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { useNotes, whenRefused } from "./notes";
import { showCommentRemoval, showEdit } from "./optimistic";

/** A comment, which its author edits and deletes. */
export function Comment({ comment, me }: { comment: Doc<"comments">; me: string }) {
  const edit = useMutation(api.comments.edit);
  const remove = useMutation(api.comments.remove);
  const { ofComment, changeComment, nextTurn } = useNotes();
  const { _id } = comment;
  const { draft, refusal } = ofComment(_id);
  const setDraft = (text: string | null) => changeComment(_id, { draft: text });

  const save = (text: string) => {
    const turn = nextTurn();
    changeComment(_id, { draft: null, refusal: null, turn });
    const sendShown = edit.withOptimisticUpdate((store) => showEdit(store, comment, text));
    whenRefused(sendShown({ comment: _id, me, text }), (reason) => {
      changeComment(_id, (notes) => ({
        draft: notes.draft ?? text,
        refusal: notes.turn === turn ? reason : notes.refusal,
      }));
    });
  };

  const takeAway = () => {
    const turn = nextTurn();
    changeComment(_id, { refusal: null, turn });
    const sendShown = remove.withOptimisticUpdate((store) => showCommentRemoval(store, comment));
    whenRefused(sendShown({ comment: _id, me }), (reason) => {
      changeComment(_id, (notes) => (notes.turn === turn ? { refusal: reason } : {}));
    });
  };

  return (
    <li>
      <p className="text">{comment.text}</p>
      <p>{comment.isEdited ? `${comment.author}, edited` : comment.author}</p>
      {comment.author === me && draft === null && (
        <>
          <button onClick={() => setDraft(comment.text)}>Edit</button>
          <button onClick={takeAway}>Delete</button>
        </>
      )}
      {draft !== null && (
        <>
          <label>
            Comment
            <textarea value={draft} onChange={(event) => setDraft(event.target.value)} />
          </label>
          <button onClick={() => save(draft)}>Save</button>
          <button onClick={() => setDraft(null)}>Cancel</button>
        </>
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </li>
  );
}
