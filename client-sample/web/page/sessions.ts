// The server's sessions: GET, POST and DELETE api/sessions.
import { right } from './token.js';

const TIMEOUT_MS = 8000;

export interface SessionRow {
  readonly name: string;
  readonly state: string;
  readonly members: number;
  readonly slots: number;
  readonly spectators: number;
  readonly tick: number;
  readonly dimensions: number;
  readonly game: string;
  readonly password?: boolean;
  /** Only some know of it; with a token it is in the list. */
  readonly private?: boolean;
}

export interface SessionList {
  readonly sessions: readonly SessionRow[];
  /** false: nothing is changed at this address of the server. */
  readonly changes?: boolean;
}

const address = (path: string): URL => new URL(`api/${path}`, document.baseURI);

/** @throws Error  the server does not answer */
export async function askSessions(): Promise<SessionList> {
  const answer = await fetch(address('sessions'), { headers: right(), signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) {
    throw new Error(`${answer.status} ${answer.statusText}`);
  }
  const list = (await answer.json()) as SessionList;
  return { ...list, sessions: list.sessions.filter((row) => row.state !== 'closed') };
}

/** Whether this page can play and watch what has this game; "" is none. */
export const hasGame = (game: string): boolean => game === '' || GAMES.includes(game);
