// What shapes look like: for each a geometry that shapes of its kind share, and where it stands in its body's frame.
import {
  Box3, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Matrix4, Quaternion, SphereGeometry, Vector3,
} from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { ShapeKind3, type Heights3, type Point3, type Shape3 } from '../../src/space.js';
import type { Look } from '../messages.js';

export type SolidKind = 'box' | 'round' | 'hull' | 'sensor';

/** How shapes are drawn together: all of one key with one call. */
export interface Solid {
  readonly key: string;
  readonly kind: SolidKind;
  /** From the geometry's frame to the body's. */
  readonly local: Matrix4;
  /** [m³] of one shape, of a hull about. */
  readonly volume: number;
  make(): BufferGeometry;
}

const SHADE = 0.74; // of every other stripe, so that a ball is seen to roll
const STRIPES = 6;
const BALL = (4 / 3) * Math.PI; // of a sphere's volume
const FOOT = 1; // [m] of a field of heights below its lowest corner
const UP = new Vector3(0, 1, 0);

const vector = ({ x, y, z }: Point3): Vector3 => new Vector3(x, y, z);

/** Stripes from pole to pole, as on a beach ball: each triangle has one shade. */
function striped(smooth: BufferGeometry): BufferGeometry {
  const geometry = smooth.toNonIndexed();
  const place = geometry.getAttribute('position');
  const colours = new Float32Array(3 * place.count);
  for (let i = 0; i < place.count; i += 3) {
    const [x, z] = [
      place.getX(i) + place.getX(i + 1) + place.getX(i + 2), place.getZ(i) + place.getZ(i + 1) + place.getZ(i + 2),
    ];
    const stripe = Math.floor(((Math.atan2(x, z) + Math.PI) / (2 * Math.PI)) * STRIPES);
    colours.fill(stripe % 2 === 0 ? 1 : SHADE, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute('color', new BufferAttribute(colours, 3));
  return geometry;
}

function sphere({ points, radius }: Shape3): Solid {
  const local = new Matrix4().makeScale(radius, radius, radius).setPosition(vector(points[0]!));
  return {
    key: 'sphere', kind: 'round', local, volume: BALL * radius ** 3, make: () => striped(new SphereGeometry(1, 36, 24)),
  };
}

function capsule({ points, radius }: Shape3): Solid {
  const [a, b] = [vector(points[0]!), vector(points[1]!)];
  const along = b.clone().sub(a);
  const length = along.length();
  const turn = new Quaternion().setFromUnitVectors(UP, along.normalize());
  const local = new Matrix4().compose(a.add(b).multiplyScalar(0.5), turn, new Vector3(1, 1, 1));
  const volume = BALL * radius ** 3 + Math.PI * radius ** 2 * length;
  return {
    key: `capsule ${radius} ${length}`, kind: 'round', local, volume,
    make: () => striped(new CapsuleGeometry(radius, length, 8, 24)),
  };
}

function box({ points, rotation: { x, y, z, w } }: Shape3): Solid {
  const local = new Matrix4().compose(vector(points[0]!), new Quaternion(x, y, z, w), vector(points[1]!));
  const { x: a, y: b, z: c } = points[1]!;
  return { key: 'box', kind: 'box', local, volume: 8 * a * b * c, make: () => new BoxGeometry(2, 2, 2) };
}

function hull({ points }: Shape3, hash: number): Solid {
  const corners = points.map(vector);
  const size = new Box3().setFromPoints(corners).getSize(new Vector3());
  return {
    key: `hull ${hash}`, kind: 'hull', local: new Matrix4(), volume: (size.x * size.y * size.z) / 2,
    make: () => new ConvexGeometry(corners),
  };
}

/**
 * The triangles of a field of heights, and as another group walls down from its border, so that it is seen to be solid.
 */
export function makeField({ columns, rows, cell, heights }: Heights3): BufferGeometry {
  const places: number[] = [];
  const faces: number[] = [];
  const middle = [((columns - 1) * cell) / 2, ((rows - 1) * cell) / 2] as const;
  const corner = (at: number, y: number): number =>
    places.push((at % columns) * cell - middle[0], y, Math.floor(at / columns) * cell - middle[1]) / 3 - 1;
  for (let at = 0; at < columns * rows; ++at) {
    corner(at, heights[at]!);
  }
  for (let row = 0; row + 1 < rows; ++row) {
    for (let at = row * columns; at + 1 < (row + 1) * columns; ++at) {
      faces.push(at, at + columns + 1, at + 1, at, at + columns, at + columns + 1);
    }
  }
  const size = faces.length;
  const border = [
    ...Array.from({ length: columns - 1 }, (_, i) => i),
    ...Array.from({ length: rows - 1 }, (_, i) => (i + 1) * columns - 1),
    ...Array.from({ length: columns - 1 }, (_, i) => columns * rows - 1 - i),
    ...Array.from({ length: rows }, (_, i) => (rows - 1 - i) * columns),
  ];
  const bottom = heights.reduce((least, height) => Math.min(least, height), Infinity) - FOOT;
  for (let i = 0; i + 1 < border.length; ++i) { // with corners of their own, which have other normals
    const [a, b] = [border[i]!, border[i + 1]!];
    const [top, next, low, end] = [
      corner(a, heights[a]!), corner(b, heights[b]!), corner(a, bottom), corner(b, bottom),
    ];
    faces.push(top, next, low, next, end, low);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(places), 3));
  geometry.setIndex(faces);
  geometry.addGroup(0, size, 0);
  geometry.addGroup(size, faces.length - size, 1);
  geometry.computeVertexNormals();
  return geometry;
}

/** @return null: a plane or a field of heights, which is ground, or of another kind */
export function solidOf({ hash, shape }: Look): Solid | null {
  const solid =
    shape.kind === ShapeKind3.SPHERE ? sphere(shape)
    : shape.kind === ShapeKind3.CAPSULE ? capsule(shape)
    : shape.kind === ShapeKind3.BOX ? box(shape)
    : shape.kind === ShapeKind3.HULL ? hull(shape, hash)
    : null;
  return solid && shape.isSensor ? { ...solid, key: `sensor ${solid.key}`, kind: 'sensor' } : solid;
}
