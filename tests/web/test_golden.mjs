// The golden roots of all scenes, from the package with a module that has the games of the scenes:
//
//   node test_golden.mjs PACKAGE_DIR MODULE CASE_DIR SCENES.txt ROOTS.txt
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Case } from './case.mjs';

const [packageDir, modulePath, caseDir, scenesPath, rootsPath] = process.argv.slice(2);
const { loadModule, World } = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));
const lines = (path) => readFileSync(path, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const scenes = lines(scenesPath).map((line) => line.split(/\s+/)[0]);
const roots = new Map(lines(rootsPath).map((line) => {
  const [scene, tick, root] = line.split(/\s+/);
  return [`${scene} ${tick}`, root];
}));

const module = await loadModule(readFileSync(modulePath));
let compared = 0;
for (const scene of scenes) {
  const file = new Case(join(caseDir, `${scene}.case`));
  const world = World.fromSnapshot(module, file.snapshot);
  for (let tick = 1; tick <= file.tickCount; ++tick) {
    world.step(file.nextInput(tick, (bytes) => world.decodeCommand(bytes)));
    const expected = roots.get(`${scene} ${tick}`);
    if (expected !== undefined) {
      assert.equal(world.root.toString(16).padStart(16, '0'), expected, `${scene}, tick ${tick}`);
      ++compared;
    }
  }
  world.destroy();
}
assert.ok(scenes.length > 20 && compared > 100, `${scenes.length} scenes, ${compared} roots`);
console.log(`${compared} roots of ${scenes.length} scenes agree`);
