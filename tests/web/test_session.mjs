// The package in a session with a native client: node test_session.mjs PACKAGE_DIR SERVER CLIENT
//
// Roots agree, the stick moves the own body, commands get their results, poses and items come between ticks, a broken
// connection is resumed, and a flipped bit is found and healed. The server's recording is replayed at the end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { socketClass, startServer, startSocket } from './server.mjs';

const [packageDir, serverProgram, clientProgram] = process.argv.slice(2);
const { Comparison, connect, Draw, itemAt, IsostepError, Recording } = await import(
  pathToFileURL(join(packageDir, 'dist/isostep.js'))
);

const folder = mkdtempSync(join(tmpdir(), 'isostep-web-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const server = await startServer(serverProgram, ['--record', folder]);
const endpoint = await startSocket(packageDir, server);

/** The sockets that were opened, so that they can be broken. */
const sockets = [];
class TestSocket extends socketClass(packageDir) {
  constructor(...args) {
    super(...args);
    sockets.push(this);
  }
}

/** Steps of the test wait for things that a busy machine is slow to do. */
const until = async (what, condition) => {
  for (const begin = performance.now(); !condition(); ) {
    assert.ok(performance.now() - begin < 30000, `waited 30 s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** A native client that plays for some ticks. @return its summary */
function playNative(ticks) {
  const child = spawn(clientProgram, [server.tcp, '--name', 'native', '--ticks', String(ticks), '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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

// A refusal is an error of connect(), which says once what the server says, and what there is.
await assert.rejects(connect({ url: endpoint.url, session: 'nowhere' }), (error) => error instanceof IsostepError
  && error.status === -34 && error.message === 'there is no session with this name (expected: main)');

const client = await connect({ url: endpoint.url, name: 'web', predictTicks: 8, webSocket: TestSocket });
const roots = new Map();
const outcomes = [];
assert.throws(() => client.on('tik', () => undefined), /there is no event tik; there are welcome, .*, tick, /);
await assert.rejects(client.next('outcomes'), /there is no event outcomes/);
client.on('tick', ({ tick }) => roots.set(tick, client.root));
client.on('outcome', (outcome) => outcomes.push(outcome));
assert.equal(client.slot, 0);
assert.equal(client.welcome.game, 'sandbox');
assert.equal(client.welcome.controlLayout, 'axes-buttons-8');

// With a native member beside it.
const native = playNative(180);
await until('the native member', () =>
  client.members.some(({ name, presence }) => name === 'native' && presence === 'here'),
);

// The own body moves by the stick.
const body = client.playerBody;
assert.notEqual(body, 0n);
const bodyX = () => client.poses().find((pose) => pose.body === body).x;
const startX = bodyX();
client.setControl(axesButtons(1, 0, 0));
await until('the body to move', () => Math.abs(bodyX() - startX) > 1);
client.setControl(axesButtons(0, 0, 0));

// A command's result is predicted, and then confirmed.
const sequence = client.command({ case: 'applyImpulse', value: { body, impulseY: 5n << 32n, pointX: 0n, pointY: 0n } });
const isResult = (mark) => (o) => o.kind === 'result' && o.first === BigInt(sequence) && o.mark === mark;
await until('the confirmed result', () => outcomes.some(isResult('confirmed')));
assert.equal(outcomes.find(isResult('confirmed')).status, 0);
assert.ok(outcomes.some(isResult('predicted')));

// A command with a wrong number is refused before it is sent; a stale one is a no-op that everybody sees.
assert.throws(
  () => client.command({ case: 'applyImpulse', value: { body, impulseX: 1n << 62n } }), (error) => error.status === -16,
);
client.command({ case: 'destroyBody', value: { body: 12345n } });
await until('the no-op', () => outcomes.some((o) => o.kind === 'result' && o.mark === 'confirmed' && o.status === -1));

// Items: as many shapes as there are, the own body among them, and polygons have corners.
const items = client.draw(Draw.SHAPES);
const shapes = Array.from({ length: items.count }, (_, i) => itemAt(items, i));
assert.ok(shapes.some((item) => item.body === body && item.ownerSlot === 0));
assert.ok(shapes.every((item) => item.part === Draw.SHAPES && item.points.length >= 1 && item.points.length <= 8));
assert.ok(client.draw(Draw.ALL).count > items.count);

// What is shown is a little behind the newest tick and moves on between two.
const shown = client.shown();
await until('what is shown to move on', () => {
  const later = client.shown();
  return later.tick + later.alpha > shown.tick + shown.alpha;
});

const summary = await native;
assert.equal(summary.code, 0);
await until(`tick ${summary.last_tick}`, () => client.tick >= summary.last_tick);
assert.equal(roots.get(summary.last_tick).toString(16).padStart(16, '0'), summary.last_hash, 'the native root');
assert.equal(summary.desyncs, 0);

// The connection breaks: the same member goes on.
const resumed = client.next('resumed');
sockets.at(-1).terminate();
assert.equal((await resumed).slot, 0);

// A flipped bit is found and healed.
const healed = client.next('healed');
const desync = client.next('desync');
client.flip();
assert.notEqual((await desync).ours, (await desync).theirs);
await healed;
const checked = client.stats.rootsChecked;
await until('roots after healing', () => client.stats.rootsChecked > checked + 10);

const { stats } = client;
assert.equal(stats.resumes, 1);
assert.equal(stats.heals, 1);
assert.equal(stats.desyncs, 1);
assert.ok(stats.bytesIn > 1000 && stats.bytesOut > 1000 && stats.rttNs > 0);
assert.equal((await client.leave()).status, 0);
endpoint.stop();
assert.equal(await server.stop(), 0);

// The recording has the same roots, events, commands, and is refused when a byte of it is another.
const bytes = readFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith('.isr'))));
const recording = Recording.open(client.module, bytes);
assert.equal(recording.header.session, 'main');
assert.equal(recording.header.game, 'sandbox');
assert.ok(recording.isSealed && recording.commandCount >= 4 && recording.header.scene.startsWith('{'));
for (const from of [recording.firstTick, recording.lastTick]) {
  const replay = recording.replay(from);
  const names = [];
  let right = 0;
  for (let tick = replay.next(); tick; tick = replay.next()) {
    assert.notEqual(tick.isRight, false, `tick ${tick.tick} of the recording`);
    assert.equal(tick.tick <= summary.last_tick ? (roots.get(tick.tick) ?? tick.root) : tick.root, tick.root);
    right += tick.isRight ? 1 : 0;
    names.push(...tick.events.filter(({ kind }) => kind === 'member').map(({ name }) => name));
  }
  assert.equal(replay.world.tick, BigInt(recording.lastTick));
  assert.ok(from !== recording.firstTick || (right > 100 && names.join() === 'web,native'), `${right} roots, ${names}`);
  replay.destroy();
}
const comparison = new Comparison(recording, recording);
assert.ok(comparison.run());
const { tick: firstWrong, stateTick, fieldCount, equalTicks } = comparison.result();
assert.deepEqual([firstWrong, stateTick, fieldCount], [undefined, undefined, 0], 'no difference, and no tick of one');
assert.ok(equalTicks > 100);
comparison.destroy();
recording.close();
bytes[bytes.length >> 1] ^= 1;
assert.throws(() => Recording.open(client.module, bytes), (error) => error.status === -64);
client.destroy();
console.log(`${stats.rootsChecked} roots agree, ${stats.rollbacks} rollbacks, ${outcomes.length} outcomes`);
