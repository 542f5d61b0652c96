// What is drawn, as packed arrays: wasm/client.c has the words. An array is valid until the next call of the client.
import { type Module } from './module.js';

/** Parts of the world that can be drawn, as bits: isostep/draw.h. */
export const Draw = { SHAPES: 1, BODIES: 2, JOINTS: 4, CONTACTS: 8, GAME: 16, ALL: 31 } as const;

/** What an item is: its `kind`. */
export const DrawKind = { CIRCLE: 1, CAPSULE: 2, POLYGON: 3, LINE: 4, POINT: 5, ARROW: 6, ARC: 7 } as const;

/** What it means: its `role`. */
export const DrawRole = {
  OUTLINE: 1, HEADING: 2, CENTRE: 3, ANCHOR: 4, LEVER: 5, LINK: 6, SPRING: 7, LIMIT: 8, ANGLE: 9, MOTOR: 10, TOUCH: 11,
  NORMAL: 12, AXIS: 13,
  MARK: 14,
} as const;

/** One metre, or one radian, in the numbers of the arrays. */
export const UNIT = 65536;
const TURN = 2 ** 32;

/** Records of equal size in one array. */
export interface Packed {
  readonly words: Int32Array;
  readonly count: number;
  /** Words of a record. */
  readonly stride: number;
}

export interface Pose {
  /** The body's handle. */
  readonly body: bigint;
  /** [m] of the body's origin. */
  readonly x: number;
  readonly y: number;
  /** [rad] 0 to 2π. */
  readonly angle: number;
}

export interface DrawItem {
  readonly kind: number; // DrawKind
  readonly role: number; // DrawRole
  readonly part: number; // Draw
  readonly bodyType: number;
  readonly jointKind: number;
  readonly isAsleep: boolean;
  readonly isActive: boolean;
  readonly ownerSlot: number;
  readonly body: bigint;
  readonly shape: bigint;
  readonly joint: bigint;
  readonly contact: number;
  readonly radius: number; // [m]
  readonly radiusB: number;
  readonly angleFrom: number; // [rad]
  readonly angleTo: number;
  readonly points: readonly { readonly x: number; readonly y: number }[]; // [m]
}

const handle = (words: Int32Array, at: number): bigint =>
  (BigInt(words[at + 1]! >>> 0) << 32n) | BigInt(words[at]! >>> 0);

export function poseAt(packed: Packed, index: number): Pose {
  const { words } = packed;
  const at = index * packed.stride;
  return {
    body: handle(words, at), x: words[at + 2]! / UNIT, y: words[at + 3]! / UNIT,
    angle: ((words[at + 4]! >>> 0) / TURN) * 2 * Math.PI,
  };
}

export function itemAt(packed: Packed, index: number): DrawItem {
  const { words } = packed;
  const at = index * packed.stride;
  const head = words[at]! >>> 0;
  const more = words[at + 1]! >>> 0;
  const points = Array.from({ length: (more >>> 8) & 0xff }, (_, i) => ({
    x: words[at + 15 + 2 * i]! / UNIT,
    y: words[at + 16 + 2 * i]! / UNIT,
  }));
  return {
    kind: head & 0xff,
    role: (head >>> 8) & 0xff,
    part: (head >>> 16) & 0xff,
    bodyType: head >>> 24,
    jointKind: more & 0xff,
    isAsleep: (more & 0x10000) !== 0,
    isActive: (more & 0x20000) !== 0,
    ownerSlot: words[at + 2]!,
    body: handle(words, at + 4),
    shape: handle(words, at + 6),
    joint: handle(words, at + 8),
    contact: words[at + 10]! >>> 0,
    radius: words[at + 11]! / UNIT,
    radiusB: words[at + 12]! / UNIT,
    angleFrom: words[at + 13]! / UNIT,
    angleTo: words[at + 14]! / UNIT,
    points,
  };
}

/** An array in the module's memory that grows with what is written into it. */
export class PackedBuffer {
  private at = 0;
  private capacity = 0;

  constructor(
    private readonly module: Module,
    private readonly stride: number,
  ) {}

  /** @param write  writes up to `capacity` records to an address and returns how many there are */
  fill(write: (at: number, capacity: number) => number): Packed {
    let count = write(this.at, this.capacity);
    if (count > this.capacity) {
      this.free();
      const capacity = count + (count >> 2);
      this.at = this.module.take(4 * capacity * this.stride);
      this.capacity = capacity;
      count = write(this.at, this.capacity);
    }
    const words = new Int32Array(this.module.calls.memory.buffer, this.at, count * this.stride);
    return { words, count, stride: this.stride };
  }

  free(): void {
    this.module.calls.iso_web_give(this.at, 4 * this.capacity * this.stride);
    this.at = this.capacity = 0;
  }
}
