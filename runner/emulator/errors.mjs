// The ways in which the backend can fail to do what it was asked.

/** What the model wrote cannot be deployed. */
export class DeployError extends Error {}

/** What the model wrote asks for a part of Convex that this backend has not. */
export class UnsupportedError extends Error {}

/** A caller's request is not as it must be; the message says why. */
export class RequestError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An HTTP action failed; its answer has the words of the failure. */
export class HttpActionError extends Error {
  /** @param {Record<string, unknown>} answer */
  constructor(answer) {
    super(String(answer.code));
    this.answer = answer;
  }
}

/** A function was not run, or its result not taken, in the real backend's words. */
export class FunctionError extends Error {}
