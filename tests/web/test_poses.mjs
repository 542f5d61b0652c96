// What the package shows between two ticks, against motions that are known: bodies with constant velocities, of which a
// server tells a tick each sixtieth of a second, by a clock and over a socket of the test's own.
//
//   node test_poses.mjs PACKAGE WEB_POSES
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packageDir, posesProgram] = process.argv.slice(2);
const { Client, decodeEnvelope, Draw, itemAt, loadModule, pose3At, SpaceView, SPACE_MODULE, World } = await import(
  pathToFileURL(resolve(packageDir, 'dist/isostep.js'))
);

const TICKS = 1200; // until what is shown is as far behind as it stays
const RATE = 60;
// Behind the newest tick when it comes [ticks]: one, so that there are two to be between, and a margin of an eighth.
const BEHIND = 1.125;
const LATE = 0.002; // [ticks] what of this is not settled yet

const { performance } = globalThis;
let time = 1000; // [ms]
performance.now = () => time;

// ---- the motions (web_poses.c), after so many ticks -------------------------------------------------

const [FLIES, RESTS] = [1n << 32n, (1n << 32n) | 1n]; // the bodies 0 and 1 of generation 1
const SPIN = 3; // [rad/s]
const at = (ticks) => ({ x: -10 + (3.75 * ticks) / RATE, y: 2 - (1.875 * ticks) / RATE, z: 3 + (7.5 * ticks) / RATE });
const angleAt = (ticks) => 0.5 + (SPIN * ticks) / RATE;
const rotationAt = (ticks) => {
  const half = (SPIN * ticks) / RATE / 2;
  return { x: (2 / 3) * Math.sin(half), y: (-1 / 3) * Math.sin(half), z: (2 / 3) * Math.sin(half), w: Math.cos(half) };
};

const near = (value, expected, tolerance, what) =>
  assert.ok(Math.abs(value - expected) <= tolerance, `${what}: ${value} instead of ${expected}`);
const nearAngle = (value, expected, tolerance, what) =>
  near(Math.sin((value - expected) / 2), 0, tolerance / 2, `${what}: ${value} and ${expected}`);

/** Of bodies in space: the angle between both rotations is 2 acos |a . b|, which is the length of what is different. */
function checkRotation(a, b, tolerance, what) {
  const sign = Math.sign(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
  near(
    2 * Math.hypot(a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z, a.w - sign * b.w), 0, tolerance,
    `${what}: its rotation`,
  );
}

/** @param late [ticks] */
function checkPlane({ x, y, angle }, ticks, late, what) {
  near(x, at(ticks).x, 0.0625 * late + 3e-5, `${what}: x`);
  near(y, at(ticks).y, 0.03125 * late + 3e-5, `${what}: y`);
  nearAngle(angle, angleAt(ticks), 0.05 * late + 1e-4, `${what}: its angle`);
}

function checkSpace({ position, rotation }, ticks, late, what) {
  ['x', 'y', 'z'].forEach((axis) => near(position[axis], at(ticks)[axis], 0.125 * late + 3e-5, `${what}: ${axis}`));
  checkRotation(rotation, rotationAt(ticks), 0.05 * late + 1e-3, what);
}

// ---- a server ---------------------------------------------------------------------------------------

const [PING, PONG, CAUGHT_UP, TICK] = [0x22, 0x2a, 0xb2, 0x12]; // how envelopes begin

function readMessages(dimensions) {
  const folder = mkdtempSync(join(tmpdir(), 'isostep-poses-'));
  const file = join(folder, 'messages');
  execFileSync(posesProgram, [String(dimensions), String(TICKS), file]);
  const bytes = new Uint8Array(readFileSync(file));
  rmSync(folder, { recursive: true });
  const messages = [];
  for (let i = 0; i < bytes.length; ) {
    const size = new DataView(bytes.buffer).getUint32(i, true);
    messages.push(bytes.slice(i + 4, i + 4 + size));
    i += 4 + size;
  }
  const activate = messages.findIndex((message) => message[0] === TICK) - 1;
  return { before: messages.slice(0, activate), after: messages.slice(activate) };
}

/** A spectator that has heard all ticks, each just when it is due. */
async function watch(module, { before, after }) {
  let socket;
  let isCaughtUp = false;
  const tell = (bytes) => socket.onmessage({ data: bytes.slice().buffer });
  class TestSocket {
    constructor() {
      socket = this;
    }
    send(bytes) {
      if (bytes[0] === PING) { // tick 0 is no field
        const pong = bytes.slice();
        pong[0] = PONG;
        setTimeout(() => tell(pong), 0);
      }
      isCaughtUp ||= bytes[0] === CAUGHT_UP;
    }
    close() {
      // is never heard of
    }
  }
  const client = await Client.create({ url: 'ws://127.0.0.1:1/', role: 'spectator', module, webSocket: TestSocket });
  const faults = [];
  client.on('ended', (detail) => faults.push(detail));
  client.on('desync', (detail) => faults.push(detail));
  client.start();
  socket.onopen();
  before.forEach(tell);
  for (let i = 0; !isCaughtUp; ++i) { // it measures the connection first
    assert.ok(i < 1000 && faults.length === 0, `caught up: ${JSON.stringify(faults)}`);
    time += 20;
    await new Promise((done) => setTimeout(done, 5));
  }
  const begun = time;
  after.forEach((message, i) => { // the first is the ACTIVATE
    time = begun + (i * 1000) / RATE;
    tell(message);
  });
  assert.deepEqual(faults, []);
  assert.equal(client.tick, TICKS);
  return client;
}

/** Calls with each of some moments after the last tick, and with what is shown then [ticks]. */
function eachMoment(call) {
  const begun = time;
  for (let i = 0; i <= 12; ++i) { // an eighth of a tick is not enough to stand still: all of it is shown, and no more
    time = begun + (i / 10 / RATE) * 1000;
    call(Math.min(TICKS - BEHIND + i / 10, TICKS), `${i} tenths of a tick after tick ${TICKS}`);
  }
  time = begun;
}

// ---- a client's poses -------------------------------------------------------------------------------

async function checkClient(module, dimensions, messages) {
  const client = await watch(module, messages);
  const view = dimensions === 3 ? new SpaceView(client) : null;
  const seen = new Set();
  eachMoment((ticks, what) => {
    const { tick, alpha } = client.shown();
    near(tick + alpha, ticks, LATE, `${what}: the tick that is shown`);
    seen.add(tick);
    if (view === null) {
      const poses = new Map(client.poses().map((pose) => [pose.body, pose]));
      assert.equal(poses.size, 2);
      checkPlane(poses.get(FLIES), ticks, LATE, what);
      assert.deepEqual(poses.get(RESTS), { body: RESTS, x: 5, y: 5, angle: 0 });
      const packed = client.draw(Draw.BODIES);
      const items = Array.from({ length: packed.count }, (_, i) => itemAt(packed, i)).filter(
        ({ body }) => body === FLIES,
      );
      assert.ok(items.length > 0);
      near(items[0].points[0].x, poses.get(FLIES).x, 2e-5, `${what}: an item's x`);
      near(items[0].points[0].y, poses.get(FLIES).y, 2e-5, `${what}: an item's y`);
    } else {
      const poses = new Map(view.poses().map((pose) => [pose.body, pose]));
      assert.equal(poses.size, 2);
      checkSpace(poses.get(FLIES), ticks, LATE, what);
      assert.deepEqual(poses.get(RESTS).position, { x: 5, y: 5, z: 5 });
      assert.deepEqual(poses.get(RESTS).rotation, { x: 0, y: 0, z: 0, w: 1 });
    }
  });
  assert.deepEqual([...seen], [TICKS - 2, TICKS - 1, TICKS]);
  view?.free();
  client.destroy();
}

// ---- a recording's ----------------------------------------------------------------------------------

/** A World is shown between its tick and the one before, whose poses were kept. */
function checkWorld(module, dimensions, { before }) {
  const chunks = before.map((bytes) => decodeEnvelope(bytes)).filter(({ message }) => message.case === 'snapshotChunk');
  const world = World.fromSnapshot(
    module, new Uint8Array(Buffer.concat(chunks.map(({ message }) => message.value.payload))),
  );
  const { calls, layout } = module;
  const size = (dimensions === 3 ? calls.iso_player_poses3_size : calls.iso_player_poses_size)(world.at);
  const kept = module.take(size);
  const view = dimensions === 3 ? new SpaceView(world) : null;
  const stride = calls.iso_web_item_words();
  const words = module.take(64 * 4 * stride);
  for (let tick = 1; tick <= 30; ++tick) {
    (dimensions === 3 ? calls.iso_player_keep_poses3 : calls.iso_player_keep_poses)(world.at, kept);
    world.step({ tick: BigInt(tick), changes: [], commands: [] });
    for (let part = 0; part <= 1; part += 0.125) {
      const [ticks, what] = [tick - 1 + part, `tick ${tick - 1} and ${part}`];
      if (view === null) {
        const count = calls.iso_player_draw(world.at, kept, part * 65536, Draw.BODIES, words, 64);
        const packed = { words: new Int32Array(layout.view.buffer, words, count * stride), count, stride };
        const [item] = Array.from({ length: count }, (_, i) => itemAt(packed, i)).filter(({ body }) => body === FLIES);
        near(item.points[0].x, at(ticks).x, 3e-5, `${what}: x`);
        near(item.points[0].y, at(ticks).y, 3e-5, `${what}: y`);
      } else {
        const packed = view.posesPacked(kept, part);
        checkSpace(pose3At(packed, 0), ticks, 0, what);
      }
    }
  }
  view?.free();
  calls.iso_web_give(words, 64 * 4 * stride);
  calls.iso_web_give(kept, size);
  world.destroy();
}

for (const [dimensions, module] of [
  [2, await loadModule()], [2, await loadModule(SPACE_MODULE)], [3, await loadModule(SPACE_MODULE)],
]) {
  const messages = readMessages(dimensions);
  await checkClient(module, dimensions, messages);
  checkWorld(module, dimensions, messages);
}
console.log('what is shown between ticks is on its way');
process.exit(0);
