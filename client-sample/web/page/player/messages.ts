// What the player's page and its Worker tell each other.
import type { Picture3 } from '../messages.js';
import type { Difference } from '../../src/compare.js';
import type { RecordedEvent } from '../../src/recording.js';

/** The left and the right one of two that are compared; one alone is the left one. */
export type SideNumber = 0 | 1;

export type Request =
  | { kind: 'open'; side: SideNumber; bytes: ArrayBuffer }
  /** Ends the comparison: the right one is closed. */
  | { kind: 'close'; side: 1 }
  /** The next pictures; the buffers of earlier ones come back to be filled again. */
  | { kind: 'frame'; parts: number; buffers: (ArrayBuffer | null)[] }
  /** Stops, and goes to the state after a tick. */
  | { kind: 'seek'; tick: number }
  /** @param speed  1 is that of the session; 0 stops */
  | { kind: 'play'; speed: number }
  | { kind: 'verify'; isOn: boolean };

export interface TimedEvent extends RecordedEvent {
  /** The tick after which it stands in the file. */
  readonly tick: number;
}

/** What is known of a recording when it is open. */
export interface About {
  readonly session: string;
  readonly sceneName: string;
  readonly game: string;
  readonly dimensions: number;
  readonly build: string;
  readonly epoch: number;
  readonly tickRateHz: number;
  readonly firstTick: number;
  readonly lastTick: number;
  readonly commandCount: number;
  readonly size: number; // [bytes]
  readonly keyframes: readonly number[]; // ticks
  readonly events: readonly TimedEvent[];
  /** How much came in, along the time: 0 to 1 for each of ACTIVITY_BINS parts. */
  readonly activity: Float32Array;
  /** What is missing at its end. */
  readonly warning: string;
}

export const ACTIVITY_BINS = 256;

/** Of a part of the time: the share of its ticks that was verified, 0 to 100, or WRONG. */
export const PROOF_BINS = 512;
export const WRONG = 255;

export interface Proof {
  readonly bins: Uint8Array;
  readonly checked: number; // ticks
  readonly total: number;
  /** The first tick whose root is not that of the file. */
  readonly wrong: number | undefined;
  readonly isRunning: boolean;
}

/** What the file says of the root of a tick: nothing, the same, or another one. */
export type Judgement = 'unknown' | 'right' | 'wrong';

export interface Player {
  readonly slot: number;
  readonly body: bigint;
  readonly name: string;
}

/** One side of a frame. */
export interface Shown {
  readonly words: Int32Array<ArrayBuffer>;
  readonly count: number;
  readonly stride: number;
  readonly root: string;
  readonly judgement: Judgement;
  /** The root in the file. */
  readonly recorded: string;
  readonly players: readonly Player[];
  /** In space, where `words` are its and there are no items. */
  readonly picture3: Picture3 | undefined;
}

/** Where the two worlds differ at the tick that is shown. */
export interface Differing {
  readonly fields: number;
  readonly bodies: readonly number[]; // indices
}

export interface Frame {
  readonly tick: number;
  /** Where it is going. */
  readonly target: number;
  readonly isPlaying: boolean;
  /** How fast it plays in truth. */
  readonly speed: number;
  readonly sides: readonly Shown[];
  readonly differing: Differing | undefined;
}

export type Report =
  | { kind: 'ready' }
  | { kind: 'opened'; side: SideNumber; about: About }
  | { kind: 'failed'; side: SideNumber; title: string; text: string }
  | { kind: 'frame'; frame: Frame }
  | { kind: 'proof'; proof: Proof }
  | { kind: 'comparing'; done: number; total: number }
  | { kind: 'compared'; difference: Difference }
  | { kind: 'broken'; text: string };
