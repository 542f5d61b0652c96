// Worlds in space: where bodies are shown, and the geometry of their shapes. A module of its own has them
// (isostep3.wasm).
import type { Client } from './client.js';
import { PackedBuffer, UNIT, type Packed } from './display.js';
import { IsostepError, Status, type Plain } from './layout.js';
import { now, type Module, type Scratch } from './module.js';
import type { World } from './world.js';

/**
 * The module that plays worlds in space as well as in the plane: the file isostep3.wasm beside this package's script.
 */
export const SPACE_MODULE = new URL(/* @vite-ignore */ './isostep3.wasm', import.meta.url);

/** What a shape is: its `kind`. */
export const ShapeKind3 = { SPHERE: 1, CAPSULE: 2, BOX: 3, HULL: 4, PLANE: 5, HEIGHTS: 6 } as const;

/** One, in the numbers of a rotation. */
const ROTATION_ONE = 2 ** 30;
const WHOLE = 65536; // the way from one tick to the next
const ASLEEP = 256;

export interface Point3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A unit quaternion: the axis times the sine of half the angle, and its cosine. */
export interface Rotation3 extends Point3 {
  readonly w: number;
}

export interface Pose3 {
  /** The body's handle. */
  readonly body: bigint;
  /** [m] of the body's origin. */
  readonly position: Point3;
  /** From the body's frame to the world. */
  readonly rotation: Rotation3;
  /** 1 static, 2 kinematic, 3 dynamic. */
  readonly bodyType: number;
  readonly isAsleep: boolean;
  /** Of the member that owns it, from 0; 255 and above: nobody, or everybody. */
  readonly ownerSlot: number;
}

/** A field of heights: ground over a grid in the plane of x and z, whose middle is at the shape's point. */
export interface Heights3 {
  /** Corners along x, and along z. */
  readonly columns: number;
  readonly rows: number;
  /** [m] between two of them. */
  readonly cell: number;
  /**
   * [m] Row by row. The two triangles of a cell meet between its corners with the lowest and with the highest x and z.
   */
  readonly heights: Float32Array;
}

/** The geometry of a shape, in its body's frame [m]. It never changes. */
export interface Shape3 {
  readonly kind: number; // ShapeKind3
  /** Of a sphere or a capsule. */
  readonly radius: number;
  /** Of a plane: its points p have normal · p = offset, and it is solid below. */
  readonly offset: number;
  /** Of a box's axes. */
  readonly rotation: Rotation3;
  /**
   * A sphere's centre; the ends of a capsule's segment; a box's centre and its half extents; a hull's corners; a
   * plane's normal, of length 1; the middle of a field of heights.
   */
  readonly points: readonly Point3[];
  readonly isSensor: boolean;
  readonly field?: Heights3;
}

const handle = (index: number, generation: number): bigint => (BigInt(generation >>> 0) << 32n) | BigInt(index >>> 0);

/**
 * One of the poses of posesPacked: words 0 to 10 are index, generation, x, y, z, rotation x, y, z, w, owner's slot,
 * flags.
 */
export function pose3At({ words, stride }: Packed, index: number): Pose3 {
  const at = index * stride;
  const share = (i: number): number => words[at + i]! / ROTATION_ONE;
  return {
    body: handle(words[at]!, words[at + 1]!),
    position: { x: words[at + 2]! / UNIT, y: words[at + 3]! / UNIT, z: words[at + 4]! / UNIT },
    rotation: { x: share(5), y: share(6), z: share(7), w: share(8) },
    bodyType: words[at + 10]! & 0xff,
    isAsleep: (words[at + 10]! & ASLEEP) !== 0,
    ownerSlot: words[at + 9]!,
  };
}

const isClient = (of: Client | World): of is Client => 'setControl' in of;

/** The address of the world that is shown; 0: there is none yet. */
const worldOf = (of: Client | World): number =>
  isClient(of) ? of.module.calls.iso_client_predicted_world(of.at) : of.at;

/** How many dimensions the world has; undefined before there is one. */
export function dimensionsOf(of: Client | World): 2 | 3 | undefined {
  const world = worldOf(of);
  const { calls, layout } = of.module;
  if (world === 0) {
    return undefined;
  }
  if (calls.iso_web_poses3 === undefined) {
    return 2; // it has no others
  }
  return (layout.read(layout.struct('definition'), calls.iso_world_get_def(world)) as { dimensions: 2 | 3 }).dimensions;
}

/** What is seen of a world in space: of a client's the displayed poses, of another one those that it has. */
export class SpaceView {
  private readonly module: Module;
  private readonly poseBuffer: PackedBuffer;
  private readonly shapeBuffer: PackedBuffer;
  private readonly lineBuffer: PackedBuffer;
  private readonly heightBuffer: PackedBuffer;
  private readonly scratch: Scratch;

  /** @throws IsostepError UNSUPPORTED  its module has no worlds in space: it needs that of SPACE_MODULE */
  constructor(private readonly of: Client | World) {
    this.module = of.module;
    const { calls } = this.module;
    if (calls.iso_web_poses3 === undefined) {
      throw new IsostepError(Status.UNSUPPORTED, 'this module has no worlds in space; isostep3.wasm has them');
    }
    this.poseBuffer = new PackedBuffer(this.module, calls.iso_web_pose3_words());
    this.shapeBuffer = new PackedBuffer(this.module, calls.iso_web_shape3_words());
    this.lineBuffer = new PackedBuffer(this.module, calls.iso_web_line3_words());
    this.heightBuffer = new PackedBuffer(this.module, 1);
    this.scratch = this.module.scratch(1024);
  }

  /**
   * The poses of all bodies, packed (pose3At); valid until the next call. None in the plane.
   * @param before  of a World: the address where iso_player_keep_poses3 has put those of a tick before; 0: none
   * @param part    0 to 1, of the way from there
   */
  posesPacked(before = 0, part = 1): Packed {
    const { of, module: { calls } } = this;
    return this.poseBuffer.fill((at, capacity) =>
      isClient(of)
        ? calls.iso_web_poses3(of.at, now(), at, capacity)
        : calls.iso_player_poses3(of.at, before, Math.round(part * WHOLE), at, capacity),
    );
  }

  poses(): Pose3[] {
    const packed = this.posesPacked();
    return Array.from({ length: packed.count }, (_, i) => pose3At(packed, i));
  }

  /**
   * The shapes, packed; valid until the next call. Words: index of the body, index and generation of the shape, a hash
   * of its geometry, 1 if it is a sensor. So what looks like what is known already need not be asked for.
   */
  shapesPacked(): Packed {
    const world = worldOf(this.of);
    return this.shapeBuffer.fill((at, capacity) =>
      world === 0 ? 0 : this.module.calls.iso_web_shapes3(world, at, capacity),
    );
  }

  /**
   * Lines and points of joints and contacts, packed; valid until the next call. Words: role (DrawRole), plus 256 when
   * it is active; x, y, z of both ends [1/65,536 m].
   * @param what  bits of Draw: JOINTS, CONTACTS
   * @param before, part  as in posesPacked
   */
  linesPacked(what: number, before = 0, part = 1): Packed {
    const { of, module: { calls } } = this;
    return this.lineBuffer.fill((at, capacity) =>
      isClient(of)
        ? calls.iso_web_lines3(of.at, now(), what, at, capacity)
        : calls.iso_player_lines3(of.at, before, Math.round(part * WHOLE), what, at, capacity),
    );
  }

  /** Each shape with its body. */
  shapes(): { readonly body: bigint; readonly shape: bigint; readonly geometry: Shape3 }[] {
    const { words, count, stride } = this.shapesPacked();
    const shapes = Array.from({ length: count }, (_, i) => handle(words[i * stride + 1]!, words[i * stride + 2]!));
    return shapes.map((shape) => ({ shape, ...this.read(shape)! }));
  }

  /** The geometry of a shape; undefined: it is gone. */
  shape(shape: bigint): Shape3 | undefined {
    return this.read(shape)?.geometry;
  }

  private read(shape: bigint): { body: bigint; geometry: Shape3 } | undefined {
    const { scratch, module: { calls, layout } } = this;
    scratch.clear();
    const struct = layout.struct('Shape3Def');
    const [id, def, body] = [scratch.take(8), scratch.take(struct.size), scratch.take(8)];
    layout.view.setBigUint64(id, shape, true);
    const world = worldOf(this.of);
    if (world === 0 || calls.iso_shape3_get(world, id, def, body) !== 0) {
      return undefined;
    }
    const geometry = geometryOf(layout.read(struct, def));
    const field = geometry.kind === ShapeKind3.HEIGHTS ? this.readField(world, id) : undefined;
    return { body: layout.view.getBigUint64(body, true), geometry: field ? { ...geometry, field } : geometry };
  }

  /** @param id  the address of a shape's handle */
  private readField(world: number, id: number): Heights3 {
    const { words } = this.heightBuffer.fill((at, capacity) =>
      this.module.calls.iso_web_heights3(world, id, at, capacity),
    );
    const [columns, rows, cell, scale] = words as unknown as [number, number, number, number];
    return {
      columns, rows, cell: cell / UNIT,
      heights: Float32Array.from(words.subarray(4), (sample) => (sample * scale) / UNIT),
    };
  }

  free(): void {
    [this.poseBuffer, this.shapeBuffer, this.lineBuffer, this.heightBuffer, this.scratch].forEach((memory) =>
      memory.free(),
    );
  }
}

/** The C side has directions of any length. */
function normalised({ x, y, z }: Point3): Point3 {
  const length = Math.hypot(x, y, z);
  return { x: x / length, y: y / length, z: z / length };
}

function geometryOf(plain: Plain): Shape3 {
  const { kind, radius, offset, sensor, points } = plain as {
    kind: number; radius: number; offset: number; sensor: boolean; points: number[];
  };
  const { rotationX, rotationY, rotationZ, rotationW } = plain as Record<string, number>;
  const [x, y, z, w] = [rotationX, rotationY, rotationZ, rotationW].map((number) => number! / ROTATION_ONE) as [
    number, number, number, number,
  ];
  const corners = Array.from({ length: points.length / 3 }, (_, i) => ({
    x: points[3 * i]! / UNIT, y: points[3 * i + 1]! / UNIT, z: points[3 * i + 2]! / UNIT,
  }));
  return {
    kind,
    radius: radius / UNIT,
    offset: offset / UNIT,
    rotation: x === 0 && y === 0 && z === 0 && w === 0 ? { x, y, z, w: 1 } : { x, y, z, w }, // all zero is none
    points: kind === ShapeKind3.PLANE ? corners.map(normalised) : corners,
    isSensor: sensor,
  };
}
