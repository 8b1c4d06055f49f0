import { useMutation } from "convex/react";
import { useState } from "react";

import { api } from "../convex/_generated/api";

export default function App() {
  const uploadUrl = useMutation(api.notes.uploadUrl);
  const [said, setSaid] = useState("");
  const upload = async () => {
    const body = new File(["some text"], "note.txt", { type: "text/plain" });
    const answer = await fetch(await uploadUrl(), { method: "POST", body });
    const { storageId } = await answer.json();
    const outside = await fetch("http://example.com/").then(String, (error) => error.name);
    setSaid(`${answer.status} ${typeof storageId} ${outside}`);
  };
  return (
    <>
      <button onClick={() => void upload()}>Upload</button> {said}
    </>
  );
}
