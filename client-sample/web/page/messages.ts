// What the page and its Worker tell each other. All of it is cloned or transferred: neither sees the other's memory.
import type { Command } from '../src/client.js';
import type { Member } from '../src/events.js';
import type { Shape3 } from '../src/space.js';
import type { Place, Thing } from './commands.js';
import type { Place as KeptPlace } from './place.js';

/** For so long a lost connection is tried again. */
export const RECONNECT_MS = 60000;

/** What the page asks of the Worker. */
export type Request =
  /**
   * @param sessions  the address of the list of sessions, which says in which kind of world this one is
   * @param right  headers for it
   */
  | {
      kind: 'join'; socket: string; sessions: string; right: Record<string, string>; session: string; name: string;
      role: 'player' | 'spectator'; resume: string | undefined; password: string;
    }
  | { kind: 'leave' }
  /** The next picture; the buffer of an earlier one comes back to be filled again. */
  | { kind: 'draw'; parts: number; buffer: ArrayBuffer | null }
  | { kind: 'control'; block: Uint8Array }
  /** Takes hold of a body; `force` is the most that the hand can do [N]. */
  | { kind: 'grab'; body: bigint; at: Place; force: number }
  /** The same by a command that makes the joint. */
  | { kind: 'hold'; command: Command }
  | { kind: 'move'; to: Place }
  | { kind: 'release' }
  | { kind: 'spawn'; thing: Thing; at: Place; velocity: Place }
  | { kind: 'connect'; a: bigint; at: Place; b: bigint; bt: Place }
  | { kind: 'destroy'; body: bigint }
  | { kind: 'command'; command: Command }
  /** A command that the game itself reads. */
  | { kind: 'custom'; payload: Uint8Array }
  /** Delays what is sent and received, or holds it back for a while. */
  | { kind: 'delay'; ms: number }
  | { kind: 'stall'; ms: number }
  /** Flips a bit of the own world. */
  | { kind: 'flip' };

/** A picture: packed draw items (src/display.ts). */
export interface Picture {
  readonly words: Int32Array<ArrayBuffer>;
  readonly count: number;
  readonly stride: number;
  /** The body that this member controls, or 0n. */
  readonly player: bigint;
  /** Where the bodies of all players are [m], and whose they are. */
  readonly players: readonly { readonly slot: number; readonly x: number; readonly y: number }[];
}

/** What a shape in space looks like: the hash of its geometry that shapes are told by, and the geometry. */
export interface Look {
  readonly hash: number;
  readonly shape: Shape3;
}

/** What a member of a race has done, as far as this tab has seen it. */
export interface Racer {
  readonly slot: number;
  /** Laps that are done; undefined: not known before the next one. */
  readonly laps: number | undefined;
  /** Check points that are passed in this lap. */
  readonly checks: number;
  /** [s] Of this lap, of the last and of the best one; undefined: not known. */
  readonly now: number | undefined;
  readonly last: number | undefined;
  readonly best: number | undefined;
}

/** A picture of a world in space: packed poses and shapes (src/space.ts). */
export interface Picture3 {
  /** The poses, then the shapes. */
  readonly words: Int32Array<ArrayBuffer>;
  readonly bodyCount: number;
  readonly bodyStride: number;
  readonly shapeCount: number;
  readonly shapeStride: number;
  /** Of joints and contacts, packed as SpaceView.linesPacked has them. */
  readonly lines: Int32Array;
  /** Those that no earlier picture of this world has told. */
  readonly looks: readonly Look[];
  readonly player: bigint;
  /** The bodies of all players, and whose they are. */
  readonly players: readonly { readonly slot: number; readonly body: bigint }[];
  /** Only in a race: its players, the first one first. */
  readonly race?: readonly Racer[];
}

/** What the panel shows; once for ten ticks or so. */
export interface Panel {
  readonly tick: number;
  readonly roundTripMs: number;
  readonly marginTicks: number | undefined;
  readonly rollbacks: number;
  readonly rootsChecked: number;
  readonly desyncs: number;
  /** How far this tab is behind the session, if it is; or ''. */
  readonly behind: string;
  readonly bytesPerSecond: number;
  /** The roots that were compared with the server's since the last panel, and are equal. */
  readonly roots: readonly (readonly [tick: number, root: string])[];
}

export type LinkState = 'connecting' | 'playing' | 'reconnecting' | 'wrong' | 'ended';

/** What the Worker tells the page. */
export type Report =
  /** What comes after this one is of the session that was joined last. Once for each `join`. */
  | { kind: 'begun' }
  | { kind: 'picture'; picture: Picture }
  /** The session is in space: it has other pictures. Before the first of them. */
  | { kind: 'space' }
  | { kind: 'picture3'; picture: Picture3 }
  | { kind: 'panel'; panel: Panel }
  | {
      kind: 'joined'; session: string; slot: number | undefined; game: string; controlLayout: string;
      tickRateHz: number;
    }
  /** What this tab can go on with when it is loaded anew. */
  | { kind: 'place'; place: KeptPlace | null }
  | { kind: 'link'; state: LinkState; text: string }
  /** Without players a session may pause. */
  | { kind: 'state'; isPaused: boolean }
  | { kind: 'members'; members: readonly Member[] }
  /** The session was not joined because it needs a password, or another one; or perhaps, if it is private. */
  | { kind: 'password'; isPerhaps: boolean }
  /** What whoever runs the server says; 0: without a time. */
  | { kind: 'notice'; text: string; deadlineMs: number }
  /** Something that the user should know of, once. */
  | { kind: 'note'; text: string };
