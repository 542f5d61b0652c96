// The package in a session in space with a native client: node test_session3.mjs PACKAGE_DIR SERVER CLIENT
//
// Roots agree, the stick moves the own ball, poses and shapes are those of the world, a command makes a body, a flipped
// bit is healed, and the server's recording is replayed. The module of the plane says that it has no worlds in space.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { socketClass, startServer, startSocket } from './server.mjs';

const [packageDir, serverProgram, clientProgram] = process.argv.slice(2);
const {
  connect, dimensionsOf, Draw, IsostepError, loadModule, Recording, ShapeKind3, SpaceView, SPACE_MODULE, Status,
} = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));

const folder = mkdtempSync(join(tmpdir(), 'isostep-web-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const server = await startServer(serverProgram, [
  '--record', folder, '--session', 'arena=sandbox3', '--session', 'flat=sandbox',
]);
const endpoint = await startSocket(packageDir, server);
const webSocket = socketClass(packageDir);

const until = async (what, condition) => {
  for (const begin = performance.now(); !condition(); ) {
    assert.ok(performance.now() - begin < 30000, `waited 30 s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

function playNative(ticks) {
  const options = ['--session', 'arena', '--name', 'native', '--bot', 'wander', '--ticks', String(ticks), '--json'];
  const child = spawn(clientProgram, [server.tcp, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) =>
    child.on('exit', (code) => resolve({ code, ...JSON.parse(output.trim().split('\n').at(-1)) })),
  );
}

function axesButtons(x, y, buttons) {
  const view = new DataView(new ArrayBuffer(8));
  view.setInt16(0, Math.round(x * 32767), true);
  view.setInt16(2, Math.round(y * 32767), true);
  view.setUint32(4, buttons, true);
  return new Uint8Array(view.buffer);
}

const unit = ({ x, y, z, w }) => Math.abs(Math.hypot(x, y, z, w) - 1) < 1e-6;

// Without the second module.
const plane = await loadModule();
await assert.rejects(
  connect({ url: endpoint.url, session: 'arena', webSocket, module: plane }), (error) => error instanceof IsostepError,
);
const flat = await connect({ url: endpoint.url, session: 'flat', webSocket, module: plane });
assert.equal(dimensionsOf(flat), 2);
assert.throws(
  () => new SpaceView(flat), (error) => error.status === Status.UNSUPPORTED && /isostep3\.wasm/.test(error.message),
);
await flat.leave();
flat.destroy();

// The second module has both kinds of worlds.
const module = await loadModule(SPACE_MODULE);
const other = await connect({ url: endpoint.url, session: 'flat', webSocket, module });
await until('a world in the plane', () => dimensionsOf(other) === 2 && other.poses().length > 0);
const none = new SpaceView(other);
assert.equal(none.poses().length + none.shapes().length, 0);
none.free();
await other.leave();
other.destroy();

const client = await connect({ url: endpoint.url, session: 'arena', name: 'web', predictTicks: 8, webSocket, module });
const roots = new Map();
const outcomes = [];
client.on('tick', ({ tick }) => roots.set(tick, client.root));
client.on('outcome', (outcome) => outcomes.push(outcome));
assert.equal(client.welcome.game, 'sandbox3');
assert.equal(dimensionsOf(client), 3);
const native = playNative(180);
await until('the native member', () =>
  client.members.some(({ name, presence }) => name === 'native' && presence === 'here'),
);

// The floor, the wall's bricks, logs, rocks and balls have the geometry that the scene says. It has no field of
// heights.
const view = new SpaceView(client);
const shapes = view.shapes();
const kinds = new Map();
shapes.forEach((shape) => kinds.set(shape.geometry.kind, [...(kinds.get(shape.geometry.kind) ?? []), shape]));
const first = (kind) => kinds.get(kind)[0].geometry;
assert.deepEqual(
  [...kinds.keys()].sort(),
  Object.values(ShapeKind3)
    .filter((kind) => kind !== ShapeKind3.HEIGHTS)
    .sort(),
);
assert.deepEqual(first(ShapeKind3.PLANE).points, [{ x: 0, y: 1, z: 0 }]);
assert.equal(first(ShapeKind3.PLANE).offset, 0);
assert.ok(unit(first(ShapeKind3.BOX).rotation));
assert.deepEqual(kinds.get(ShapeKind3.BOX).find(({ geometry }) => geometry.points[1].y === 0.25).geometry.points, [
  { x: 0, y: 0, z: 0 }, { x: 0.5, y: 0.25, z: 0.25 },
]);
assert.ok(Math.abs(first(ShapeKind3.CAPSULE).radius - 0.3) < 1e-4 && first(ShapeKind3.CAPSULE).points.length === 2);
assert.ok(first(ShapeKind3.HULL).points.length >= 6);
assert.equal(view.shape(12345n), undefined);
// What looks the same has one hash.
const packed = view.shapesPacked();
const hashes = new Set(Array.from({ length: packed.count }, (_, i) => packed.words[i * packed.stride + 3]));
assert.equal(packed.count, shapes.length);
assert.equal(hashes.size, new Set(shapes.map(({ geometry }) => JSON.stringify(geometry))).size);

// The bricks touch each other; the scene has no joints.
assert.equal(view.linesPacked(Draw.JOINTS).count, 0);
await until('contacts', () => view.linesPacked(Draw.CONTACTS).count > 50);

// Every shape's body has a pose, and the own one goes where the stick is.
const body = client.playerBody;
const own = () => view.poses().find((pose) => pose.body === body);
const all = new Map(view.poses().map((pose) => [pose.body, pose]));
assert.ok(shapes.every((shape) => all.has(shape.body)) && [...all.values()].every(({ rotation }) => unit(rotation)));
assert.deepEqual([own().bodyType, own().ownerSlot], [3, client.slot]);
await until('the ball to have fallen', () => own().position.y < 0.6);
const start = own();
client.setControl(axesButtons(0, 1, 0));
await until('the ball to move', () => start.position.z - own().position.z > 1);
assert.ok(Math.abs(own().rotation.w) < 0.999, 'it rolls');
client.setControl(axesButtons(0, 0, 0));

// A body that a command makes: predicted, confirmed, and here.
const one = 65536;
const sequence = client.command({
  case: 'spawnBody3',
  value: {
    body: { type: 3, x: 20n << 32n, y: 5n << 32n, z: -7n << 32n, rotationW: 2 ** 30 },
    shape: {
      kind: ShapeKind3.BOX, density: 100 * one, rotationW: 2 ** 30, points: [0, 0, 0, one, one, one / 2],
      filter: { category: 1, mask: 0xffffffff },
    },
  },
});
const isResult = (mark) => (o) => o.kind === 'result' && o.first === BigInt(sequence) && o.mark === mark;
await until('the new body', () => outcomes.some(isResult('confirmed')));
const { status, second: made } = outcomes.find(isResult('confirmed'));
assert.equal(status, 0);
const box = view.poses().find((pose) => pose.body === made);
assert.ok(Math.abs(box.position.x - 20) < 0.01 && Math.abs(box.position.z + 7) < 0.01 && box.ownerSlot === client.slot);
assert.deepEqual(view.shapes().find((shape) => shape.body === made).geometry.points[1], { x: 1, y: 1, z: 0.5 });

const summary = await native;
assert.equal(summary.code, 0);
assert.equal(summary.desyncs, 0);
await until(`tick ${summary.last_tick}`, () => client.tick >= summary.last_tick);
assert.equal(roots.get(summary.last_tick).toString(16).padStart(16, '0'), summary.last_hash, 'the native root');

const healed = client.next('healed');
client.flip();
await healed;
const { stats } = client;
assert.equal(stats.desyncs, 1);
view.free();
assert.equal((await client.leave()).status, 0);
endpoint.stop();
assert.equal(await server.stop(), 0);

const bytes = readFileSync(join(folder, readdirSync(folder).find((name) => /^arena.*\.isr$/.test(name))));
assert.throws(
  () => Recording.open(plane, bytes).replay(),
  (error) => error.status === Status.UNSUPPORTED && /isostep3\.wasm/.test(error.message),
);
const recording = Recording.open(module, bytes);
assert.equal(recording.header.dimensions, 3);
const replay = recording.replay();
let right = 0;
for (let tick = replay.next(); tick; tick = replay.next()) {
  assert.notEqual(tick.isRight, false, `tick ${tick.tick} of the recording`);
  right += tick.isRight ? 1 : 0;
}
assert.ok(right > 100, `${right} roots`);
const last = new SpaceView(replay.world);
assert.ok(last.poses().length > 40 && last.poses().length === new Set(last.shapes().map((shape) => shape.body)).size);
last.free();
replay.destroy();
recording.close();
client.destroy();
console.log(
  `${stats.rootsChecked} roots agree, ${stats.rollbacks} rollbacks, ${shapes.length} shapes of ${hashes.size} looks`,
);
