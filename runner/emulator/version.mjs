// The version of the emulator; README.md explains its numbers.

export const VERSION = "1.0.0";
