// Times the step of a scene in headless Chromium and in the native portable path of isostep-bench, by turns:
//
//   node bench_chromium.mjs PACKAGE CASE_FILE CHROMIUM ISOSTEP_BENCH SCENE [RUNS]
//
// Prints the mean step of the fastest run of each, and their ratio. What else the machine does only adds. The limit is
// 1.5 for large-pyramid; bench_step.mjs does the same in Node.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { Case } from './case.mjs';

const [packageDir, casePath, chromiumProgram, bench, scene, runs = '12'] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const { chromium } = createRequire(resolve(packageDir, 'package.json'))('playwright-core');

const script = await bundle(packageDir, `
  import { Case } from './case.mjs';
  import { loadModule, World } from '${resolve(packageDir, 'dist/isostep.js')}';
  const [module, bytes] = await Promise.all([
    loadModule('/isostep.wasm'),
    fetch('/case').then((answer) => answer.arrayBuffer()).then((buffer) => new Uint8Array(buffer)),
  ]);
  globalThis.stepMs = () => {
    const file = new Case(bytes);
    const world = World.fromSnapshot(module, file.snapshot);
    let total = 0;
    for (let tick = 1; tick <= file.tickCount; ++tick) {
      const input = file.nextInput(tick, (bytes) => world.decodeCommand(bytes));
      const begin = performance.now();
      world.step(input);
      total += performance.now() - begin;
    }
    const root = world.root.toString(16);
    world.destroy();
    return { ms: total / file.tickCount, root };
  };`, here, true);
const files = {
  '/': ['text/html', '<!doctype html><script type="module" src="/script.js"></script>'],
  '/script.js': ['text/javascript', script],
  '/isostep.wasm': ['application/wasm', readFileSync(resolve(packageDir, 'dist/isostep.wasm'))],
  '/case': ['application/octet-stream', readFileSync(casePath)],
};
const listener = http.createServer(({ url }, answer) => {
  const [type, body] = files[url] ?? [];
  answer.writeHead(body === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(body ?? '');
});
await new Promise((done) => listener.listen(0, '127.0.0.1', done));

/** @return [ms] */
function stepNative() {
  const { tickCount } = new Case(readFileSync(casePath));
  const options = ['--scene', scene, '--simd', 'portable', '--sleep', '--no-peers', '--runs', '1', '--warm-up', '0'];
  const output = execFileSync(bench, [...options, '--steps', String(tickCount), '--json', '-'], { encoding: 'utf8' });
  return JSON.parse(output).results[0].step_us / 1000;
}

const browser = await chromium.launch({ executablePath: chromiumProgram, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(error));
  await page.goto(`http://127.0.0.1:${listener.address().port}/`);
  await page.waitForFunction(() => globalThis.stepMs !== undefined, null, { timeout: 60000 });
  let inChromium = Infinity;
  let native = Infinity;
  let root = '';
  for (let run = 0; run < Number(runs); ++run) {
    const found = await page.evaluate(() => globalThis.stepMs());
    root = found.root;
    inChromium = Math.min(inChromium, found.ms);
    native = Math.min(native, stepNative());
  }
  console.log(
    `${inChromium.toFixed(3)} ms a step in Chromium, natively ${native.toFixed(3)} ms, ` +
      `ratio ${(inChromium / native).toFixed(2)}; the fastest of ${runs} runs; root ${root}`,
  );
} finally {
  await browser.close();
  listener.close();
}
