// The version of the emulator; README.md explains its numbers.

export const VERSION = "2.0.0";
