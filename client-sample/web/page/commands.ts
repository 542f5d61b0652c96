// Commands of the tools, in the wire's units (proto/isostep/v1/command.proto).
import type { Command } from '../src/client.js';
import type { Pose } from '../src/display.js';
import type { Plain } from '../src/layout.js';

const ONE = 65536; // Q15.16
const TARGET = 2; // kinds of joints
const DISTANCE = 3;
const DYNAMIC = 3;
const HAND_HERTZ = 6;

export interface Place {
  readonly x: number; // [m]
  readonly y: number;
  readonly z?: number; // in space
}

export type Thing = 'box' | 'ball' | 'plank';

const q16 = (value: number): number => Math.round(value * ONE);
/** Q31.32, to 15 micrometres. */
const q32 = (value: number): bigint => BigInt(Math.round(value * ONE)) << 16n;

/** A point of the world in a body's frame, as a joint has it. */
function anchor(end: 'A' | 'B', pose: Pose, at: Place): Plain {
  const [dx, dy] = [at.x - pose.x, at.y - pose.y];
  const [cos, sin] = [Math.cos(pose.angle), Math.sin(pose.angle)];
  return { [`anchor${end}X`]: q16(dx * cos + dy * sin), [`anchor${end}Y`]: q16(dy * cos - dx * sin) };
}

/** A joint as iso_joint_def_default has it, but for these fields. */
const joint = (fields: Plain): Command => ({
  case: 'createJoint',
  value: {
    joint: {
      enabled: true, dampingRatio: ONE, springDampingRatio: ONE, limitDampingRatio: ONE, ratio: ONE, axisX: ONE,
      ...fields,
    },
  },
});

/** A hand that holds a point of the body. @param force  [N] maximum */
export const hold = (pose: Pose, at: Place, force: number): Command =>
  joint({
    kind: TARGET, bodyB: pose.body, ...anchor('B', pose, at),
    hertz: HAND_HERTZ * ONE, forceMax: q32(force), targetX: q32(at.x), targetY: q32(at.y),
  });

export const moveHand = (held: bigint, to: Place): Command => ({
  case: to.z === undefined ? 'setTarget' : 'setTarget3',
  value: { joint: held, targetX: q32(to.x), targetY: q32(to.y), ...(to.z === undefined ? {} : { targetZ: q32(to.z) }) },
});

/** A rod between points of two bodies. */
export const connectBodies = (a: Pose, at: Place, b: Pose, bt: Place): Command =>
  joint({
    kind: DISTANCE, bodyA: a.body, bodyB: b.body, collideConnected: true, ...anchor('A', a, at), ...anchor('B', b, bt),
    rest: q16(Math.hypot(bt.x - at.x, bt.y - at.y)),
  });

export const destroyJoint = (of: bigint): Command => ({ case: 'destroyJoint', value: { joint: of } });
export const destroyBody = (of: bigint): Command => ({ case: 'destroyBody', value: { body: of } });

const corners = (halfWidth: number, halfHeight: number): number[] =>
  [-halfWidth, -halfHeight, halfWidth, -halfHeight, halfWidth, halfHeight, -halfWidth, halfHeight].map(q16);

const SHAPES: Readonly<Record<Thing, Plain>> = {
  box: { kind: 2, points: corners(0.5, 0.5), friction: q16(0.6) },
  ball: { kind: 1, points: [0, 0], radius: q16(0.5), friction: q16(0.6), restitution: q16(0.5) },
  plank: { kind: 2, points: corners(1.5, 0.12), friction: q16(0.6) },
};

/** A new body, thrown with a velocity [m/s]. */
export const spawn = (thing: Thing, at: Place, velocity: Place): Command => ({
  case: 'spawnBody',
  value: {
    body: { type: DYNAMIC, x: q32(at.x), y: q32(at.y), velocityX: q32(velocity.x), velocityY: q32(velocity.y) },
    shape: { density: ONE, filter: { category: 1, mask: 0xffffffff }, ...SHAPES[thing] },
  },
});
