// The player's Worker: one or two recordings, their worlds, and what is computed while nothing is asked.
import wasm from '#player/player.wasm?url';
import { Comparison } from '../../src/compare.js';
import { loadModule, type Module } from '../../src/module.js';
import type { About, Differing, Proof, Report, Request, Shown, SideNumber } from './messages.js';
import { openRecording, Unplayable } from './open.js';
import { Played, Walker } from './played.js';

const FRAME_MS = 14; // for one frame's ticks
const SLICE_MS = 12; // of what is computed in between
const PROOF_MS = 150; // between two reports
const SPEED_MS = 500; // over which the speed is measured
const DIFFERING_MAX = 4096; // indices of bodies: COMPARE_DIFFS_MAX

interface Side {
  readonly played: Played;
  readonly walker: Walker;
}

const scope = self as unknown as {
  postMessage(report: Report, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
};
const loading = loadModule(new URL(wasm, import.meta.url));
/** The module and the camera of worlds in space, which a recording of one loads. */
const loadSpace = () => import('../space/space-source.js');
const sides: [Side | null, Side | null] = [null, null];
const time = { at: 0, speed: 0, last: 0, since: 0, sinceAt: 0, measured: 0 };
let verifier: Walker | null = null;
let comparison: Comparison | null = null;
let lastProof = -Infinity;
let lastCompared = -Infinity;
let isProofDue = false;
let isPursuing = false;

const tell = (report: Report): void => scope.postMessage(report);
const hex = (root: bigint): string => root.toString(16).padStart(16, '0');
const both = (): Side[] => sides.filter((side) => side !== null);

// ---- opening ----------------------------------------------------------------------------------------

function about(played: Played, size: number, warning: string): About {
  const { recording, index } = played;
  const { build, session, sceneName, game, dimensions, epoch, tickRateHz } = recording.header;
  return {
    build, session, sceneName, game, dimensions, epoch, tickRateHz, size, warning,
    firstTick: played.firstTick, lastTick: played.lastTick, commandCount: recording.commandCount,
    keyframes: index.keyframes.map(({ tick }) => tick), events: index.events, activity: index.activity,
  };
}

function closeSide(side: SideNumber): void {
  stopComparing();
  if (side === 0) {
    stopVerifying();
  }
  if (sides[side]) {
    closeMade(sides[side]);
  }
  sides[side] = null;
}

function closeMade({ walker, played }: Side): void {
  walker.destroy();
  played.close();
}

async function load(dimensions: number): Promise<Module> {
  return dimensions === 3 ? (await loadSpace()).module() : loading;
}

async function makeWalker(played: Played): Promise<Walker> {
  return new Walker(played, played.recording.header.dimensions === 3 ? (await loadSpace()).Shooter : null);
}

async function makeSide(bytes: Uint8Array): Promise<{ side: Side; warning: string }> {
  const { recording, warning } = await openRecording(load, bytes);
  const played = new Played(recording);
  try {
    return { side: { played, walker: await makeWalker(played) }, warning };
  } catch (error) {
    played.close();
    throw new Unplayable(
      'The recording cannot be played', `Its first state cannot be used. ${(error as Error).message}`,
    );
  }
}

async function open({ side, bytes }: Extract<Request, { kind: 'open' }>): Promise<void> {
  try {
    closeSide(side);
    if (side === 0) {
      closeSide(1);
    }
    const made = await makeSide(new Uint8Array(bytes));
    if (side === 1 && sides[0]?.played.recording.module !== made.side.played.recording.module) {
      closeMade(made.side);
      throw new Unplayable(
        'They cannot be compared', 'One recording is of a world in the plane, the other of one in space.',
      );
    }
    sides[side] = made.side;
    time.at = side === 0 ? made.side.played.firstTick : time.at;
    time.speed = 0;
    tell({ kind: 'opened', side, about: about(made.side.played, bytes.byteLength, made.warning) });
    tellProof();
    if (side === 1) {
      compare();
    }
  } catch (error) {
    const title = error instanceof Unplayable ? error.title : 'The player could not be started';
    tell({ kind: 'failed', side, title, text: error instanceof Error ? error.message : String(error) });
  }
}

// ---- time -------------------------------------------------------------------------------------------

/** What both have. */
function range(): [first: number, last: number] {
  const all = both().map(({ played }) => played);
  return [Math.max(...all.map(({ firstTick }) => firstTick)), Math.min(...all.map(({ lastTick }) => lastTick))];
}

/** Lets the time pass that was since the last frame. */
function advance(now: number, last: number): void {
  const rate = sides[0]!.played.recording.header.tickRateHz;
  if (time.speed > 0) {
    time.at = Math.min(last, time.at + (Math.min(100, now - time.last) / 1000) * rate * time.speed);
    if (now - time.since > SPEED_MS) {
      time.measured = (((time.at - time.sinceAt) / rate) * 1000) / (now - time.since);
      [time.since, time.sinceAt] = [now, time.at];
    }
  }
  time.last = now;
}

function shown({ played, walker }: Side, what: number, part: number, buffer: ArrayBuffer | null): Shown {
  const { root } = walker.world;
  const recorded = played.index.rootOf(walker.tick);
  const common = {
    root: hex(root), judgement: played.judge(walker.tick, root), recorded: recorded === undefined ? '' : hex(recorded),
    players: played.players(walker.tick, walker.world),
  };
  const picture = walker.shoot(what, buffer, part);
  if (picture) {
    return {
      ...common, words: picture.words, count: 0, stride: 0,
      picture3: { ...picture, player: 0n, players: common.players },
    };
  }
  const packed = walker.draw(what, part);
  const size = packed.words.byteLength;
  const target = buffer !== null && buffer.byteLength >= size ? buffer : new ArrayBuffer(size + (size >> 2));
  const words = new Int32Array(target, 0, packed.words.length);
  words.set(packed.words);
  return { ...common, words, count: packed.count, stride: packed.stride, picture3: undefined };
}

/** Where the worlds differ that are shown. */
function differing(): Differing | undefined {
  const [a, b] = sides;
  if (!a || !b || a.walker.tick !== b.walker.tick || a.walker.world.root === b.walker.world.root) {
    return undefined;
  }
  const { module } = a.played.recording;
  const scratch = module.scratch(4 * DIFFERING_MAX + 32);
  const [bodies, count] = [scratch.take(4 * DIFFERING_MAX), scratch.take(4)];
  const fields = module.calls.iso_player_differing(a.walker.world.at, b.walker.world.at, bodies, count);
  const { view } = module.layout;
  const found = Array.from({ length: view.getUint32(count, true) }, (_, i) => view.getUint32(bodies + 4 * i, true));
  scratch.free();
  return { fields, bodies: found };
}

function frame({ parts, buffers }: Extract<Request, { kind: 'frame' }>): void {
  const all = both();
  if (all.length === 0) {
    return;
  }
  const now = performance.now();
  const [first, last] = range();
  advance(now, last);
  time.at = Math.max(first, Math.min(last, time.at));
  const isMoving = time.speed > 0;
  const target = Math.ceil(time.at);
  let isThere = true;
  all.forEach(({ walker }, i) => { // the second one goes to where the first one came
    isThere = walker.go(i === 0 ? target : all[0]!.walker.tick, now + FRAME_MS * (i + 1), isMoving) && isThere;
  });
  const { tick } = all[0]!.walker;
  if (isMoving && !isThere) {
    time.at = tick; // slower than it should be
  }
  const isPlaying = isMoving && time.at < last;
  time.speed = isPlaying ? time.speed : 0;
  const part = isPlaying && isThere ? 1 - (target - time.at) : 1;
  const pictures = all.map((side, i) => shown(side, parts, part, buffers[i] ?? null));
  scope.postMessage(
    {
      kind: 'frame', frame: { tick, target, isPlaying, speed: time.measured, sides: pictures, differing: differing() },
    },
    pictures.map(({ words }) => words.buffer),
  );
  isProofDue ||= isMoving || !isThere;
  if (isProofDue && (now - lastProof > PROOF_MS || (isThere && !isPlaying))) {
    tellProof();
  }
}

/** Goes to where the user wants to be, also between two frames, of which there may be few. */
function pursue(): void {
  const all = both();
  isPursuing = false;
  if (all.length === 0 || time.speed > 0) {
    return;
  }
  const until = performance.now() + SLICE_MS;
  const isThere = all.every(({ walker }) => walker.go(time.at, until));
  if (!isThere) {
    isPursuing = isProofDue = true;
    setTimeout(() => attempt(pursue));
  }
}

function seek(tick: number): void {
  if (sides[0]) {
    const [first, last] = range();
    time.speed = 0;
    time.at = Math.max(first, Math.min(last, tick));
    if (!isPursuing) {
      pursue();
    }
  }
}

function play(speed: number): void {
  const [first, last] = range();
  if (speed > 0 && time.at >= last) {
    time.at = first; // once more
  }
  time.last = time.since = performance.now();
  time.sinceAt = time.at;
  time.speed = time.measured = speed;
  time.at = speed > 0 ? time.at : Math.round(time.at);
}

// ---- verifying --------------------------------------------------------------------------------------

function tellProof(): void {
  const played = sides[0]?.played;
  if (played) {
    const proof: Proof = {
      bins: played.bins(), checked: played.checkedCount, total: played.lastTick - played.firstTick + 1,
      wrong: played.wrong,
      isRunning: verifier !== null,
    };
    tell({ kind: 'proof', proof });
    lastProof = performance.now();
    isProofDue = false;
  }
}

function stopVerifying(): void {
  verifier?.destroy();
  verifier = null;
}

/** A few ticks of all, with a world of its own. */
function verifySlice(): void {
  const played = sides[0]?.played;
  if (verifier === null || !played) {
    return;
  }
  const until = performance.now() + SLICE_MS;
  let next = played.nextUnchecked(played.firstTick);
  while (next !== undefined && performance.now() < until) {
    if (verifier.go(next - 1, until)) { // a state from the file or from memory proves nothing
      verifier.step();
    }
    next = played.nextUnchecked(next);
  }
  if (next === undefined) {
    stopVerifying();
    tellProof();
    return;
  }
  if (performance.now() - lastProof > PROOF_MS) {
    tellProof();
  }
  setTimeout(() => attempt(verifySlice));
}

function verify(isOn: boolean): void {
  const isRunning = verifier !== null;
  if (isOn && !isRunning && sides[0]) {
    verifier = new Walker(sides[0].played, null); // nobody sees it
    verifySlice();
  } else if (!isOn) {
    stopVerifying();
  }
  tellProof();
}

// ---- comparing --------------------------------------------------------------------------------------

function stopComparing(): void {
  comparison?.destroy();
  comparison = null;
}

function compareSlice(): void {
  if (comparison === null) {
    return;
  }
  if (comparison.run(performance.now() + SLICE_MS)) {
    tell({ kind: 'compared', difference: comparison.result() });
    stopComparing();
    return;
  }
  if (performance.now() - lastCompared > PROOF_MS) {
    tell({ kind: 'comparing', ...comparison.progress });
    lastCompared = performance.now();
  }
  setTimeout(() => attempt(compareSlice));
}

function compare(): void {
  stopComparing();
  comparison = new Comparison(sides[0]!.played.recording, sides[1]!.played.recording);
  compareSlice();
}

// ---- messages ---------------------------------------------------------------------------------------

/** What goes wrong on the way is said once; the player stops there. */
function attempt(what: () => void): void {
  try {
    what();
  } catch (error) {
    time.speed = 0;
    time.at = sides[0]?.walker.tick ?? time.at;
    stopVerifying();
    stopComparing();
    tell({ kind: 'broken', text: error instanceof Error ? error.message : String(error) });
  }
}

scope.onmessage = ({ data }) => {
  switch (data.kind) {
    case 'open':
      void open(data);
      break;
    case 'close':
      closeSide(data.side);
      break;
    case 'frame':
      attempt(() => frame(data));
      break;
    case 'seek':
      attempt(() => seek(data.tick));
      break;
    case 'play':
      attempt(() => play(data.speed));
      break;
    case 'verify':
      attempt(() => verify(data.isOn));
      break;
  }
};
