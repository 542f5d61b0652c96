// The start: the sessions of the server, and what can be done with each. Its part of the page is loaded when it is
// opened.
import './start.css';
import { endSession, isDone, token, wordsOf } from './api.js';
import { askSessions, hasGame, type SessionList, type SessionRow } from './sessions.js';
import { shareLink } from './share.js';
import { byId, make, number, setText } from './view.js';

const POLL_MS = 2000;

const STATES: Readonly<Record<string, string>> = {
  waiting: 'waits for somebody',
  running: 'running',
  paused: 'paused',
  draining: 'ends',
};

function about({ game, members, slots, spectators, state, password, private: isPrivate }: SessionRow): string {
  const watching = spectators > 0 ? `, ${number.format(spectators)} watching` : '';
  const lacks = hasGame(game) ? '' : ', which this page does not have';
  return (
    `${isPrivate ? 'private · ' : ''}${game || 'no game'}${lacks} · ` +
    `${number.format(members)} of ${number.format(slots)} players${watching} · ` +
    `${STATES[state] ?? state}${password === true ? ' · with a password' : ''}`
  );
}

/**
 * A session in the list. It stays the same element as long as there is the session, so that nothing loses the focus.
 */
class Row {
  readonly element = make('li');
  private readonly facts = make('small');
  private readonly actions = make('div');
  private readonly fault = make('p');
  private readonly end: HTMLButtonElement;
  private readonly ways: readonly HTMLAnchorElement[];

  constructor(private readonly name: string, private readonly ended: () => void) {
    const title = make('div');
    title.className = 'title';
    title.append(make('b', name), this.facts);
    this.actions.className = 'actions';
    this.fault.className = 'fault';
    this.fault.setAttribute('role', 'alert');
    this.end = this.button('End', 'quiet', () => this.ask());
    this.ways = [this.link('Play', '', 'main'), this.link('Watch', '/watch', '')];
    this.actions.append(
      ...this.ways,
      this.button('Copy link', '', () => void shareLink(name)),
      this.end,
    );
    this.element.append(title, this.actions, this.fault);
  }

  private link(text: string, path: string, style: string): HTMLAnchorElement {
    const link = make('a', text);
    link.href = `#/s/${encodeURIComponent(this.name)}${path}`;
    link.className = `button ${style}`;
    link.setAttribute('aria-label', `${text} ${this.name}`);
    return link;
  }

  private button(text: string, style: string, act: () => void): HTMLButtonElement {
    const button = make('button', text);
    button.type = 'button';
    button.className = style;
    button.setAttribute('aria-label', `${text} ${this.name}`);
    button.onclick = act;
    return button;
  }

  update(row: SessionRow, mayEnd: boolean): void {
    const text = about(row);
    if (this.facts.textContent !== text) {
      this.facts.textContent = text;
    }
    this.element.classList.toggle('leaving', row.state === 'draining');
    this.end.hidden = !mayEnd;
    this.ways.forEach((way) => (way.hidden = !hasGame(row.game)));
  }

  /** Whether the user has gone on to nothing else. */
  private get hasFocus(): boolean {
    return document.activeElement === document.body || this.actions.contains(document.activeElement);
  }

  /** In place of the actions, so that nothing is in the way and nothing jumps. */
  private ask(): void {
    const before = [...this.actions.children];
    const back = (): void => {
      const { hasFocus } = this;
      this.actions.replaceChildren(...before);
      if (hasFocus) {
        this.end.focus();
      }
    };
    const keep = this.button('Keep', '', back);
    const question = make('span', 'End it for everybody?');
    this.actions.replaceChildren(question, this.button('End it', 'bad', () => void this.stop(back)), keep);
    this.actions.onkeydown = (event) => event.key === 'Escape' && before[0]!.parentNode === null && back();
    keep.focus();
  }

  private async stop(back: () => void): Promise<void> {
    this.fault.textContent = '';
    const answer = await endSession(this.name);
    back();
    if (isDone(answer) || answer.status === 404) {
      this.element.classList.add('leaving');
      if (this.hasFocus) {
        byId('list').focus(); // the row and its buttons go
      }
      this.ended();
      return;
    }
    this.fault.textContent = wordsOf(answer);
    if (answer.status === 401) {
      this.fault.append(tokenField(() => void this.stop(back)));
    }
  }
}

/** Asks for a token of the server. */
export function tokenField(go: () => void): HTMLElement {
  const label = make('label', 'Token ');
  const input = make('input');
  input.type = 'password';
  input.autocomplete = 'off';
  const button = make('button', 'Go on');
  button.type = 'button';
  button.onclick = () => {
    token.set(input.value.trim());
    go();
  };
  input.onkeydown = (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      button.click();
    }
  };
  label.className = 'token';
  label.append(input, button);
  return label;
}

const rows = new Map<string, Row>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** @param found  null: the server does not answer */
function show(found: SessionList | null): void {
  byId('list-state').hidden = found !== null && found.sessions.length > 0;
  if (found === null) {
    setText(
      'list-state',
      'The server does not answer. This page asks again every two seconds; if it stays so, ' +
        'look whether the server is running.',
    );
    byId('list').classList.add('stale');
    return; // what was there may still be
  }
  const { sessions, changes = true } = found;
  setText(
    'list-state', `No session is running here.${changes ? ' Make one: the server has scenes to begin with.' : ''}`,
  );
  byId('new').hidden = !changes;
  byId('list').classList.remove('stale');
  for (const [name, row] of rows) {
    if (!sessions.some((session) => session.name === name)) {
      row.element.remove();
      rows.delete(name);
    }
  }
  for (const session of sessions) {
    const row = rows.get(session.name) ?? new Row(session.name, () => void poll());
    rows.set(session.name, row);
    row.update(session, changes);
    if (row.element.parentNode === null) {
      byId('list').append(row.element);
    }
  }
}

async function poll(): Promise<void> {
  clearTimeout(timer);
  if (byId('start').hidden) {
    return; // somebody plays
  }
  const found = document.visibilityState === 'visible' ? await askSessions().catch(() => null) : undefined;
  if (!byId('start').hidden) {
    if (found !== undefined) {
      show(found);
    }
    clearTimeout(timer);
    timer = setTimeout(() => void poll(), POLL_MS);
  }
}

export const hasSession = (name: string): boolean => rows.has(name);

// ---- making one -----------------------------------------------------------------------------------------

/** Opens the form. @param file  a scene to begin with */
async function openForm(file?: File): Promise<void> {
  byId('new').setAttribute('aria-expanded', 'true');
  byId('create').hidden = false;
  try {
    const { showForm } = await import('./create.js');
    await showForm(file);
  } catch {
    byId('create').textContent =
      'This part of the page did not load: the server may have a new version. Reload the page.';
  }
}

function closeForm(): void {
  byId('new').setAttribute('aria-expanded', 'false');
  byId('create').hidden = true;
}

byId('create').onkeydown = (event) => {
  if (event.key === 'Escape') {
    closeForm();
    byId('new').focus();
  }
};
byId('new').onclick = () => (byId('create').hidden ? void openForm() : closeForm());

/** A scene file may be dropped anywhere on the start. */
function isSceneOver(event: DragEvent): boolean {
  return (
    !byId('start').hidden &&
    !byId('new').hidden &&
    [...(event.dataTransfer?.items ?? [])].some(({ kind }) => kind === 'file')
  );
}
addEventListener('dragover', (event) => {
  if (isSceneOver(event)) {
    event.preventDefault();
    byId('start').classList.add('dropping');
  }
});
addEventListener('dragleave', (event) => event.relatedTarget === null && byId('start').classList.remove('dropping'));
addEventListener('drop', (event) => {
  byId('start').classList.remove('dropping');
  const file = event.dataTransfer?.files[0];
  if (isSceneOver(event) && !event.defaultPrevented && file !== undefined && !file.name.endsWith('.isr')) {
    event.preventDefault();
    void openForm(file);
  }
});

/** @param found  what is known already */
export function openStart(found: SessionList | null): void {
  show(found);
  clearTimeout(timer);
  timer = setTimeout(() => void poll(), POLL_MS);
}
