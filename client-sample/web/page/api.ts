// What changes something at the server, and what it says when it does not.
import { right } from './token.js';

const TIMEOUT_MS = 20000;
const NO_ANSWER = 0;

export interface Scene {
  readonly name: string;
  readonly title: string;
  readonly bodies: number;
  readonly memory_mib: number;
  readonly dimensions: number;
  readonly kind: 'scene' | 'game' | 'large';
  readonly game: string;
  readonly fits?: boolean;
}

export interface Answer {
  /** Of HTTP; 0: the server did not answer. */
  readonly status: number;
  /** What the server says, if that is a sentence. */
  readonly error: string;
  readonly body: unknown;
}

/** What to add to the server's own words, so that it is clear what to do. */
const ADVICE: Readonly<Record<number, string>> = {
  [NO_ANSWER]: 'The server does not answer. Is it still running? Nothing is known to have changed.',
  401: 'Type a token of this server, or open the link that server/run.sh has printed.',
  404: 'The server does not know this. It may be of another version than this page: reload it.',
  413: 'It is too large: a scene may have 1 MiB.',
  429: 'End a session first, or start the server with a higher --http-sessions.',
  503: 'The server has no room for it now.',
};

/** A token of the server, for as long as the tab is open. */
export const token = {
  set: (value: string): void => sessionStorage.setItem('token', value),
};

async function ask(method: string, path: string, body?: object): Promise<Answer> {
  const headers = right();
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  try {
    const answer = await fetch(new URL(`api/${path}`, document.baseURI), {
      method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json');
    const parsed = isJson ? (JSON.parse(text) as { error?: string }) : { error: text.trim() };
    return { status: answer.status, error: parsed.error ?? '', body: parsed };
  } catch {
    return { status: NO_ANSWER, error: '', body: null };
  }
}

export const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** Why it was refused, as a sentence or two. */
export function wordsOf({ status, error }: Answer): string {
  const said = error === '' ? '' : `${error[0]!.toUpperCase()}${error.slice(1)}${/[.!?]$/.test(error) ? '' : '.'}`;
  return [said, ADVICE[status] ?? (said === '' ? `The server answered with ${status}.` : '')].filter(Boolean).join(' ');
}

export const createSession = (
  name: string, scene: { scene: string } | { document: string }, settings: { password?: string; private?: boolean },
): Promise<Answer> => ask('POST', 'sessions', { name, ...scene, ...settings });

export const endSession = (name: string): Promise<Answer> => ask('DELETE', `sessions/${encodeURIComponent(name)}`);

/** @throws Error  in words */
export async function askScenes(): Promise<readonly Scene[]> {
  const answer = await ask('GET', 'scenes');
  if (!isDone(answer)) {
    throw new Error(wordsOf(answer));
  }
  return (answer.body as { scenes: Scene[] }).scenes;
}
