// The page: routes, panel, pointer and keys. What it draws comes from the Worker.
import { Camera } from './camera.js';
import { Canvas } from './canvas.js';
import { Away } from './away.js';
import { controlsOf, WATCHING, type Controls } from './games.js';
import { drawGrid } from './grid.js';
import { Keys, Pointer } from './input.js';
import { Mesh } from './mesh.js';
import type { Picture, Picture3, Report, Request } from './messages.js';
import { Painter } from './picture.js';
import { passwords } from './passwords.js';
import { keepPlace, takePlace } from './place.js';
import { askSessions } from './sessions.js';
import { showNames } from './names.js';
import { showPad } from './pad.js';
import { Tools, type ToolName } from './tools.js';
import { DARK, LIGHT, type Theme } from './theme.js';
import { right, takeToken } from './token.js';
import {
  byId, names, show, showHints, showLink, showMembers, showNote, showNotice, showPanel, showPaused, setText, unescaped,
} from './view.js';

const PARTS = { shapes: 1, joints: 4, contacts: 8, game: 16 };
const SCALE_LEAST = 20; // [px/m] at which bodies can be seen and touched
const FIT_WAIT = 20; // [pictures] for a game in which members have no body
const NAME_BYTES_MAX = 31; // of a member
const START_WAIT_MS = 2000; // for what a session needs first
const FOLLOW_SHARE = 0.12; // of the way to the own body, each frame

const element = byId<HTMLCanvasElement>('world');
const camera = new Camera();
const mesh = new Mesh();
const painter = new Painter(mesh, camera);
const dark = matchMedia('(prefers-color-scheme: dark)');
const theme = (): Theme => (dark.matches ? DARK : LIGHT);

let space: import('./space/space.js').SpacePage | null = null; // the view of a session in space

/** What tests and curious people may look at. */
const seen = {
  roots: new Map<number, string>(), frameMs: [] as number[], camera, pictures: 0, picture: null as Picture | null,
  space: null as import('./space/space.js').SpacePage | null, slot: undefined as number | undefined,
  firstMs: undefined as number | undefined,
};
Object.assign(globalThis, { isostep: seen });

let canvas: Canvas | null = null;
let worker: Worker | null = null;
let picture: Picture | null = null;
let early: Picture3 | null = null; // in space; may come before its view
let spare: ArrayBuffer | null = null; // to be sent back
let isOpen = false; // a session: what comes late of one that was left is nobody's
let isAsked = false;
let isFitted = false;
let painted = 0; // pictures of this session
let plays = 0; // sessions that were opened
let joins = 0; // that the Worker has not begun: what it tells is of the session before

function post(request: Request, transfer: Transferable[] = []): void {
  worker?.postMessage(request, transfer);
}

// ---- the link to the Worker -------------------------------------------------------------------------

function hear(report: Report): void {
  if ((joins > 0 || !isOpen) && report.kind !== 'begun') {
    return;
  }
  switch (report.kind) {
    case 'begun':
      joins -= 1;
      break;
    case 'picture':
      isAsked = false;
      spare = picture?.words.buffer ?? null;
      seen.picture = picture = report.picture;
      if (painted === 0) {
        present(); // the first one need not wait for the screen
      }
      break;
    case 'space':
      void openSpace(plays);
      break;
    case 'picture3':
      isAsked = space === null; // the next one has only the looks that are new: this one waits for the view
      spare = seen.space?.picture?.words.buffer ?? null;
      early = report.picture;
      space?.take(early);
      break;
    case 'panel':
      for (const [tick, root] of report.panel.roots) {
        seen.roots.set(tick, root);
        seen.roots.delete(tick - 3600);
      }
      showPanel(report.panel);
      away.hear(report.panel.tick);
      break;
    case 'joined':
      seen.slot = report.slot;
      away.setRate(report.tickRateHz);
      setTimeout(() => void loadStart().catch(() => undefined), START_WAIT_MS);
      void control(report.slot === undefined ? WATCHING : controlsOf(report.game, report.controlLayout));
      showHints(controls, report.slot === undefined ? 'spectator' : 'player');
      show({ session: report.session, game: report.game });
      break;
    case 'place':
      keepPlace(report.place);
      break;
    case 'link':
      away.setLink(report.state);
      showLink(report.state, report.text);
      break;
    case 'state':
      showPaused(report.isPaused);
      break;
    case 'members':
      showMembers(report.members);
      break;
    case 'password':
      passwords.delete(asked);
      setText('password-label', report.isPerhaps ? 'Password, if it is private' : 'Password');
      byId('password-row').hidden = false;
      if (!report.isPerhaps) {
        byId('password').focus();
      }
      break;
    case 'notice':
      showNotice(report.text, report.deadlineMs);
      break;
    case 'note':
      showNote(report.text);
      break;
  }
}

function startWorker(): void {
  if (worker === null) {
    let isLoaded = false;
    worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'isostep' });
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      isLoaded = true;
      hear(data);
    };
    worker.onerror = () => {
      if (!isLoaded) { // it is of no use: who tries again starts another one
        worker?.terminate();
        worker = null;
        joins = 0;
      }
      if (isOpen) {
        showLink('ended', 'The solver could not be started.');
      }
    };
  }
}

/** Loads the view of a session in space. */
async function openSpace(of: number): Promise<void> {
  try {
    const { SpacePage } = await import('./space/space.js');
    if (of === plays) {
      seen.space = space = new SpacePage({
        theme, names, keys, post, slot: () => seen.slot, controls: () => controls, tool: () => tools.tool,
      });
      if (early) {
        space.take(early);
        isAsked = false;
      }
    }
  } catch (error) {
    if (of === plays) {
      showLink('ended', (error as Error).message);
    }
  }
}

/** Ends what is shown of a session. */
function closeSession(): void {
  isOpen = false;
  plays += 1;
  space?.remove();
  seen.space = space = early = null;
  away.reset();
}

function present(): void {
  if (space ? !space.picture : picture === null || picture.count === 0) {
    return;
  }
  const begun = performance.now();
  if (space) {
    space.paint();
  } else {
    paint(picture!);
  }
  seen.frameMs.push(performance.now() - begun);
  if (seen.frameMs.length >= 1200) {
    seen.frameMs.splice(0, 600);
  }
  seen.pictures += 1;
  seen.firstMs ??= seen.roots.size > 0 ? performance.now() : undefined;
}

function frame(): void {
  requestAnimationFrame(frame);
  if (!isOpen) {
    return;
  }
  present();
  if (!isAsked) {
    isAsked = true;
    const parts = PARTS.shapes | PARTS.game | (byId<HTMLInputElement>('show-joints').checked ? PARTS.joints : 0)
      | (byId<HTMLInputElement>('show-contacts').checked ? PARTS.contacts : 0);
    post({ kind: 'draw', parts, buffer: spare }, spare ? [spare] : []);
    spare = null;
  }
}

function paint(of: Picture): void {
  canvas!.resize();
  if (!isFitted && (of.player !== 0n || painted > FIT_WAIT)) { // the own body is a part of what is shown
    fit();
  }
  painted += 1;
  if (byId<HTMLInputElement>('follow').checked) {
    const place = painter.place(of, of.player);
    camera.x += place ? (place.x - camera.x) * FOLLOW_SHARE : 0;
    camera.y += place ? (place.y - camera.y) * FOLLOW_SHARE : 0;
  }
  mesh.clear();
  mesh.originX = camera.x;
  mesh.originY = camera.y;
  drawGrid(mesh, camera, theme());
  painter.paint(of, theme());
  tools.draw(mesh, theme());
  canvas!.draw(mesh, theme().background);
  showNames(of, camera, names);
}

function fit(): void {
  const { view } = controls;
  const box = picture && painter.bounds(picture, view === 'world');
  if (box) {
    const panel = byId('panel');
    const isBeside = !panel.hidden && camera.width > 640;
    camera.fit(box, isBeside ? 268 : 0, 68);
    const me = painter.place(picture!, picture!.player);
    if (!isFitted && me && view !== 'world') { // it may fall, or go, out of what is shown at first
      byId<HTMLInputElement>('follow').checked = true;
      if (camera.scale < SCALE_LEAST || typeof view === 'number') { // begin where it is
        camera.scale = typeof view === 'number' ? view : SCALE_LEAST;
        camera.x = me.x;
        camera.y = me.y;
      }
    }
    isFitted = true;
  }
}

// ---- pointer and keys -------------------------------------------------------------------------------

const keys = new Keys((block) => post({ kind: 'control', block }), {
  isShown: () => isOpen,
  zoom: (factor) => (space ?? camera).zoom(factor),
  fit: () => (space ? space.fit() : fit()),
  follow: () => byId<HTMLInputElement>('follow').click(),
  choose: (index) => controls.tools[index] !== undefined && choose(controls.tools[index]),
  restart: () => post({ kind: 'custom', payload: new Uint8Array([1]) }), // in every game of the library
});
const tools = new Tools((x, y, reach) => (picture ? painter.hit(picture, x, y, reach) : null), post, showNote, () => {
  byId<HTMLInputElement>('follow').checked = false;
});
const pointer = new Pointer(element, camera, tools);
const away = new Away(showNote);
let controls: Controls = WATCHING;

/** Takes the keys, the stick and the tools of a game. */
async function control(next: Controls): Promise<void> {
  controls = next;
  keys.setControls(next);
  showPad(next, keys);
  byId('tools').hidden = next.tools.length === 0;
  document.querySelectorAll<HTMLElement>('#tools button').forEach((button) => {
    const place = next.tools.indexOf(button.dataset.tool as ToolName);
    button.hidden = place < 0;
    button.title = button.title.replace(/\d/, String(place + 1)); // its key
  });
  choose(next.tools[0] ?? 'hand');
  pointer.handler = tools;
  if (next.tools.includes('cut')) {
    const { ClothPointer } = await import('./cloth.js');
    if (controls === next) {
      pointer.handler = new ClothPointer(tools, () => picture, post);
    }
  }
}

function choose(tool: ToolName): void {
  tools.cancel();
  tools.tool = tool;
  document.querySelectorAll<HTMLElement>('#tools button').forEach((button) => {
    button.setAttribute('aria-pressed', String(button.dataset.tool === tool));
  });
}

byId('tools').addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLElement>('button');
  if (button) {
    choose(button.dataset.tool as ToolName);
    if (event.detail > 0) { // by a pointer: the keys are the world's again
      (space?.stage.canvas ?? element).focus({ preventScroll: true });
    }
  }
});
byId('delay').addEventListener('input', () => {
  const ms = Number(byId<HTMLInputElement>('delay').value);
  byId('delay-text').textContent = `${ms} ms`;
  post({ kind: 'delay', ms });
});
byId('stall').addEventListener('click', () => post({ kind: 'stall', ms: 1000 }));
byId('flip').addEventListener('click', () => post({ kind: 'flip' }));

// ---- routes -------------------------------------------------------------------------------------------

function ownName(): string {
  const input = byId<HTMLInputElement>('name');
  if (input.value === '') {
    input.value = localStorage.getItem('name') || `guest-${Math.floor(100 + 900 * Math.random())}`;
  }
  return input.value;
}

let asked = ''; // the session that was joined last

function play(session: string, role: 'player' | 'spectator'): void {
  show({ view: 'play', session });
  try {
    canvas ??= new Canvas(element, camera);
  } catch (error) {
    showLink('ended', (error as Error).message);
    return;
  }
  canvas.clear(theme().background);
  closeSession();
  picture = spare = null;
  isFitted = isAsked = false;
  byId<HTMLInputElement>('follow').checked = false;
  painted = 0;
  seen.roots.clear();
  seen.firstMs = undefined;
  isOpen = true;
  startWorker();
  const socket = new URL('v1/socket', document.baseURI);
  socket.protocol = socket.protocol === 'https:' ? 'wss:' : 'ws:';
  socket.hash = '';
  const place = role === 'player' ? takePlace(session) : null;
  keepPlace(place); // until the server has given the next one
  joins += 1;
  // What was typed is of the session that has refused, and nobody else's.
  const field = byId<HTMLInputElement>('password');
  if (field.value !== '' && session === asked) {
    passwords.set(session, field.value);
  }
  field.value = '';
  asked = session;
  post({
    kind: 'join', socket: socket.href, sessions: new URL('api/sessions', document.baseURI).href, right: right(),
    session, name: place?.name ?? ownName(), role, resume: place?.token, password: passwords.get(session) ?? '',
  });
  byId('password-row').hidden = true;
  void control(WATCHING);
  showHints(WATCHING, null);
}

/** Recordings have a player of their own, which is loaded when one is opened, and follows the address by itself. */
const isRecorded = (): boolean => /^#\/r(\/|ecordings$)/.test(location.hash);

/** The list is a chunk of its own. In a session it is loaded later, so that it is there when the server is not. */
const loadStart = () => import('./start.js');

async function list(isChoosing: boolean): Promise<void> {
  const asked = location.hash;
  const found = await askSessions().catch(() => null); // the list says that the server does not answer
  if (location.hash !== asked) {
    return;
  }
  if (isChoosing && found?.sessions.length === 1) { // with one session there is nothing to choose
    location.replace(`#/s/${encodeURIComponent(found.sessions[0]!.name)}`);
    return;
  }
  const start = await loadStart().catch(() => null);
  if (location.hash !== asked) {
    return;
  }
  if (start) {
    show({ view: 'start' });
    start.openStart(found);
  } else {
    show({ view: 'play' });
    showLink(
      'ended', 'A part of the page did not load: the server does not answer, or has a new version. Reload the page.',
    );
  }
}

const sessionOf = (hash: string): RegExpExecArray | null => /^#\/s\/([^/]+)(\/watch)?$/.exec(hash);

function route(): void {
  takeToken();
  const [, session, watch] = sessionOf(location.hash) ?? [];
  ownName();
  if (session !== undefined) {
    play(unescaped(session), watch === undefined ? 'player' : 'spectator');
    return;
  }
  post({ kind: 'leave' });
  closeSession();
  keepPlace(null);
  keys.setControls(WATCHING);
  if (isRecorded()) {
    void import('./player/player.js').catch(() => isRecorded() && showLink('ended', 'The player could not be loaded.'));
  } else {
    void list(location.hash !== '#/sessions');
  }
}

byId('name').addEventListener('input', () => {
  const name = byId<HTMLInputElement>('name').value.trim();
  const isLong = new TextEncoder().encode(name).length > NAME_BYTES_MAX;
  byId('name-fault').textContent = isLong
    ? `This name is too long: it may have ${NAME_BYTES_MAX} bytes, of which some letters take two to four.`
    : '';
  if (!isLong) {
    localStorage.setItem('name', name);
  }
});
byId('name').addEventListener('change', ownName);
byId('share').addEventListener('click', () => {
  const session = unescaped(sessionOf(location.hash)?.[1] ?? '');
  void import('./share.js').then(
    ({ shareLink }) => shareLink(session), () => showNote('The link is the address of this page.'),
  );
});
byId('again').addEventListener('click', route);
byId('password').addEventListener('keydown', ({ key }) => key === 'Enter' && route());
byId('toggle').addEventListener('click', () => {
  const panel = byId('panel');
  panel.hidden = !panel.hidden;
  byId('toggle').setAttribute('aria-expanded', String(!panel.hidden));
});
addEventListener('hashchange', route);
if (document.documentElement.dataset.unsupported === undefined) { // public/support.js
  if (location.hash !== '#/sessions' && !isRecorded()) {
    startWorker(); // the module is compiled while the sessions are asked for
  }
  route();
  frame();
}
