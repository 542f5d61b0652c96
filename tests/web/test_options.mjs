// What the package says to options and arguments that are none, and where it looks for a module: node test_options.mjs
// PACKAGE_DIR
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const packageDir = resolve(process.argv[2]);
const { Client, connect, loadModule } = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));
const module = await loadModule();
const good = { url: 'ws://127.0.0.1:1/', module, webSocket: class {} };

// Nothing is connected for an option that is not right, and the error has its name and what was expected.
for (const [wrong, message] of [
  [{ sesion: 'x' }, /there is no option sesion; there are url, session, name, role, .*webSocket$/],
  [{ toString: 1 }, /there is no option toString; /],
  [{ role: 'observer' }, /the option role is observer; expected player or spectator/],
  [{ role: 2 }, /the option role is 2; expected player or spectator/],
  [{ predictTicks: 99 }, /the option predictTicks is 99; expected a whole number from 0 to 16/],
  [{ predictFrames: 8 }, /there is no option predictFrames; .*predictTicks/],
  [{ leadTicks: 0 }, /the option leadTicks is 0; expected a whole number from 1 to 60/],
  [{ reconnectMs: -1 }, /the option reconnectMs is -1; expected a whole number from 0 to 4294967295/],
  [{ reconnectMs: '5' }, /the option reconnectMs is 5; expected a whole number/],
  [{ verify: 'no' }, /the option verify is no; expected true or false/],
  [{ name: ['ann'] }, /the option name is an array; expected a text/],
  [{ session: null }, /the option session is null; expected a text/],
  [{ webSocket: 'ws' }, /the option webSocket is ws; expected a class/],
  [{ module: 5 }, /the option module is 5; expected a module, its address or its bytes/],
  [{ url: undefined }, /the option url is undefined; expected the address of a socket/],
]) {
  await assert.rejects(
    connect({ ...good, ...wrong }), (error) => error instanceof TypeError && message.test(error.message),
    JSON.stringify(wrong),
  );
}
const client = await Client.create({
  ...good, session: undefined, role: 'player', predictTicks: 16, leadTicks: 60, reconnectMs: 0,
});
for (const block of [[1, 2], 'block', undefined, new ArrayBuffer(8), new Int16Array(4)]) {
  assert.throws(
    () => client.setControl(block),
    (error) => error instanceof TypeError && /expected its bytes in one/.test(error.message),
  );
}
// It has not joined.
assert.throws(() => client.setControl(new Uint8Array(8)), (error) => !(error instanceof TypeError));
client.destroy();

// A path is meant from the working directory, an address from the page.
const folder = mkdtempSync(join(tmpdir(), 'isostep-options-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'my game.wasm');
copyFileSync(join(packageDir, 'dist/isostep.wasm'), path);
process.chdir(folder);
for (const source of ['my game.wasm', './my game.wasm', path, pathToFileURL(path).href, pathToFileURL(path)]) {
  assert.equal((await loadModule(source)).statusName(0), module.statusName(0), String(source));
}
await assert.rejects(
  loadModule('nowhere.wasm'),
  (error) => error.code === 'ENOENT' && error.message.includes(join(folder, 'nowhere.wasm')),
);
copyFileSync(path, join(folder, 'nowhere.wasm'));
assert.equal(
  (await loadModule('nowhere.wasm')).statusName(0), module.statusName(0), 'what was not there is asked for again',
);
const asked = [];
globalThis.fetch = async (url) => {
  asked.push(String(url));
  throw new Error('enough');
};
for (const place of [
  { document: { baseURI: 'http://game.test/play/' } },
  { location: { href: 'http://game.test/play/worker.js' } },
]) {
  Object.assign(globalThis, { document: undefined, location: undefined }, place);
  await assert.rejects(loadModule('my-game.wasm'), /enough/);
  await assert.rejects(loadModule('/a/my-game.wasm'), /enough/);
}
assert.deepEqual(asked, [
  'http://game.test/play/my-game.wasm',
  'http://game.test/a/my-game.wasm',
  'http://game.test/play/my-game.wasm',
  'http://game.test/a/my-game.wasm',
]);
console.log('options are checked');
