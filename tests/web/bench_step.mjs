// Times the step of a scene in the module and, when it is given, in the native portable path of isostep-bench, by
// turns:
//
//   node bench_step.mjs PACKAGE_DIR CASE_FILE [RUNS [ISOSTEP_BENCH SCENE]]
//
// Prints the mean step of the fastest run of each, and their ratio. What else the machine does only adds.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Case } from './case.mjs';

const [packageDir, casePath, runs = '3', bench, scene] = process.argv.slice(2);
const { loadModule, World } = await import(pathToFileURL(resolve(packageDir, 'dist/isostep.js')));
const module = await loadModule();

/** @return [ms] */
function stepModule() {
  const file = new Case(readFileSync(casePath));
  const world = World.fromSnapshot(module, file.snapshot);
  let total = 0;
  for (let tick = 1; tick <= file.tickCount; ++tick) {
    const input = file.nextInput(tick, (bytes) => world.decodeCommand(bytes));
    const begin = performance.now();
    world.step(input);
    total += performance.now() - begin;
  }
  world.destroy();
  return total / file.tickCount;
}

/** @return [ms] */
function stepNative() {
  const { tickCount } = new Case(readFileSync(casePath));
  const options = ['--scene', scene, '--simd', 'portable', '--sleep', '--no-peers', '--runs', '1', '--warm-up', '0'];
  const output = execFileSync(bench, [...options, '--steps', String(tickCount), '--json', '-'], { encoding: 'utf8' });
  return JSON.parse(output).results[0].step_us / 1000;
}

let inModule = Infinity;
let native = Infinity;
for (let run = 0; run < Number(runs); ++run) {
  inModule = Math.min(inModule, stepModule());
  native = bench === undefined ? native : Math.min(native, stepNative());
}
const compared =
  bench === undefined ? '' : `, natively ${native.toFixed(3)} ms, ratio ${(inModule / native).toFixed(2)}`;
console.log(`${inModule.toFixed(3)} ms a step in the module${compared}; the fastest of ${runs} runs`);
