// The record of mutations' responses: a mutation that is sent again after a reconnect does not run twice, but
// gets the response of its first run.

const SESSIONS_KEPT = 1000;

export class RequestLedger {
  /** @type {Map<string, Map<number, Promise<object>>>} responses by session, then by request */
  #sessions = new Map();

  /** Runs a request of a session; if it has run or is running, returns its first response. */
  once(sessionId, requestId, run) {
    const responses = this.#responses(sessionId);
    let response = responses.get(requestId);
    if (response === undefined) {
      response = run();
      responses.set(requestId, response);
      // A rejection is a fault of the backend, after which no write is known, so the request may run again.
      response.catch(() => responses.delete(requestId));
    }
    return response;
  }

  #responses(sessionId) {
    const responses = this.#sessions.get(sessionId) ?? new Map();
    // The session is moved to the end, so that the first key is the session that was unused for the longest time.
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, responses);
    if (this.#sessions.size > SESSIONS_KEPT) {
      const [oldest] = this.#sessions.keys();
      this.#sessions.delete(oldest);
    }
    return responses;
  }
}
