// The version of the emulator, as its README explains it.

export const VERSION = "1.0.0";
