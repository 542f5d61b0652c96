// The Worker: the client and its solver. The page asks for pictures and gets packed arrays.
import wasm from '#module/isostep.wasm?url';
import { Client } from '../src/client.js';
import type { ClientEvents } from '../src/events.js';
import { IsostepError } from '../src/layout.js';
import { connectBodies, destroyBody, spawn } from './commands.js';
import { Hand } from './hand.js';
import { setDelay, slowSocket, stall } from './link.js';
import { RECONNECT_MS, type LinkState, type Picture, type Report, type Request } from './messages.js';
import { moduleAt } from './module.js';
import { Pace } from './pace.js';
import type { SessionRow } from './sessions.js';

const PANEL_MS = 200;
const SLOTS = 32; // that a session may have

const scope = self as unknown as {
  postMessage(report: Report, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
};
const module = moduleAt(new URL(wasm, import.meta.url));
module().catch(() => undefined); // joining tries again, and tells it

let client: Client | null = null;
let hand: Hand | null = null;
let roots: [number, string][] = [];
let pace = new Pace();
let stop: () => void = () => undefined;
/** Draws what the page has asked for before there was a world; null: it waits for nothing. */
let owed: (() => void) | null = null;
let hasWorld = false;
let joins = 0;
/** Draws a session in space. */
let drawer: import('./space/space-source.js').Drawer | null = null;

const tell = (report: Report): void => scope.postMessage(report);
const tellLink = (state: LinkState, text = ''): void => tell({ kind: 'link', state, text });

const hex = (root: bigint): string => root.toString(16).padStart(16, '0');

function tellPanel(of: Client, last: { bytes: number; time: number }): void {
  const stats = of.stats;
  const now = performance.now();
  const bytes = stats.bytesIn + stats.bytesOut;
  tell({
    kind: 'panel',
    panel: {
      tick: stats.lastTick,
      roundTripMs: stats.rttNs / 1e6,
      marginTicks: stats.isMarginKnown ? stats.marginQ8 / 256 : undefined,
      rollbacks: stats.rollbacks,
      rootsChecked: stats.rootsChecked,
      desyncs: stats.desyncs,
      behind: pace.sample(of.tick, of.backlog, of.welcome?.tickRateHz ?? 60, now),
      bytesPerSecond: ((bytes - last.bytes) * 1000) / Math.max(1, now - last.time),
      roots,
    },
  });
  roots = [];
  last.bytes = bytes;
  last.time = now;
}

const REFUSALS: Readonly<Record<string, string>> = {
  NOT_OWNER: 'That belongs to somebody else.',
  REFUSED: 'The game does not allow that.',
  QUOTA: 'You have as many as you may have.',
  STALE: 'It is gone.',
  RATE: 'Too fast: the server did not take it.',
  TICK_LATE: 'It came too late: the network or this device is slow now.',
};

function tellRefusal(of: Client, status: number): void {
  const name = of.module.statusName(status);
  tell({ kind: 'note', text: REFUSALS[name] ?? `Nothing happened: ${name}` });
}

/** Ends that the user should understand without the server's words. */
const ENDS: Readonly<Record<string, string>> = {
  PASSWORD: 'This session needs a password, or another one.',
  BANNED: 'You are banned here.',
  KICKED: 'You were removed from the session.',
};

/** What a module says of a session in the kind of world that it does not compute. */
const OTHER_WORLD = ['FINGERPRINT', 'UNKNOWN_NAME', 'UNSUPPORTED'];

const BY_ITSELF: readonly unknown[] = ['setTarget', 'setTarget3', 'destroyJoint'];

/** What comes of the own commands, but of those that the hand sends by itself. */
function tellResults(of: Client, commands: ClientEvents['tick']['commands']): void {
  for (const { slot, status, command } of commands) {
    if (slot === of.slot && status !== undefined && status !== 0 && !BY_ITSELF.includes(command.case)) {
      tellRefusal(of, status);
    }
  }
}

/** Says so when the connection was lost because this machine is too slow; else the other text. */
function complain(of: Client, status: number, text: string): string {
  const isSlow = ['SLOW_CONSUMER', 'TOO_SLOW', 'JOIN_TIMEOUT'].includes(of.module.statusName(status));
  return (isSlow && pace.complaint(performance.now())) || text;
}

const STATE_PAUSED = 3; // of a welcome

/** @param other  tries the other kind of world */
function listen(of: Client, name: string, other: (() => void) | null): void {
  /** A client that was left goes on until the server has heard of it: that is nobody's session any more. */
  const on: Client['on'] = (event, hear) => of.on(event, (detail) => of === client && hear(detail));
  const tellState = (): void => tell({ kind: 'state', isPaused: of.welcome!.state === STATE_PAUSED });
  const joined = ({ slot }: { slot: number | undefined }): void => {
    const { session, game, controlLayout, tickRateHz } = of.welcome!;
    tell({ kind: 'joined', session, slot, game, controlLayout, tickRateHz });
    tell({ kind: 'members', members: of.members });
    tellState();
    tellLink('playing');
  };
  on('welcome', ({ session }) =>
    tell({ kind: 'place', place: of.token === undefined ? null : { session, name, token: of.token } }),
  );
  on('joined', joined);
  on('resumed', joined);
  on('tick', ({ commands }: ClientEvents['tick']) => {
    tellResults(of, commands);
    const { lastTick, lastRoot } = of.stats; // what is proven, which is behind the tick that was stepped
    if (lastTick !== 0 && lastTick !== roots.at(-1)?.[0]) {
      roots.push([lastTick, hex(lastRoot)]);
    }
  });
  on('members', () => tell({ kind: 'members', members: of.members }));
  on('state', tellState);
  on('reconnecting', ({ status }) => {
    tellLink('reconnecting');
    const text = complain(of, status, '');
    if (text !== '') {
      tell({ kind: 'note', text });
    }
  });
  on('notice', (notice) => tell({ kind: 'notice', ...notice }));
  let wrong = '';
  on('desync', ({ tick, ours, theirs }) => {
    wrong = `Tick ${tick} was wrong: root ${hex(ours)} instead of ${hex(theirs)}.`;
    tellLink('wrong', `tick ${tick} is wrong`);
    tell({ kind: 'note', text: wrong });
  });
  on('healed', ({ tick }) => {
    tellLink('playing');
    tell({ kind: 'note', text: `${wrong} Healed with the server's world of tick ${tick}.` });
  });
  on('rewound', ({ firstTick, lastTick }) => {
    if (lastTick >= firstTick) {
      tell({
        kind: 'note',
        text: `The server has lost the ticks ${firstTick} to ${lastTick}. The world is as it was before them.`,
      });
    }
  });
  on('ended', ({ status, text, expected }) => {
    const code = of.module.statusName(status);
    if (other !== null && !hasWorld && OTHER_WORLD.includes(code)) {
      other();
      return;
    }
    tell({ kind: 'place', place: null });
    const reason = ENDS[code];
    const said = expected ? `${text} (expected: ${expected})` : text;
    tellLink(
      'ended',
      complain(
        of, status,
        reason === undefined
          ? said
          : [reason, code === 'PASSWORD' ? expected && `Expected: ${expected}.` : text].filter(Boolean).join(' '),
      ),
    );
    if (code === 'PASSWORD' || code === 'NO_SESSION') {
      tell({ kind: 'password', isPerhaps: code !== 'PASSWORD' });
    }
  });
  on('refused', ({ status }) => tellRefusal(of, status));
  hand = new Hand(of);
}

type Join = Extract<Request, { kind: 'join' }>;

/**
 * What the list says of the session's world; undefined: it is not there, or private. The server is asked while the
 * module of the plane is loaded.
 */
async function findDimensions({ sessions, right, session }: Join): Promise<number | undefined> {
  try {
    const list = (await (await fetch(sessions, { headers: right, signal: AbortSignal.timeout(8000) })).json()) as {
      sessions: SessionRow[];
    };
    return list.sessions.find(({ name }) => name === session)?.dimensions;
  } catch {
    return undefined; // the client will say that the server does not answer
  }
}

async function join(request: Join): Promise<void> {
  leave();
  const own = joins;
  tell({ kind: 'begun' });
  tellLink('connecting');
  const dimensions = await findDimensions(request);
  if (own === joins) {
    await enter(request, dimensions);
  }
}

/** @param dimensions  undefined: the plane is tried first */
async function enter(request: Join, dimensions: number | undefined): Promise<void> {
  const own = joins;
  const { socket, session, name, role, resume, password } = request;
  try {
    const space = dimensions === 3 ? await import('./space/space-source.js') : null;
    if (space && own === joins) {
      tell({ kind: 'space' });
    }
    const made = await Client.create({
      url: socket, session, name, role, password, reconnectMs: RECONNECT_MS,
      ...(resume === undefined ? {} : { resume }), webSocket: slowSocket, module: await (space?.module ?? module)(),
    });
    if (own !== joins) {
      made.destroy(); // the user has gone elsewhere
      return;
    }
    client = made;
    drawer = space && new space.Drawer(made);
    pace = new Pace();
    listen(made, name, dimensions === undefined ? () => {
      const asked = owed; // the page waits for it
      leave();
      owed = asked;
      void enter(request, 3);
    } : null);
    const last = { bytes: 0, time: performance.now() };
    const timer = setInterval(() => tellPanel(made, last), PANEL_MS);
    const begin = (): void => {
      hasWorld = true;
      tellPanel(made, last);
      owed?.();
      owed = null;
    };
    for (const first of ['tick', 'joined'] as const) { // in a session that is paused there is no tick
      void made.next(first).then(() => made !== client || hasWorld || begin(), () => undefined);
    }
    stop = () => {
      clearInterval(timer);
      made.leave().then(
        () => made.destroy(),
        () => made.destroy(),
      );
    };
    made.start();
  } catch (error) {
    if (own === joins) {
      tellLink('ended', error instanceof Error ? error.message : String(error));
    }
  }
}

function leave(): void {
  const end = stop;
  stop = () => undefined;
  drawer?.free();
  client = hand = owed = drawer = null;
  joins += 1;
  hasWorld = false;
  roots = [];
  end(); // which may be heard at once
}

/** Where the members' bodies are, for their names. */
function findPlayers(of: Client): Picture['players'] {
  const players: { slot: number; x: number; y: number }[] = [];
  for (let slot = 0; slot < SLOTS; ++slot) {
    const pose = of.playerPoseOf(slot);
    if (pose) {
      players.push({ slot, x: pose.x, y: pose.y });
    }
  }
  return players;
}

function connectAt({ a, at, b, bt }: Extract<Request, { kind: 'connect' }>): void {
  const poses = client?.poses() ?? [];
  const [first, second] = [a, b].map((body) => poses.find((pose) => pose.body === body));
  if (first && second) {
    client!.command(connectBodies(first, at, second, bt));
  }
}

/** Copies the picture out of the module's memory, into the buffer of an earlier one if that is large enough. */
function draw(parts: number, buffer: ArrayBuffer | null): void {
  if (client !== null && !hasWorld) {
    owed = () => draw(parts, buffer);
    return;
  }
  if (drawer) {
    const picture = drawer.draw(parts, buffer);
    scope.postMessage({ kind: 'picture3', picture }, [picture.words.buffer]);
    return;
  }
  const packed = client?.draw(parts) ?? { words: new Int32Array(0), count: 0, stride: 0 };
  const size = packed.words.byteLength;
  const target = buffer !== null && buffer.byteLength >= size ? buffer : new ArrayBuffer(size + (size >> 2));
  const words = new Int32Array(target, 0, packed.words.length);
  words.set(packed.words);
  const player = client?.playerBody ?? 0n;
  const players = client === null ? [] : findPlayers(client);
  scope.postMessage(
    { kind: 'picture', picture: { words, count: packed.count, stride: packed.stride, player, players } }, [target],
  );
}

/** A command that the client cannot take is no reason to stop drawing. */
function attempt(what: () => void): void {
  try {
    what();
  } catch (error) {
    if (!(error instanceof IsostepError)) {
      throw error;
    }
    tell({ kind: 'note', text: error.message });
  }
}

scope.onmessage = ({ data }) => {
  switch (data.kind) {
    case 'join':
      void join(data);
      break;
    case 'leave':
      leave();
      break;
    case 'draw':
      draw(data.parts, data.buffer);
      break;
    case 'control':
      attempt(() => client?.setControl(data.block));
      break;
    case 'grab':
      attempt(() => hand?.grab(data.body, data.at, data.force));
      break;
    case 'hold':
      attempt(() => hand?.take(data.command));
      break;
    case 'move':
      attempt(() => hand?.move(data.to));
      break;
    case 'release':
      attempt(() => hand?.release());
      break;
    case 'spawn':
      attempt(() => client?.command(spawn(data.thing, data.at, data.velocity)));
      break;
    case 'connect':
      attempt(() => connectAt(data));
      break;
    case 'destroy':
      attempt(() => client?.command(destroyBody(data.body)));
      break;
    case 'command':
      attempt(() => client?.command(data.command));
      break;
    case 'custom':
      attempt(() => client?.command({ case: 'custom', value: { payload: data.payload } }));
      break;
    case 'delay':
      setDelay(data.ms);
      break;
    case 'stall':
      stall(data.ms);
      break;
    case 'flip':
      attempt(() => client?.flip());
      break;
  }
};
