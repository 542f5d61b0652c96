// What the page draws of packed items: the triangles that the graphics get.
//
//   node test_picture.mjs PACKAGE
import assert from 'node:assert/strict';
import { load } from './bundle.mjs';

const { Camera, Mesh, Painter, DARK } = await load(process.argv[2], `
  export { Camera } from './camera.js';
  export { Mesh } from './mesh.js';
  export { Painter } from './picture.js';
  export { DARK } from './theme.js';`);

const UNIT = 65536;
const STRIDE = 31;
const [CIRCLE, CAPSULE, POLYGON, LINE] = [1, 2, 3, 4];
const [OUTLINE, LINK] = [1, 6];
const DYNAMIC = 3;

/** A packed item (wasm/client.c). */
function item({ kind, role = OUTLINE, index = 1, points, radius = 0, radiusB = 0 }) {
  const words = new Int32Array(STRIDE);
  words.set([
    kind | (role << 8) | (DYNAMIC << 24), (points.length << 8) | 0x20000, 255, 0, index, 1, 1, 1, 0, 0, 0,
    radius * UNIT, radiusB * UNIT,
  ]);
  words.set(points.flat().map((length) => Math.round(length * UNIT)), 15);
  return words;
}

const camera = Object.assign(new Camera(), { x: 3, y: 1, scale: 40, width: 800, height: 600 });
const mesh = new Mesh();
const painter = new Painter(mesh, camera);

/** @return the triangles of each colour, in pixels from the camera */
function paint(items, player = 0n) {
  const words = new Int32Array(items.length * STRIDE);
  items.forEach((each, i) => words.set(each, i * STRIDE));
  mesh.clear();
  Object.assign(mesh, { originX: camera.x, originY: camera.y });
  painter.paint({ words, count: items.length, stride: STRIDE, player, players: [] }, DARK);
  const floats = new Float32Array(mesh.words.buffer);
  const at = (vertex) => {
    const word = vertex * 5;
    assert.ok(word < mesh.wordCount, 'the index is of a vertex');
    const [x, y, dx, dy] = floats.subarray(word, word + 4);
    return { x: x * camera.scale + dx, y: y * camera.scale + dy, colour: mesh.words[word + 4] };
  };
  const areas = new Map();
  for (let i = 0; i < mesh.indexCount; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => at(mesh.indices[i + k]));
    assert.ok(a.colour === b.colour && b.colour === c.colour, 'a triangle has one colour');
    const area = ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)) / 2;
    areas.set(a.colour, (areas.get(a.colour) ?? 0) + Math.abs(area));
  }
  return areas;
}

const near = (value, expected, tolerance, what) =>
  assert.ok(Math.abs(value - expected) <= tolerance * expected, `${what}: ${value} instead of ${expected}`);

/** The areas of the inside and of the border, of the one shape. */
function shape(definition, area, length, what) {
  const found = [...paint([item(definition)]).values()];
  assert.equal(found.length, 2, `${what} has an inside and a border`);
  near(found[0], area * camera.scale ** 2, 0.02, `${what}: its area`);
  near(found[1], length * camera.scale * 1.5, 0.1, `${what}: its border`);
}

const square = [[2, 0], [4, 0], [4, 2], [2, 2]];
shape({ kind: POLYGON, points: square }, 4, 8, 'a square');
shape({ kind: POLYGON, points: square, radius: 0.5 }, 4 + 8 * 0.5 + Math.PI * 0.25, 8 + Math.PI, 'a rounded square');
shape(
  { kind: POLYGON, points: [[2, 1], [4, 0], [3.5, 2]], radius: 0.25 }, 1.75 + 0.25 * 5.922 + Math.PI / 16,
  5.922 + Math.PI / 2, 'a rounded triangle',
);
shape({ kind: CIRCLE, points: [[3, 1]], radius: 1.5 }, Math.PI * 2.25, 3 * Math.PI, 'a circle');
shape(
  { kind: CAPSULE, points: [[2, 0], [5, 2]], radius: 0.5, radiusB: 0.5 }, Math.hypot(3, 2) + Math.PI / 4,
  2 * Math.hypot(3, 2) + Math.PI, 'a capsule',
);
shape({ kind: CAPSULE, points: [[2, 1], [4, 1]], radius: 1, radiusB: 0.5 }, 5.0577, 8.838, 'a tapered capsule');
shape(
  { kind: CAPSULE, points: [[2, 1], [2.1, 1]], radius: 1, radiusB: 0.5 }, Math.PI, 2 * Math.PI,
  'a capsule with an end inside the other',
);

near(
  [...paint([item({ kind: LINE, role: LINK, points: [[2, 1], [4, 1]] })]).values()][0], 2 * 40 * 2, 0.001,
  'a link is two pixels wide',
);
assert.equal(
  paint([item({ kind: POLYGON, points: square.map(([x, y]) => [x + 20, y]) })]).size, 0,
  'what is beside the canvas is left out',
);
assert.equal(paint([item({ kind: CIRCLE, points: [[3, 1]], radius: 0.04 })]).size, 1, 'what is tiny has no border');
const own = paint([item({ kind: POLYGON, points: square })], (1n << 32n) | 1n);
assert.ok(own.has(DARK.ink), 'the own body has a border of its own');
assert.ok(
  !paint([item({ kind: POLYGON, points: square, index: 2 })], (1n << 32n) | 1n).has(DARK.ink), 'another one has not',
);

// Nothing is made anew for a frame, once the arrays are long enough.
const many = Array.from({ length: 3000 }, (_, i) =>
  item({ kind: i % 2 === 0 ? POLYGON : CIRCLE, index: i, points: i % 2 === 0 ? square : [[3, 1]], radius: i % 2 }),
);
paint(many);
const { words, indices } = mesh;
paint(many);
assert.ok(mesh.words === words && mesh.indices === indices, 'the arrays are used again');
console.log('the triangles are right');
