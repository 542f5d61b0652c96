// The server's sessions: GET, POST and DELETE api/sessions.
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
}

const address = (path: string): URL => new URL(`api/${path}`, document.baseURI);

/** @throws Error  the server does not answer */
export async function askSessions(): Promise<SessionRow[]> {
  const answer = await fetch(address('sessions'), { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) {
    throw new Error(`${answer.status} ${answer.statusText}`);
  }
  const { sessions } = (await answer.json()) as { sessions: SessionRow[] };
  return sessions.filter((row) => row.state !== 'closed');
}
