import { useMutation, useQuery } from "convex/react";
import { useState } from "react";

import { api } from "../convex/_generated/api";

export default function App({ box = "a" }: { box?: string }) {
  const notes = useQuery(api.notes.list, { box });
  const remove = useMutation(api.notes.remove);
  const add = useMutation(api.notes.add).withOptimisticUpdate((store, { body }) => {
    const known = store.getQuery(api.notes.list, { box }) ?? [];
    store.setQuery(api.notes.list, { box }, [...known, { _id: "guess", body: `${body} (sending)` }]);
  });
  const [body, setBody] = useState("");
  const [refusal, setRefusal] = useState("");
  if (notes === undefined) return <p>Loading notes</p>;
  return (
    <main>
      <ul>
        {notes.map((note: { _id: string; body: string }) => (
          <li key={note._id}>
            {note.body} <button onClick={() => void remove({ id: note._id })}>Remove</button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add({ box, body }).then(() => setBody(""), (error) => setRefusal(error.data));
        }}
      >
        <label>
          Body <input value={body} onChange={(event) => setBody(event.target.value)} />
        </label>
        <label>
          Colour
          <select><option>red</option><option>blue</option></select>
        </label>
        <button disabled={body === "never"}>Add</button>
      </form>
      {refusal && <p role="alert">{refusal}</p>}
      <p hidden>unseen</p>
    </main>
  );
}

export const Other = ({ name }: { name: string }) => <h1>Hello {name}</h1>;
