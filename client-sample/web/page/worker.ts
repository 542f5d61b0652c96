// The Worker: the client and its solver. The page asks for pictures and gets packed arrays.
import wasm from '#module/isostep.wasm?url';
import { Client } from '../src/client.js';
import { type ClientEvents } from '../src/events.js';
import { IsostepError } from '../src/layout.js';
import { loadModule } from '../src/module.js';
import { Hand } from './hand.js';
import { type LinkState, type Report, type Request } from './messages.js';

const PANEL_MS = 200;

const scope = self as unknown as {
  postMessage(report: Report, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
};
const module = loadModule(new URL(wasm, import.meta.url));
module.catch(() => undefined); // joining tells it

let client: Client | null = null;
let hand: Hand | null = null;
let roots: [number, string][] = [];
let stop: () => void = () => undefined;

const tell = (report: Report): void => scope.postMessage(report);
const tellLink = (state: LinkState, text = ''): void => tell({ kind: 'link', state, text });

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
};

function listen(of: Client): void {
  const note = (status: number): void => {
    const name = of.module.statusName(status);
    tell({ kind: 'note', text: REFUSALS[name] ?? `Nothing happened: ${name}` });
  };
  const joined = ({ slot }: { slot: number | undefined }): void => {
    const { session, game, controlLayout, tickRateHz } = of.welcome!;
    tell({ kind: 'joined', session, slot, game, controlLayout, tickRateHz });
    tell({ kind: 'members', members: of.members });
    tellLink('playing');
  };
  of.on('joined', joined);
  of.on('resumed', joined);
  of.on('tick', ({ tick }: ClientEvents['tick']) => {
    if (of.tick === tick) { // of several at once only the last one's is known
      roots.push([tick, of.root.toString(16).padStart(16, '0')]);
    }
  });
  of.on('members', () => tell({ kind: 'members', members: of.members }));
  of.on('reconnecting', () => tellLink('reconnecting'));
  of.on('desync', ({ tick }) => tellLink('wrong', `Tick ${tick} is not as the server has it.`));
  of.on('healed', ({ tick }) => {
    tellLink('playing');
    tell({ kind: 'note', text: `The world was wrong, and is healed at tick ${tick}.` });
  });
  of.on('ended', ({ text, expected }) => tellLink('ended', expected ? `${text} (expected: ${expected})` : text));
  hand = new Hand(of, note);
}

async function join({ socket, session, name }: Extract<Request, { kind: 'join' }>): Promise<void> {
  leave();
  tellLink('connecting');
  try {
    const made = await Client.create({ url: socket, session, name, module: await module });
    client = made;
    listen(made);
    const last = { bytes: 0, time: performance.now() };
    const timer = setInterval(() => tellPanel(made, last), PANEL_MS);
    stop = () => {
      clearInterval(timer);
      made.leave().then(
        () => made.destroy(),
        () => made.destroy(),
      );
    };
    made.start();
  } catch (error) {
    tellLink('ended', error instanceof Error ? error.message : String(error));
  }
}

function leave(): void {
  stop();
  stop = () => undefined;
  client = hand = null;
}

/** Copies the picture out of the module's memory, into the buffer of an earlier one if that is large enough. */
function draw(parts: number, buffer: ArrayBuffer | null): void {
  const packed = client?.draw(parts) ?? { words: new Int32Array(0), count: 0, stride: 0 };
  const size = packed.words.byteLength;
  const target = buffer !== null && buffer.byteLength >= size ? buffer : new ArrayBuffer(size + (size >> 2));
  const words = new Int32Array(target, 0, packed.words.length);
  words.set(packed.words);
  const player = client?.playerBody ?? 0n;
  scope.postMessage({ kind: 'picture', picture: { words, count: packed.count, stride: packed.stride, player } }, [target]);
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
      attempt(() => hand?.grab(data.body, data.x, data.y, data.force));
      break;
    case 'move':
      attempt(() => hand?.move(data.x, data.y));
      break;
    case 'release':
      attempt(() => hand?.release());
      break;
  }
};
