// The page: routes, panel, pointer and keys. What it draws comes from the Worker.
import { Camera } from './camera.js';
import { Canvas } from './canvas.js';
import { drawGrid } from './grid.js';
import { Keys, Pointer } from './input.js';
import { Mesh } from './mesh.js';
import type { Picture, Report, Request } from './messages.js';
import { Painter } from './picture.js';
import { keepPlace, takePlace } from './place.js';
import { askSessions, type SessionRow } from './sessions.js';
import { showNames } from './names.js';
import { TOOLS, Tools, type ToolName } from './tools.js';
import { DARK, LIGHT, type Theme } from './theme.js';
import { byId, names, show, showLink, showMembers, showNote, showPanel, showSessions } from './view.js';

const PARTS = { shapes: 1, joints: 4, contacts: 8, game: 16 };
const SCALE_LEAST = 20; // [px/m] at which bodies can be seen and touched
const FIT_WAIT = 20; // [pictures] for a game in which members have no body
const FOLLOW_SHARE = 0.12; // of the way to the own body, each frame

const element = byId<HTMLCanvasElement>('world');
const camera = new Camera();
const mesh = new Mesh();
const painter = new Painter(mesh, camera);
const dark = matchMedia('(prefers-color-scheme: dark)');
const theme = (): Theme => (dark.matches ? DARK : LIGHT);

/** What tests and curious people may look at. */
const seen = { roots: new Map<number, string>(), frameMs: [] as number[], camera, pictures: 0, picture: null as Picture | null, slot: undefined as number | undefined, firstMs: undefined as number | undefined };
Object.assign(globalThis, { isostep: seen });

let canvas: Canvas | null = null;
let worker: Worker | null = null;
let picture: Picture | null = null;
let spare: ArrayBuffer | null = null; // to be sent back
let isAsked = false;
let isFitted = false;
let painted = 0; // pictures of this session

function post(request: Request, transfer: Transferable[] = []): void {
  worker?.postMessage(request, transfer);
}

// ---- the link to the Worker -------------------------------------------------------------------------

function hear(report: Report): void {
  switch (report.kind) {
    case 'picture':
      isAsked = false;
      spare = picture?.words.buffer ?? null;
      seen.picture = picture = report.picture;
      break;
    case 'panel':
      for (const [tick, root] of report.panel.roots) {
        seen.roots.set(tick, root);
        seen.roots.delete(tick - 3600);
      }
      showPanel(report.panel);
      break;
    case 'joined':
      seen.slot = report.slot;
      keys.setLayout(report.controlLayout);
      show({ session: report.session, game: report.game });
      break;
    case 'place':
      keepPlace(report.place);
      break;
    case 'link':
      showLink(report.state, report.text);
      break;
    case 'members':
      showMembers(report.members);
      break;
    case 'note':
      showNote(report.text);
      break;
  }
}

function startWorker(): void {
  if (worker === null) {
    worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'isostep' });
    worker.onmessage = ({ data }: MessageEvent<Report>) => hear(data);
    worker.onerror = () => showLink('ended', 'The solver could not be started.');
  }
}

function frame(): void {
  requestAnimationFrame(frame);
  if (worker === null || canvas === null) {
    return;
  }
  if (picture !== null && picture.count > 0) {
    const begun = performance.now();
    paint(picture);
    seen.frameMs.push(performance.now() - begun);
    if (seen.frameMs.length >= 1200) {
      seen.frameMs.splice(0, 600);
    }
    seen.pictures += 1;
    seen.firstMs ??= seen.roots.size > 0 ? performance.now() : undefined;
  }
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
  const box = picture && painter.bounds(picture);
  if (box) {
    const panel = byId('panel');
    const isBeside = !panel.hidden && camera.width > 640;
    camera.fit(box, isBeside ? 268 : 0, 68);
    const me = painter.place(picture!, picture!.player);
    if (!isFitted && camera.scale < SCALE_LEAST && me) { // a small screen begins where the own body is
      camera.scale = SCALE_LEAST;
      camera.x = me.x;
      camera.y = me.y;
      byId<HTMLInputElement>('follow').checked = true;
    }
    isFitted = true;
  }
}

// ---- pointer and keys -------------------------------------------------------------------------------

const keys = new Keys((block) => post({ kind: 'control', block }), {
  zoom: (factor) => camera.zoom(factor),
  fit,
  follow: () => byId<HTMLInputElement>('follow').click(),
  choose: (index) => TOOLS[index] !== undefined && choose(TOOLS[index]),
});
keys.addButtons(byId('pad'));
const tools = new Tools((x, y, reach) => (picture ? painter.hit(picture, x, y, reach) : null), post, showNote, () => {
  byId<HTMLInputElement>('follow').checked = false;
});
new Pointer(element, camera, tools);

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
    input.value = localStorage.getItem('name') ?? `guest-${Math.floor(100 + 900 * Math.random())}`;
  }
  return input.value;
}

function play(session: string, role: 'player' | 'spectator'): void {
  show({ view: 'play', session });
  try {
    canvas ??= new Canvas(element, camera);
  } catch (error) {
    showLink('ended', (error as Error).message);
    return;
  }
  canvas.clear(theme().background);
  picture = spare = null;
  isFitted = isAsked = false;
  painted = 0;
  seen.roots.clear();
  seen.firstMs = undefined;
  startWorker();
  const socket = new URL('v1/socket', document.baseURI);
  socket.protocol = socket.protocol === 'https:' ? 'wss:' : 'ws:';
  socket.hash = '';
  const place = role === 'player' ? takePlace(session) : null;
  keepPlace(place); // until the server has given the next one
  post({ kind: 'join', socket: socket.href, session, name: place?.name ?? ownName(), role, resume: place?.token });
  byId('tools').hidden = byId('pad').hidden = role === 'spectator';
}

/** Recordings have a player of their own, which is loaded when one is opened, and follows the address by itself. */
const isRecorded = (): boolean => /^#\/r(\/|ecordings$)/.test(location.hash);

async function list(isChoosing: boolean): Promise<void> {
  let rows: SessionRow[] | null = null;
  try {
    rows = await askSessions();
  } catch {
    // the list says that the server does not answer
  }
  if (isRecorded()) {
    return;
  }
  if (isChoosing && rows?.length === 1) { // with one session there is nothing to choose
    location.replace(`#/s/${encodeURIComponent(rows[0]!.name)}`);
    return;
  }
  show({ view: 'start' });
  showSessions(rows);
}

function route(): void {
  const [, session, watch] = /^#\/s\/([^/]+)(\/watch)?$/.exec(location.hash) ?? [];
  ownName();
  if (session !== undefined) {
    play(decodeURIComponent(session), watch === undefined ? 'player' : 'spectator');
    return;
  }
  post({ kind: 'leave' });
  keepPlace(null);
  if (isRecorded()) {
    void import('./player/player.js').catch(() => showLink('ended', 'The player could not be loaded.'));
  } else {
    void list(location.hash !== '#/sessions');
  }
}

byId('name').addEventListener('change', () => {
  localStorage.setItem('name', byId<HTMLInputElement>('name').value.trim());
  ownName();
});
byId('again').addEventListener('click', route);
byId('toggle').addEventListener('click', () => {
  const panel = byId('panel');
  panel.hidden = !panel.hidden;
  byId('toggle').setAttribute('aria-expanded', String(!panel.hidden));
});
addEventListener('hashchange', route);
setInterval(() => {
  if (!byId('start').hidden && document.visibilityState === 'visible') {
    void list(false);
  }
}, 3000);
if (location.hash !== '#/sessions' && !isRecorded()) {
  startWorker(); // the module is compiled while the sessions are asked for
}
route();
frame();
