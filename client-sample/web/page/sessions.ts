// The sessions of this server: GET api/sessions.
export interface SessionRow {
  readonly name: string;
  readonly state: string;
  readonly members: number;
  readonly spectators: number;
  readonly tick: number;
  readonly game: string;
}

/** @throws Error  the server does not answer */
export async function askSessions(): Promise<SessionRow[]> {
  const answer = await fetch(new URL('api/sessions', document.baseURI));
  if (!answer.ok) {
    throw new Error(`${answer.status} ${answer.statusText}`);
  }
  const body = (await answer.json()) as { sessions: SessionRow[] } | SessionRow[];
  const rows = Array.isArray(body) ? body : body.sessions;
  return rows.filter((row) => row.state !== 'closed');
}
