/** Passwords of sessions that were typed here, for as long as the page is open: each is told to its session alone. */
export const passwords = new Map<string, string>();
