// Exactly once: a mutation sent again after a reconnect gets the response of its first run.

const SESSIONS_KEPT = 1000;

export class RequestLedger {
  /** @type {Map<string, Map<number, Promise<object>>>} responses by session, then by request */
  #sessions = new Map();

  /** Runs a request of a session, or returns the response of when it ran (or runs) already. */
  once(sessionId, requestId, run) {
    const responses = this.#responses(sessionId);
    let response = responses.get(requestId);
    if (response === undefined) {
      response = run();
      responses.set(requestId, response);
      // Only the machinery rejects: nothing is known to have been written, so it may be tried again.
      response.catch(() => responses.delete(requestId));
    }
    return response;
  }

  #responses(sessionId) {
    const responses = this.#sessions.get(sessionId) ?? new Map();
    // Put back at the end: the first key is then the session unused for longest.
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, responses);
    if (this.#sessions.size > SESSIONS_KEPT) {
      const [oldest] = this.#sessions.keys();
      this.#sessions.delete(oldest);
    }
    return responses;
  }
}
