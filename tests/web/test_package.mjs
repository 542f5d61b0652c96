// The package as somebody else has it: packed, unpacked beside its dependencies, and bundled as its README says.
//
//   node test_package.mjs PACKAGE_DIR
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const packageDir = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'isostep-package-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const modules = join(folder, 'node_modules');
const own = join(modules, 'isostep');
mkdirSync(own, { recursive: true });

// What npm would publish or install, with what it depends on, but without ws.
const [{ filename }] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: packageDir, encoding: 'utf8' }),
);
execFileSync('tar', ['-xzf', join(folder, filename), '-C', own, '--strip-components=1']);
for (const name of ['@bufbuild', 'fzstd']) {
  symlinkSync(realpathSync(join(packageDir, 'node_modules', name)), join(modules, name));
}
for (const file of [
  'dist/isostep.js', 'dist/isostep.wasm', 'dist/isostep3.wasm', 'dist/index.d.ts', 'example/play.mjs',
  'proto/isostep/v1/command.proto', 'README.md',
]) {
  assert.ok(readFileSync(join(own, file)).length > 0, file);
}

// A bundler carries the module when its address is imported.
const readme = readFileSync(join(own, 'README.md'), 'utf8');
const sample = [...readme.matchAll(/```js\n([\s\S]*?)```/g)]
  .map(([, text]) => text)
  .find((text) => text.includes('isostep.wasm?url'));
assert.ok(sample, 'the README says how');
writeFileSync(join(folder, 'main.js'), sample);
writeFileSync(join(folder, 'index.html'), '<script type="module" src="./main.js"></script>');
const vite = createRequire(join(packageDir, 'package.json')).resolve('vite/package.json');
const { build } = await import(pathToFileURL(join(dirname(vite), 'dist/node/index.js')));
await build({ root: folder, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
const assets = readdirSync(join(folder, 'dist/assets'));
const carried = assets.find((name) => name.endsWith('.wasm'));
assert.ok(carried, `there is a module among ${assets}`);
assert.deepEqual(readFileSync(join(folder, 'dist/assets', carried)), readFileSync(join(own, 'dist/isostep.wasm')));
const scripts = assets
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(join(folder, 'dist/assets', name), 'utf8'));
assert.ok(scripts.some((script) => script.includes(carried)), 'a script has its address');

// The README has all events.
const { EVENT_NAMES } = await import(pathToFileURL(join(own, 'dist/isostep.js')));
const table = readme.slice(readme.indexOf('### Events'), readme.indexOf('## Your own game'));
assert.deepEqual([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name), Object.keys(EVENT_NAMES));

// Its sizes are those of this build, to 2 %; they depend a little on the compiler.
const { first, later, player, space } = JSON.parse(readFileSync(join(packageDir, '../sizes.json'), 'utf8'));
const bytes = readFileSync(join(own, 'dist/isostep.wasm'));
const page = readFileSync(join(packageDir, '../play/isostep.wasm'));
const sizesOf = (module) => [module.length, gzipSync(module, { level: 9 }).length];
const text = readme.replace(/\s+/g, ' ');
for (const [pattern, sizes] of [
  [/above the limits: (\d+) kB, (\d+) kB with gzip\./, [first.plain, first.gzip]],
  [/The other chunks have (\d+) and (\d+) kB;/, [later.plain, later.gzip]],
  [/what only the player loads, (\d+) and (\d+) kB;/, [player.plain, player.gzip]],
  [/what only worlds in space load, ([\d,]+) and (\d+) kB\./, [space.plain, space.gzip]],
  [/The module with worlds in space has (\d+) and (\d+) kB\./, sizesOf(readFileSync(join(own, 'dist/isostep3.wasm')))],
  [/with the module, which alone is (\d+) kB \((\d+) kB\)/, sizesOf(page)],
  [/binaryen shrinks the result: (\d+) kB, (\d+) kB with gzip;/, sizesOf(bytes)],
  [/as the page has it, (\d+) and (\d+) kB\./, sizesOf(page)],
]) {
  const said = pattern.exec(text).slice(1).map((kB) => 1000 * Number(kB.replace(',', '')));
  sizes.forEach((size, i) => assert.ok(Math.abs(said[i] - size) < 500 + 0.02 * size, `${pattern}: ${size} bytes`));
}

// Without a WebSocket it says what is missing.
writeFileSync(join(folder, 'alone.mjs'), `
delete globalThis.WebSocket;
const { Client } = await import('isostep');
await Client.create({ url: 'ws://127.0.0.1:9/' }).catch((error) => console.log(error.message));
`);
const { stdout } = spawnSync(process.execPath, [join(folder, 'alone.mjs')], { encoding: 'utf8' });
assert.equal(stdout, 'Node before 22 needs `npm install ws`, or the option webSocket\n');
console.log(`${filename}: ${carried} of ${assets.length} files`);
