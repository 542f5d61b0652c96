// What the page and its Worker tell each other. All of it is cloned or transferred: neither sees the other's memory.
import { type Member } from '../src/events.js';

/** What the page asks of the Worker. */
export type Request =
  | { kind: 'join'; socket: string; session: string; name: string }
  | { kind: 'leave' }
  /** The next picture; the buffer of an earlier one comes back to be filled again. */
  | { kind: 'draw'; parts: number; buffer: ArrayBuffer | null }
  | { kind: 'control'; block: Uint8Array }
  /** Takes hold of a body at a point of the world [m]; `force` is the most that the hand can do [N]. */
  | { kind: 'grab'; body: bigint; x: number; y: number; force: number }
  | { kind: 'move'; x: number; y: number }
  | { kind: 'release' };

/** A picture: packed draw items (src/display.ts). */
export interface Picture {
  readonly words: Int32Array<ArrayBuffer>;
  readonly count: number;
  readonly stride: number;
  /** The body that this member controls, or 0n. */
  readonly player: bigint;
}

/** What the panel shows; once for ten ticks or so. */
export interface Panel {
  readonly tick: number;
  readonly roundTripMs: number;
  readonly marginTicks: number | undefined;
  readonly rollbacks: number;
  readonly rootsChecked: number;
  readonly desyncs: number;
  readonly bytesPerSecond: number;
  /** The roots of the own world after the ticks since the last panel, which the server has sealed. */
  readonly roots: readonly (readonly [tick: number, root: string])[];
}

export type LinkState = 'connecting' | 'playing' | 'reconnecting' | 'wrong' | 'ended';

/** What the Worker tells the page. */
export type Report =
  | { kind: 'picture'; picture: Picture }
  | { kind: 'panel'; panel: Panel }
  | { kind: 'joined'; session: string; slot: number | undefined; game: string; controlLayout: string; tickRateHz: number }
  | { kind: 'link'; state: LinkState; text: string }
  | { kind: 'members'; members: readonly Member[] }
  /** Something that the user should know of, once. */
  | { kind: 'note'; text: string };
