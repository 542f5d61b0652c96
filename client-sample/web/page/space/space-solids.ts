// What shapes look like: for each a geometry that shapes of its kind share, and where it stands in its body's frame.
import {
  BoxGeometry, BufferAttribute, CapsuleGeometry, Matrix4, Quaternion, SphereGeometry, Vector3, type BufferGeometry,
} from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { ShapeKind3, type Point3, type Shape3 } from '../../src/space.js';
import type { Look } from '../messages.js';

export type SolidKind = 'box' | 'round' | 'hull' | 'sensor';

/** How shapes are drawn together: all of one key with one call. */
export interface Solid {
  readonly key: string;
  readonly kind: SolidKind;
  /** From the geometry's frame to the body's. */
  readonly local: Matrix4;
  make(): BufferGeometry;
}

const SHADE = 0.74; // of every other stripe, so that a ball is seen to roll
const STRIPES = 6;
const UP = new Vector3(0, 1, 0);

const vector = ({ x, y, z }: Point3): Vector3 => new Vector3(x, y, z);

/** Stripes from pole to pole, as on a beach ball: each triangle has one shade. */
function striped(smooth: BufferGeometry): BufferGeometry {
  const geometry = smooth.toNonIndexed();
  const place = geometry.getAttribute('position');
  const colours = new Float32Array(3 * place.count);
  for (let i = 0; i < place.count; i += 3) {
    const [x, z] = [place.getX(i) + place.getX(i + 1) + place.getX(i + 2), place.getZ(i) + place.getZ(i + 1) + place.getZ(i + 2)];
    const stripe = Math.floor(((Math.atan2(x, z) + Math.PI) / (2 * Math.PI)) * STRIPES);
    colours.fill(stripe % 2 === 0 ? 1 : SHADE, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  return geometry;
}

function sphere({ points, radius }: Shape3): Solid {
  const local = new Matrix4().makeScale(radius, radius, radius).setPosition(vector(points[0]!));
  return { key: 'sphere', kind: 'round', local, make: () => striped(new SphereGeometry(1, 36, 24)) };
}

function capsule({ points, radius }: Shape3): Solid {
  const [a, b] = [vector(points[0]!), vector(points[1]!)];
  const along = b.clone().sub(a);
  const length = along.length();
  const turn = new Quaternion().setFromUnitVectors(UP, along.normalize());
  const local = new Matrix4().compose(a.add(b).multiplyScalar(0.5), turn, new Vector3(1, 1, 1));
  return { key: `capsule ${radius} ${length}`, kind: 'round', local, make: () => striped(new CapsuleGeometry(radius, length, 8, 24)) };
}

function box({ points, rotation: { x, y, z, w } }: Shape3): Solid {
  const local = new Matrix4().compose(vector(points[0]!), new Quaternion(x, y, z, w), vector(points[1]!));
  return { key: 'box', kind: 'box', local, make: () => new BoxGeometry(2, 2, 2) };
}

const hull = ({ points }: Shape3, hash: number): Solid => ({
  key: `hull ${hash}`, kind: 'hull', local: new Matrix4(), make: () => new ConvexGeometry(points.map(vector)),
});

/** @return null: a plane, which is ground, or of another kind */
export function solidOf({ hash, shape }: Look): Solid | null {
  const solid =
    shape.kind === ShapeKind3.SPHERE ? sphere(shape)
    : shape.kind === ShapeKind3.CAPSULE ? capsule(shape)
    : shape.kind === ShapeKind3.BOX ? box(shape)
    : shape.kind === ShapeKind3.HULL ? hull(shape, hash)
    : null;
  return solid && shape.isSensor ? { ...solid, key: `sensor ${solid.key}`, kind: 'sensor' } : solid;
}
