// The recording player: routes #/recordings and #/r/NAME?tick=N&with=OTHER. Loaded when one of them is opened. All that
// is computed is computed in its Worker.
import './player.css';
import { Camera } from '../camera.js';
import { DARK, LIGHT, type Theme } from '../theme.js';
import { byId, showNote, unescaped } from '../view.js';
import { askRecordings, chooseFile, fillList, loadRecording, takeDrops, type FileRow } from './files.js';
import { Info } from './info.js';
import { listenForKeys } from './keys.js';
import { LIST, PLAYER, playIcon } from './markup.js';
import type { Eye, SpaceFigure } from '../space/space-figure.js';
import type { About, Frame, Proof, Report, Request, SideNumber } from './messages.js';
import { savePicture } from './save.js';
import { Stage } from './stage.js';
import { Timeline } from './timeline.js';

const LOCAL = 'file:'; // before the name of a file of this device
const LINK_MS = 300; // until the address names the tick
const PARTS = { shapes: 1, joints: 4, contacts: 8, game: 16 };
const WHAT = 'The recorded world. Drag to look around, scroll to zoom.';
const NOTHING: ReadonlySet<number> = new Set();
const NONE =
  'There is no recording on this server yet. A session is recorded with --record DIR, and is here when it has ended.';
const NO_OTHER = 'There is no other recording on this server. Choose a file.';

interface Place {
  readonly name: string;
  readonly other: string;
  readonly tick: number | undefined;
}

function parse(hash: string): Place | null {
  const [, name, query] = /^#\/r\/([^?]+)(?:\?(.*))?$/.exec(hash) ?? [];
  if (name === undefined) {
    return null;
  }
  const values = new URLSearchParams(query ?? '');
  const tick = /^\d+$/.test(values.get('tick') ?? '') ? Number(values.get('tick')) : undefined;
  return { name: unescaped(name), other: values.get('with') ?? '', tick };
}

function address(name: string, other = '', tick?: number): string {
  const values = [
    ...(tick === undefined ? [] : [`tick=${tick}`]), ...(other === '' ? [] : [`with=${encodeURIComponent(other)}`]),
  ];
  return `#/r/${encodeURIComponent(name)}${values.length > 0 ? `?${values.join('&')}` : ''}`;
}

function makeView(id: string, html: string): HTMLElement {
  const view = document.createElement('main');
  view.id = id;
  view.innerHTML = html;
  view.hidden = true;
  document.body.append(view);
  return view;
}

const list = makeView('recordings', LIST);
const view = makeView('player', PLAYER);
const dark = matchMedia('(prefers-color-scheme: dark)');
const theme = (): Theme => (dark.matches ? DARK : LIGHT);
const shortName = (name: string): string => (name.startsWith(LOCAL) ? name.slice(LOCAL.length) : name);

const files = new Map<string, File>(); // of this device
const camera = new Camera();
const info = new Info();
const timeline = new Timeline(byId('p-timeline'), seek);

let worker: Worker | null = null;
let place: Place | null = null; // what is open
let abouts: (About | null)[] = [null, null];
let stages: (Stage | SpaceFigure)[] = [];
let space: typeof import('../space/space-figure.js') | null = null; // when the recording is in space
let eye: Eye | null = null;
let frame: Frame | null = null;
let proof: Proof | null = null;
let loading = new AbortController();
let isWanted = false; // another frame
let isAsked = false;
let isFitted = false;
let isTickTyped = false;
let painted = '';
let linkTimer: ReturnType<typeof setTimeout> | undefined;
let known = ''; // the address that this player has taken or given
let firstSeek: number | undefined; // when all is open

/** What tests and curious people may look at. */
const seen = { frame: null as Frame | null, proof: null as Proof | null, frames: 0, seekMs: 0, camera };
Object.assign((globalThis as unknown as { isostep: object }).isostep, { player: seen });

function post(request: Request, transfer: Transferable[] = []): void {
  worker?.postMessage(request, transfer);
  isWanted = true;
}

// ---- the Worker ---------------------------------------------------------------------------------------

function startWorker(): void {
  worker = new Worker(new URL('./player.worker.ts', import.meta.url), { type: 'module', name: 'isostep-player' });
  worker.onmessage = ({ data }: MessageEvent<Report>) => hear(data);
  worker.onerror = () =>
    fail('The player could not be started', 'Its program could not be loaded. Load this page again.');
}

function stop(): void {
  loading.abort();
  loading = new AbortController(); // what was on the way is nobody's: that it ends is no fault
  worker?.terminate();
  worker = null;
  place = frame = proof = seen.frame = seen.proof = null;
  abouts = [null, null];
  stages.forEach((stage) => stage.remove());
  stages = [];
  space = eye = null;
  document.documentElement.classList.remove('in-space');
  isAsked = isWanted = isFitted = false;
  timeline.setProof(null);
  timeline.setDifference(undefined);
  clearTimeout(linkTimer);
  byId<HTMLDialogElement>('p-choose').close();
}

function hear(report: Report): void {
  switch (report.kind) {
    case 'opened':
      void opened(report.side, report.about);
      break;
    case 'failed':
      if (report.side === 0) {
        fail(report.title, report.text);
      } else {
        endComparison();
        showNote(`${report.title}: ${report.text}`);
      }
      break;
    case 'frame':
      isAsked = false;
      frame = seen.frame = report.frame;
      frame.sides.forEach((side, i) => stages[i]?.take(side));
      seen.frames += 1;
      isWanted ||= frame.isPlaying || frame.tick !== frame.target;
      show(frame);
      break;
    case 'proof':
      proof = seen.proof = report.proof;
      timeline.setProof(proof);
      info.showProof(proof);
      isWanted ||= !proof.isRunning;
      break;
    case 'comparing':
      info.showComparing(report.done, report.total);
      break;
    case 'compared':
      info.showDifference(report.difference);
      timeline.setDifference(report.difference.tick);
      if (report.difference.tick !== undefined && firstSeek === undefined) {
        seek(report.difference.stateTick!);
      }
      break;
    case 'broken':
      isAsked = false;
      info.showFrame(null, abouts);
      showNote(`The recording cannot be played on: ${report.text}`);
      break;
  }
}

// ---- opening ------------------------------------------------------------------------------------------

async function fetchBytes(name: string): Promise<ArrayBuffer> {
  const file = files.get(name);
  if (file) {
    return file.arrayBuffer();
  }
  if (name.startsWith(LOCAL)) {
    throw new Error('It was opened from this device. Choose the file again.');
  }
  const bar = byId<HTMLProgressElement>('p-loading-bar');
  return loadRecording(name, (share) => (bar.value = share), loading.signal);
}

async function load(side: SideNumber, name: string): Promise<void> {
  const own = loading;
  byId('p-loading-text').textContent = `Loading ${shortName(name)}`;
  byId<HTMLProgressElement>('p-loading-bar').value = 0;
  byId('p-loading').hidden = false;
  try {
    const bytes = await fetchBytes(name);
    if (own === loading) {
      post({ kind: 'open', side, bytes }, [bytes]);
    }
  } catch (error) {
    if (own === loading && side === 0) {
      fail('The recording could not be loaded', (error as Error).message);
    } else if (own === loading) {
      endComparison();
      showNote(`${shortName(name)} could not be loaded: ${(error as Error).message}`);
    }
  } finally {
    if (own === loading) {
      byId('p-loading').hidden = true;
    }
  }
}

function open(next: Place): void {
  stop();
  place = next;
  firstSeek = next.tick;
  byId('p-fault').hidden = true;
  byId('p-panel').hidden = innerWidth <= 900;
  byId('p-toggle').setAttribute('aria-expanded', String(!byId('p-panel').hidden));
  byId('p-name').textContent = shortName(next.name);
  document.title = `${shortName(next.name)} – Isostep`;
  info.clear();
  view.classList.remove('comparing');
  view.classList.add('empty');
  startWorker();
  try {
    stages = [new Stage(byId('p-stages'), camera, WHAT)];
  } catch (error) {
    fail('Nothing can be drawn', (error as Error).message);
    return;
  }
  stages[0]!.clear(theme());
  void load(0, next.name);
}

/** Takes the view of worlds in space. @return whether it is still wanted */
async function enterSpace(): Promise<boolean> {
  const own = worker;
  try {
    const loaded = await import('../space/space-figure.js');
    if (own === worker) {
      space = loaded;
      eye = new loaded.Eye();
      const first = new loaded.SpaceFigure(byId('p-stages'), eye, WHAT);
      stages.forEach((stage) => stage.remove());
      stages = [first];
      document.documentElement.classList.add('in-space');
    }
  } catch (error) {
    if (own === worker) {
      fail('Nothing can be drawn', (error as Error).message);
    }
    return false;
  }
  return own === worker;
}

async function opened(side: SideNumber, about: About): Promise<void> {
  if (side === 0 && about.dimensions === 3 && !(await enterSpace())) {
    return;
  }
  abouts[side] = about;
  view.classList.remove('empty');
  if (side === 0) {
    info.showAbout(about, (tick) => seek(tick));
  } else {
    view.classList.add('comparing');
    byId('p-name').textContent = `${shortName(place!.name)} and ${shortName(place!.other)}`;
    const what = 'The world of the other recording.';
    stages[1] ??=
      space && eye ? new space.SpaceFigure(byId('p-stages'), eye, what) : new Stage(byId('p-stages'), camera, what);
    info.showComparing(0, 1);
    isFitted = false;
  }
  timeline.open(abouts[0]!, range());
  byId('p-of').textContent = `of ${range()[1].toLocaleString('en')}`;
  if (side === 0 && place!.other !== '') {
    void load(1, place!.other);
  }
  if (firstSeek !== undefined) {
    post({ kind: 'seek', tick: firstSeek });
  }
  isWanted = true;
}

function range(): readonly [number, number] {
  const all = abouts.filter((about) => about !== null);
  return [Math.max(...all.map(({ firstTick }) => firstTick)), Math.min(...all.map(({ lastTick }) => lastTick))];
}

function fail(title: string, text: string): void {
  view.classList.add('empty');
  byId('p-fault-title').textContent = title;
  byId('p-fault-text').textContent = text;
  byId('p-fault').hidden = false;
  byId('p-loading').hidden = true;
}

function openFile(file: File): void {
  const name = `${LOCAL}${file.name}`;
  files.set(name, file);
  if (place?.name === name) {
    open({ name, other: '', tick: undefined });
  } else {
    location.hash = address(name);
  }
}

// ---- comparing ----------------------------------------------------------------------------------------

function compareWith(other: string): void {
  byId<HTMLDialogElement>('p-choose').close();
  if (place) {
    location.hash = address(place.name, other);
  }
}

function endComparison(): void {
  if (place) {
    post({ kind: 'close', side: 1 });
    place = { ...place, other: '' };
    abouts[1] = null;
    stages.splice(1).forEach((stage) => stage.remove());
    view.classList.remove('comparing');
    byId('p-name').textContent = shortName(place.name);
    info.showDifference(null);
    timeline.setDifference(undefined);
    if (abouts[0]) {
      timeline.open(abouts[0], range());
    }
    nameTick();
  }
}

async function choose(): Promise<void> {
  byId<HTMLDialogElement>('p-choose').showModal();
  const rows: FileRow[] = [...files].map(([name, { size }]) => ({ name, size, modified: '' }));
  const all = [...rows, ...(await askRecordings().catch(() => []))].filter(({ name }) => name !== place?.name);
  fillList('p-choose-list', all.map((row) => ({ ...row, name: shortName(row.name) })), () => '#', NO_OTHER);
  byId('p-choose-list').querySelectorAll('a').forEach((link, i) =>
    link.addEventListener('click', (event) => {
      event.preventDefault();
      compareWith(all[i]!.name);
    }),
  );
}

function chooseOther(): void {
  chooseFile((file) => {
    files.set(`${LOCAL}${file.name}`, file);
    compareWith(`${LOCAL}${file.name}`);
  });
}

// ---- time ---------------------------------------------------------------------------------------------

function seek(tick: number): void {
  if (abouts[0]) {
    const [first, last] = range();
    const to = Math.max(first, Math.min(last, tick));
    firstSeek = undefined;
    post({ kind: 'seek', tick: to });
    if (frame) {
      frame = { ...frame, target: to, isPlaying: false };
      show(frame);
    }
  }
}

const target = (): number => frame?.target ?? 0;
const speed = (): number => Number(byId<HTMLSelectElement>('p-speed').value);

function toggle(): void {
  if (abouts[0]) {
    firstSeek = undefined;
    post({ kind: 'play', speed: frame?.isPlaying ? 0 : speed() });
  }
}

function changeSpeed(by: number): void {
  const select = byId<HTMLSelectElement>('p-speed');
  select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
  if (frame?.isPlaying) {
    post({ kind: 'play', speed: speed() });
  }
}

/** The address names what is seen, so that it can be copied and found again. */
function nameTick(): void {
  clearTimeout(linkTimer);
  linkTimer = setTimeout(() => {
    // Another one is the user's, of which this page hears next: it must not be lost.
    if (place && frame && !frame.isPlaying && location.hash === known) {
      history.replaceState(null, '', address(place.name, place.other, frame.target));
      known = location.hash;
    }
  }, LINK_MS);
}

// ---- showing ------------------------------------------------------------------------------------------

function show(now: Frame): void {
  info.showFrame(now, abouts);
  const play = byId('p-play');
  if (play.dataset.playing !== String(now.isPlaying)) {
    play.dataset.playing = String(now.isPlaying);
    play.innerHTML = playIcon(now.isPlaying);
    play.setAttribute('aria-label', now.isPlaying ? 'Stop' : 'Play');
  }
  const wanted = speed();
  byId('p-real').textContent =
    now.isPlaying && now.speed < 0.9 * wanted ? `only ${now.speed.toFixed(1)}×: this machine cannot do more` : '';
  timeline.slider.value = String(now.target);
  timeline.slider.setAttribute('aria-valuetext', `tick ${now.target}`);
  const field = byId<HTMLInputElement>('p-tick');
  if (!isTickTyped) {
    field.value = String(now.target);
  }
  if (!now.isPlaying) {
    nameTick();
  }
}

function paint(now: Frame): void {
  if (!isFitted) { // what is on the way to the first tick may be elsewhere
    isFitted = now.tick === now.target;
    stages[0]!.fit(now.sides[0]!);
  }
  const marked = now.differing ? new Set(now.differing.bodies) : NOTHING;
  const hasNames = byId<HTMLInputElement>('p-names').checked;
  now.sides.forEach((side, i) => stages[i]?.paint(hasNames ? side : { ...side, players: [] }, theme(), marked));
}

function tick(): void {
  requestAnimationFrame(tick);
  if (view.hidden || worker === null || abouts[0] === null) {
    return;
  }
  if (frame) {
    const now = `${seen.frames} ${stages.map((stage) => stage.view).join(' ')} ${dark.matches}`;
    if (now !== painted && frame.sides.length <= stages.length) {
      paint(frame);
      painted = now;
    }
    timeline.draw(frame.tick, frame.target);
  }
  if (isWanted && !isAsked) {
    isWanted = false;
    isAsked = true;
    const parts = PARTS.shapes | PARTS.game | (byId<HTMLInputElement>('p-joints').checked ? PARTS.joints : 0)
      | (byId<HTMLInputElement>('p-contacts').checked ? PARTS.contacts : 0);
    worker.postMessage({ kind: 'frame', parts, buffers: [] } satisfies Request);
  }
}

function fit(): void {
  isFitted = false;
  painted = '';
}

async function copyLink(): Promise<void> {
  if (!place || !frame) {
    return;
  }
  if (place.name.startsWith(LOCAL) || place.other.startsWith(LOCAL)) {
    showNote('A file of this device has no link: only this tab has it.');
    return;
  }
  const tick = frame.target;
  const link = new URL(address(place.name, place.other, tick), document.baseURI).href;
  try {
    await navigator.clipboard.writeText(link);
    showNote(`The link to tick ${tick} is copied.`);
  } catch {
    showNote(link);
  }
}

function save(): void {
  if (place && frame) {
    paint(frame); // a canvas holds its picture until the task ends
    savePicture(stages.map(({ canvas }) => canvas), shortName(place.name), frame, theme());
  }
}

// ---- routes and buttons ---------------------------------------------------------------------------------

async function showList(): Promise<void> {
  let rows: FileRow[] | null = null;
  try {
    rows = await askRecordings();
  } catch {
    // the list says that the server does not answer
  }
  fillList('r-list', rows, (name) => address(name), NONE);
}

/** Shows what the address names, if it is the player's. */
function route(): void {
  known = location.hash;
  const next = parse(known);
  const isList = next === null && /^#\/r(\/|ecordings$)/.test(known); // also without a name
  list.hidden = !isList;
  view.hidden = next === null;
  if (next === null) {
    stop();
  }
  if (!isList && next === null) {
    return;
  }
  ['start', 'bar', 'play', 'panel', 'message'].forEach((id) => (byId(id).hidden = true));
  if (isList) {
    document.title = 'Recordings – Isostep';
    void showList();
  } else if (next!.name !== place?.name || next!.other !== place.other) {
    open(next!);
  } else if (next!.tick !== undefined) {
    seek(next!.tick);
  }
}

const clicks: Readonly<Record<string, () => void>> = {
  'p-play': toggle,
  'p-first': () => seek(range()[0]),
  'p-back': () => seek(target() - 1),
  'p-on': () => seek(target() + 1),
  'p-last': () => seek(range()[1]),
  'p-verify': () => post({ kind: 'verify', isOn: !proof?.isRunning }),
  'p-compare': () => void choose(),
  'p-compare-end': endComparison,
  'p-link': () => void copyLink(),
  'p-save': save,
  'p-fault-again': () => chooseFile(openFile),
  'p-choose-file': chooseOther,
  'p-choose-end': () => byId<HTMLDialogElement>('p-choose').close(),
  'p-difference-go': () => seek(info.differenceTick),
  'r-choose': () => chooseFile(openFile),
  'p-toggle': () => {
    const panel = byId('p-panel');
    panel.hidden = !panel.hidden;
    byId('p-toggle').setAttribute('aria-expanded', String(!panel.hidden));
  },
};
Object.entries(clicks).forEach(([id, act]) => byId(id).addEventListener('click', act));
byId('p-speed').addEventListener('change', () => changeSpeed(0));
['p-joints', 'p-contacts'].forEach((id) => byId(id).addEventListener('change', () => (isWanted = true)));
byId('p-names').addEventListener('change', () => (painted = ''));
dark.addEventListener('change', () => timeline.refresh());

const field = byId<HTMLInputElement>('p-tick');
field.addEventListener('focus', () => (isTickTyped = true));
field.addEventListener('blur', () => (isTickTyped = false));
field.addEventListener('change', () => {
  const typed = Number(field.value.replace(/[ ,]/g, ''));
  if (Number.isInteger(typed)) {
    seek(typed);
  }
  isTickTyped = false;
  field.value = String(target());
});

listenForKeys(view, {
  toggle,
  step: (ticks) => seek(target() + ticks),
  second: () => abouts[0]?.tickRateHz ?? 60,
  first: clicks['p-first']!,
  last: clicks['p-last']!,
  faster: changeSpeed,
  zoom: (factor) => stages[0]?.zoom(factor),
  fit,
});
takeDrops(document.body, (file) => (view.hidden && list.hidden ? undefined : openFile(file)));
addEventListener('hashchange', route);
setInterval(() => {
  if (!list.hidden && document.visibilityState === 'visible') {
    void showList();
  }
}, 3000);
tick();
route();
