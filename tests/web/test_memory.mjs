// The module's memory: node test_memory.mjs PACKAGE_DIR WEB_LARGE
//
// Blocks are aligned, do not overlap, keep what was written into them, and are one again when all are given back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { Client, loadModule, World } = await import(pathToFileURL(resolve(process.argv[2], 'dist/isostep.js')));
const module = await loadModule();
const { calls } = module;
const pages = () => calls.memory.buffer.byteLength;

let state = 1n; // a fixed sequence
const random = (bound) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number(state >> 33n) % bound;
};

const blocks = [];
const check = ({ at, size, mark }) => {
  const bytes = new Uint8Array(calls.memory.buffer, at, size);
  assert.ok(bytes.every((byte) => byte === mark), `the block at ${at} was written into`);
};
for (let i = 0; i < 4000; ++i) {
  if (blocks.length < 60 || random(2) === 0) {
    const size = 1 + random(random(8) === 0 ? 200000 : 300);
    const at = calls.iso_web_take(size);
    assert.ok(at > 0 && at % 64 === 0);
    const mark = i & 0xff;
    new Uint8Array(calls.memory.buffer, at, size).fill(mark);
    blocks.push({ at, size, mark });
  } else {
    const [block] = blocks.splice(random(blocks.length), 1);
    check(block);
    calls.iso_web_give(block.at, block.size);
  }
}
blocks.forEach(check);
blocks.forEach(({ at, size }) => calls.iso_web_give(at, size));
const most = pages();
const first = Math.min(...blocks.map(({ at }) => at));
const whole = calls.iso_web_take(most - first - (1 << 17));
assert.equal(pages(), most, 'free neighbours are not joined');
calls.iso_web_give(whole, most - first - (1 << 17));

// Too much is refused, and clients leave nothing behind.
assert.equal(calls.iso_web_take(0xfffffff0), 0);
const make = async () => (await Client.create({ url: 'ws://127.0.0.1:1/', module, webSocket: class {} })).destroy();
await make();
const before = pages();
for (let i = 0; i < 50; ++i) {
  await make();
}
assert.equal(pages(), before, 'clients leave memory behind');

// Nor do snapshots that are none, or end too early.
const snapshots = [new Uint8Array(5), new Uint8Array(1 << 16)];
const fail = () =>
  snapshots.forEach((snapshot) => assert.throws(() => World.fromSnapshot(module, snapshot), /the snapshot|the world/));
fail();
const settled = pages();
for (let i = 0; i < 1000; ++i) {
  fail();
}
assert.equal(pages(), settled, 'snapshots that fail leave memory behind');

// Nor does the snapshot of a world that is larger than all memory, of which a few KB are enough: it is refused with
// what it needs, in the plane and in space, whether or not that is more than 32 bits can say, and the module goes on.
const folder = mkdtempSync(join(tmpdir(), 'isostep-large-'));
const space = await loadModule(new URL('./isostep3.wasm', pathToFileURL(resolve(process.argv[2], 'dist/isostep.js'))));
for (const [dimensions, where] of [['2', module], ['2', space], ['3', space]]) {
  for (const part of ['1', '2']) {
    const file = join(folder, `${dimensions}-${part}`);
    execFileSync(process.argv[3], [dimensions, part, file]);
    const large = readFileSync(file);
    const size = where.calls.memory.buffer.byteLength;
    for (let i = 0; i < 20; ++i) {
      assert.throws(
        () => World.fromSnapshot(where, large),
        /the world of the snapshot needs (more than 4 GiB|[0-9]+ MiB) of memory/,
      );
    }
    assert.ok(where.calls.memory.buffer.byteLength <= size + (4 << 20), 'what is refused leaves memory behind');
  }
}
rmSync(folder, { recursive: true });
assert.throws(() => calls.iso_web_give(first, 1 << 30), WebAssembly.RuntimeError, 'a block larger than the memory');
console.log(`${most >> 10} KiB`);
