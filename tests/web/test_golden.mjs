// The golden roots of the scenes, from the package with a module that has the games of the scenes:
//
//   node test_golden.mjs PACKAGE_DIR MODULE CASE_DIR SCENES.txt ROOTS.txt WORLDS [CHROMIUM [--small]]
//
// in Node, or in Chromium; there with --small without the scenes that take longest. WORLDS is the kind of the scenes'
// worlds: plane or space.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startBrowser } from './browser.mjs';
import { rootsOf } from './case.mjs';

const [packageDir, modulePath, caseDir, scenesPath, rootsPath, worlds, chromium, small] = process.argv.slice(2);
const LARGE = ['large-pyramid', 'joint-grid', 'ragdoll-pile', 'tumbler', 'ragdolls', 'long-chain', 'bridge'];
const lines = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
const scenes = lines(scenesPath)
  .map((line) => line.split(/\s+/))
  .filter((row) => row[4] === worlds)
  .map((row) => row[0])
  .filter((scene) => !small || !LARGE.includes(scene));
const golden = new Map(scenes.map((scene) => [scene, []]));
for (const [scene, tick, root] of lines(rootsPath).map((line) => line.split(/\s+/))) {
  golden.get(scene)?.push([Number(tick), root]);
}

/** What the page consists of: an address and its file. A bundler would make one script of it. */
const page = new Map([
  ['isostep.js', join(packageDir, 'dist/isostep.js')],
  ['case.mjs', fileURLToPath(new URL('case.mjs', import.meta.url))],
  ['module.wasm', modulePath],
  ...scenes.map((scene) => [`${scene}.case`, join(caseDir, `${scene}.case`)]),
]);
const TYPES = {
  js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', case: 'application/octet-stream',
};
const IMPORTS = {
  '@bufbuild/protobuf': './node_modules/@bufbuild/protobuf/dist/esm/index.js',
  '@bufbuild/protobuf/wire': './node_modules/@bufbuild/protobuf/dist/esm/wire/index.js',
  '@bufbuild/protobuf/wkt': './node_modules/@bufbuild/protobuf/dist/esm/wkt/index.js',
  fzstd: './node_modules/fzstd/esm/index.mjs',
};
const HTML =
  '<!doctype html><title>Golden roots</title><link rel="icon" href="data:,">' +
  `<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>`;

/** The file behind an address, as a server would send it. */
function serve(route) {
  const name = new URL(route.request().url()).pathname.slice(1);
  if (name === '') {
    return route.fulfill({ contentType: 'text/html', body: HTML });
  }
  const path = name.startsWith('node_modules/') ? join(packageDir, name) : page.get(name);
  return path === undefined
    ? route.fulfill({ status: 404 })
    : route.fulfill({ path, contentType: TYPES[name.split('.').at(-1)] });
}

/** @return { compute, stop, faults }; compute gives the roots of a scene */
async function inChromium() {
  const browser = await startBrowser(packageDir, chromium, 'http://localhost:1'); // which nobody asks
  const tab = await browser.open('golden', '/', {}, (opened) => opened.route('**/*', serve));
  const compute = (scene, ticks) =>
    tab.evaluate(
      async ([name, asked]) => {
        const [{ loadModule, World }, { rootsOf: inTab }] = await Promise.all([
          import('/isostep.js'), import('/case.mjs'),
        ]);
        globalThis.module ??= await loadModule('/module.wasm');
        const file = await (await fetch(`/${name}.case`)).arrayBuffer();
        return inTab(World, globalThis.module, new Uint8Array(file), new Set(asked));
      },
      [scene, ticks],
    );
  return { compute, stop: () => browser.close(), faults: browser.faults };
}

async function inNode() {
  const { loadModule, World } = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));
  const module = await loadModule(readFileSync(modulePath));
  const compute = (scene, ticks) =>
    rootsOf(World, module, readFileSync(join(caseDir, `${scene}.case`)), new Set(ticks));
  return { compute, stop: () => undefined, faults: [] };
}

const host = await (chromium ? inChromium() : inNode());
try {
  let compared = 0;
  for (const scene of scenes) {
    const expected = golden.get(scene);
    assert.deepEqual(await host.compute(scene, expected.map(([tick]) => tick)), expected, scene);
    compared += expected.length;
  }
  assert.deepEqual(host.faults, []);
  const [least, roots] = worlds === 'space' ? [4, 20] : small ? [10, 50] : [20, 100];
  assert.ok(scenes.length > least && compared > roots, `${scenes.length} scenes, ${compared} roots`);
  console.log(`${compared} roots of ${scenes.length} scenes agree ${chromium ? 'in Chromium' : 'in Node'}`);
} finally {
  await host.stop();
}
