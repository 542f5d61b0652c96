// Commands of the tools in space, in the wire's units (proto/isostep/v1/command.proto).
import type { Vector3 } from 'three';
import type { Command } from '../../src/client.js';
import type { Plain } from '../../src/layout.js';
import { ShapeKind3 } from '../../src/space.js';
import type { Thing } from '../commands.js';

const ONE = 65536; // Q15.16
const ROTATION_ONE = 2 ** 30;
const DYNAMIC = 3;
const TARGET = 11; // kind of joints
const HAND_HERTZ = 6;
const HAND_FORCE = 225000; // [N/m³] it lifts ninety times a stone of the body's volume

const q16 = (value: number): number => Math.round(value * ONE);
/** Q31.32, to 15 micrometres. */
const q32 = (value: number): bigint => BigInt(Math.round(value * ONE)) << 16n;

/**
 * A hand that holds a point of a body.
 * @param anchor  [m] the point in the body's frame
 * @param at      [m] the point in the world
 * @param volume  [m³] of the body
 */
export const hold3 = (body: bigint, anchor: Vector3, at: Vector3, volume: number): Command => ({
  case: 'createJoint3',
  value: {
    joint: {
      kind: TARGET, enabled: true, bodyB: body, frameA: { rotationW: ROTATION_ONE }, axis0: {}, axis1: {}, axis2: {},
      frameB: { anchorX: q16(anchor.x), anchorY: q16(anchor.y), anchorZ: q16(anchor.z), rotationW: ROTATION_ONE },
      targetX: q32(at.x), targetY: q32(at.y), targetZ: q32(at.z),
      forceMax: q32(Math.min(1e7, 60 + HAND_FORCE * volume)), hertz: q16(HAND_HERTZ), dampingRatio: ONE,
    },
  },
});

const box = (x: number, y: number, z: number): Plain => ({
  kind: ShapeKind3.BOX, rotationW: ROTATION_ONE, points: [0, 0, 0, x, y, z].map(q16), density: q16(400),
  friction: q16(0.6),
});

const SHAPES: Readonly<Record<Thing, Plain>> = {
  box: box(0.5, 0.5, 0.5),
  ball: {
    kind: ShapeKind3.SPHERE, points: [0, 0, 0], radius: q16(0.5), density: q16(400), friction: q16(0.6),
    restitution: q16(0.5),
  },
  plank: box(1.5, 0.12, 0.4),
};

/** How far the middle of a new body is above what it is put upon [m]. */
export const HEIGHT: Readonly<Record<Thing, number>> = { box: 0.6, ball: 0.6, plank: 0.25 };

/** A new body, thrown with a velocity [m/s]. */
export const spawn = (thing: Thing, at: Vector3, velocity: Vector3): Command => ({
  case: 'spawnBody3',
  value: {
    body: {
      type: DYNAMIC, x: q32(at.x), y: q32(at.y), z: q32(at.z), rotationW: ROTATION_ONE,
      velocityX: q32(velocity.x), velocityY: q32(velocity.y), velocityZ: q32(velocity.z),
    },
    shape: { filter: { category: 1, mask: 0xffffffff }, ...SHAPES[thing] },
  },
});
