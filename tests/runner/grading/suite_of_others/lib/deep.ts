export const shared = (): number => 4;
