// The page's elements. Numbers change in place, at fixed widths: nothing moves but the world.
import type { Member } from '../src/events.js';
import { Chart } from './chart.js';
import type { Controls } from './games.js';
import { RECONNECT_MS, type LinkState, type Panel } from './messages.js';
import { memberHex } from './theme.js';

const PROOF_TICKS = 60;
const NOTE_MS = 5000;
const WRONG_MS = 1500;

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no #${id}`);
  }
  return found as Kind;
}

export function make<Name extends keyof HTMLElementTagNameMap>(name: Name, text = ''): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

export const setText = (id: string, text: string): void => {
  const element = byId(id);
  if (element.textContent !== text) {
    element.textContent = text;
  }
};
export const number = new Intl.NumberFormat('en');

export function show({ view, session, game }: { view?: 'start' | 'play'; session?: string; game?: string }): void {
  if (view !== undefined) {
    showLost('ended');
    byId('start').hidden = view !== 'start';
    byId('bar').hidden = byId('play').hidden = view !== 'play';
    byId('tools').hidden = byId('pad').hidden = true; // until the game is known
    charts.forEach((chart) => chart.clear());
    byId('panel').hidden = view !== 'play' || innerWidth <= 640 || innerHeight <= 480;
    byId('toggle').setAttribute('aria-expanded', String(!byId('panel').hidden));
    byId('message').hidden = true;
    setText('proof-tick', 'Root');
    setText('proof-root', '–');
    showMembers([]);
  }
  if (session !== undefined) {
    setText('session', game ? `${session} · ${game}` : session);
    document.title = `${session} – Isostep`;
  }
  if (view === 'start') {
    document.title = 'Isostep';
  }
}

const charts = new Map(
  ['trip', 'margin', 'rollbacks', 'traffic'].map((id) => [id, new Chart(byId<HTMLCanvasElement>(`${id}-chart`))]),
);
let lastRollbacks = 0;
let state: LinkState = 'connecting';

let wrongSince = -Infinity; // [ms] when the last wrong tick was shown
let recovery: ReturnType<typeof setTimeout> | undefined;

/** Healing takes a few ticks: what was wrong is shown a little longer, so that it can be seen. */
export function showLink(next: LinkState, text: string): void {
  clearTimeout(recovery);
  const left = wrongSince + WRONG_MS - performance.now();
  if (state === 'wrong' && next === 'playing' && left > 0) {
    recovery = setTimeout(() => showLink(next, text), left);
    return;
  }
  wrongSince = next === 'wrong' ? performance.now() : wrongSince;
  state = next;
  byId('light').dataset.state = next;
  const texts = {
    connecting: 'connecting', playing: 'proving', reconnecting: 'connection lost', wrong: text, ended: 'not connected',
  };
  setText('light-text', texts[next]);
  showLost(next);
  byId('message').hidden = next !== 'ended';
  if (next === 'ended') {
    setText('message-title', 'You are not in the session');
    setText('message-text', text || 'You have left.');
    byId('again').focus();
  }
}

let lostSince: number | null = null; // [ms] since when the server is not reached
let hasPlayed = false;
let lostTimer: ReturnType<typeof setInterval> | undefined;

/** A lost connection: what is done about it, and for how long. */
function showLost(next: LinkState): void {
  clearInterval(lostTimer);
  hasPlayed = next === 'playing' || (hasPlayed && next === 'reconnecting');
  lostSince = next === 'reconnecting' ? (lostSince ?? performance.now()) : null;
  byId('lost').hidden = lostSince === null;
  if (lostSince !== null) {
    const count = (): void => {
      const left = Math.max(0, Math.ceil((RECONNECT_MS - (performance.now() - lostSince!)) / 1000));
      setText('lost-left', `${left} s left.`);
      const device = navigator.onLine ? '' : 'This device is offline. ';
      setText(
        'lost-text',
        hasPlayed
          ? `${device}Connection lost. Your place is kept, and this tab tries again.`
          : `${device}The server does not answer. This tab tries again.`,
      );
    };
    count();
    lostTimer = setInterval(count, 1000);
  }
}

let isPaused = false;
export const showPaused = (is: boolean): void => {
  isPaused = is;
};

export function showPanel(panel: Panel): void {
  if (state === 'playing' || (state === 'connecting' && panel.behind !== '')) {
    setText(
      'light-text',
      panel.behind ||
        (isPaused
          ? `paused at tick ${number.format(panel.tick)}: nobody plays`
          : `tick ${number.format(panel.tick)} proven`),
    );
  }
  setText('tick', number.format(panel.tick));
  setText('trip', `${panel.roundTripMs.toFixed(1)} ms`);
  setText('margin', panel.marginTicks === undefined ? '–' : `${panel.marginTicks.toFixed(1)} ticks`);
  setText('rollbacks', number.format(panel.rollbacks));
  setText('checked', number.format(panel.rootsChecked));
  setText('traffic', `${(panel.bytesPerSecond / 1000).toFixed(1)} kB/s`);
  charts.get('trip')!.add(panel.roundTripMs);
  charts.get('margin')!.add(Math.max(0, panel.marginTicks ?? 0));
  charts.get('rollbacks')!.add(Math.max(0, panel.rollbacks - lastRollbacks));
  charts.get('traffic')!.add(panel.bytesPerSecond);
  lastRollbacks = panel.rollbacks;
  const proof = panel.roots.find(([tick]) => tick % PROOF_TICKS === 0);
  if (proof) {
    setText('proof-tick', `Root after tick ${number.format(proof[0])}, the same in every tab`);
    setText('proof-root', proof[1]);
  }
}

/** Of players, by their slot. */
export const names = new Map<number, string>();

export function showMembers(members: readonly Member[]): void {
  names.clear();
  members.filter(({ role }) => role === 'player').forEach(({ slot, name }) => names.set(slot, name));
  byId('members').replaceChildren(
    ...members.map(({ name, role, slot, presence }) => {
      const row = make('li');
      const swatch = make('i');
      swatch.style.background = role === 'player' ? memberHex(slot) : '';
      row.append(
        swatch, make('span', name || 'nameless'),
        make('small', role === 'spectator' ? 'watches' : presence === 'here' ? '' : 'away'),
      );
      return row;
    }),
  );
}

/** What keys and pointer do in this game. @param role  null: the session is not joined yet */
export function showHints({ hints, tools }: Controls, role: 'player' | 'spectator' | null): void {
  const items = hints.flatMap(([keys, does], i) => [
    i > 0 ? ', ' : '', ...keys.split(' ').map((key) => (key === '–' ? key : make('kbd', key))), ` ${does}`,
  ]);
  const watching =
    role === 'spectator'
      ? 'You watch: nothing that you do changes the world.'
      : 'This scene has no game: you can look around in it.';
  byId('hints').replaceChildren(...(items.length === 0 && role !== null ? [watching] : items));
  byId('drag').textContent = tools.includes('hand') ? 'things, or the empty space to look around.' : 'to look around.';
  byId('world').setAttribute('aria-label', `The world. ${byId('hints').textContent}`.trim());
}

/** A name as it stands in an address; one that nobody has escaped is taken as it is. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let noteTimer: ReturnType<typeof setTimeout> | undefined;

export function showNote(text: string): void {
  setText('note', text);
  byId('note').classList.add('shown');
  clearTimeout(noteTimer);
  noteTimer = setTimeout(() => byId('note').classList.remove('shown'), NOTE_MS);
}

const NOTICE_MS = 60000; // without a time of its own
let noticeTimer: ReturnType<typeof setInterval> | undefined;

/** What whoever runs the server says: it stays until its time has come, or the user has closed it. */
export function showNotice(text: string, deadlineMs: number): void {
  const end = performance.now() + (deadlineMs || NOTICE_MS);
  setText('notice-text', text);
  byId('notice').hidden = false;
  const count = (): void => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    setText('notice-left', deadlineMs === 0 ? '' : left === 0 ? 'Now.' : `In ${left} s.`);
    if (left === 0) {
      clearInterval(noticeTimer);
      byId('notice').hidden = deadlineMs === 0;
    }
  };
  clearInterval(noticeTimer);
  noticeTimer = setInterval(count, 1000);
  count();
}

byId('notice-close').addEventListener('click', () => {
  clearInterval(noticeTimer);
  byId('notice').hidden = true;
});
