// The version of the emulator; README.md explains its numbers.

export const VERSION = "2.1.0";
