// The errors of the backend.

/** The model's project cannot be deployed. */
export class DeployError extends Error {}

/** A request is wrong, for the reason in the message. */
export class RequestError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An HTTP action failed; `answer` is the body of the response, with the reason. */
export class HttpActionError extends Error {
  /** @param {Record<string, unknown>} answer */
  constructor(answer) {
    super(String(answer.code));
    this.answer = answer;
  }
}

/** A function was not run, or its result was refused; the message has the real backend's words. */
export class FunctionError extends Error {}
