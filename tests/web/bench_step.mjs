// Times the step of a scene: node bench_step.mjs PACKAGE_DIR CASE_FILE [RUNS]. Prints the mean of the ticks' fastest steps.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Case } from './case.mjs';

const [packageDir, casePath, runs = '3'] = process.argv.slice(2);
const { loadModule, World } = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));
const module = await loadModule();
const fastest = []; // of each tick, of all runs: what else the machine does only adds
for (let run = 0; run < Number(runs); ++run) {
  const file = new Case(casePath);
  const world = World.fromSnapshot(module, file.snapshot);
  for (let tick = 1; tick <= file.tickCount; ++tick) {
    const input = file.nextInput(tick, (bytes) => world.decodeCommand(bytes));
    const begin = performance.now();
    world.step(input);
    fastest[tick - 1] = Math.min(fastest[tick - 1] ?? Infinity, performance.now() - begin);
  }
  world.destroy();
}
console.log(`${(fastest.reduce((sum, ms) => sum + ms) / fastest.length).toFixed(3)} ms a step, the fastest of ${runs} runs`);
