// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Takes money from a rider's bank account. Returns whether it was taken; slow banks take minutes. */
export async function collect(rider: string, amount: number): Promise<boolean> {
  try {
    const response = await fetch("https://bank.test/collections", {
      method: "POST",
      body: JSON.stringify({ rider, amount }),
    });
    return response.status === 201;
  } catch {
    return false;
  }
}
