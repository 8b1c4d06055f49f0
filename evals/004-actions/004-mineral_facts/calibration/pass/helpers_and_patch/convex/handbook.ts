// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Returns the handbook's entry. Rejects where it has none, or says something else. */
export async function askHandbook(name: string) {
  const url = "https://handbook.minerals.test/facts?name=" + encodeURIComponent(name);
  const reply = await fetch(url, { headers: { Accept: "application/json" } });
  if (reply.status !== 200) throw new Error(`The handbook answered ${reply.status}`);
  const body: unknown = JSON.parse(await reply.text());
  if (!isEntry(body)) throw new Error("The handbook's answer is no entry");
  return { formula: body.formula, hardness: body.hardness };
}

function isEntry(body: unknown): body is { formula: string; hardness: number } {
  return (
    typeof body === "object" &&
    body !== null &&
    "formula" in body &&
    typeof body.formula === "string" &&
    "hardness" in body &&
    typeof body.hardness === "number"
  );
}
