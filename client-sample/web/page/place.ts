// A tab that is loaded anew goes on in its slot, with its body: what that needs goes from one page of the tab to the
// next.
//
// It is in the tab's storage only while no page runs. A duplicated tab gets a copy of the storage, but finds nothing
// there and joins on its own; else it would take the slot from the tab that it was made of.
const KEY = 'place';

export interface Place {
  readonly session: string;
  readonly name: string;
  /** A secret (src/token.ts). */
  readonly token: string;
}

let place: Place | null = null;
const left = sessionStorage.getItem(KEY);
sessionStorage.removeItem(KEY);
let before = left === null ? null : (JSON.parse(left) as Place);

addEventListener('pagehide', () => place && sessionStorage.setItem(KEY, JSON.stringify(place)));
addEventListener('pageshow', () => sessionStorage.removeItem(KEY)); // one that was kept, and is shown again

/** What the next page of this tab needs; null: this tab has no place. */
export const keepPlace = (now: Place | null): void => {
  place = now;
};

/** What the page before this one has left for a session; once. */
export function takePlace(session: string): Place | null {
  const found = before?.session === session ? before : null;
  before = null;
  return found;
}
