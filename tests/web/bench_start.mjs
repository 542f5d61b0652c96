// How long a page takes from navigation to the first confirmed tick that is drawn, with a warm cache:
//
//   node bench_start.mjs PACKAGE SERVER CHROMIUM [RUNS]
//
// Prints the times of the runs after the first, which fills the cache, and their median.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, chromiumProgram, runs = '5'] = process.argv.slice(2);
const { chromium } = createRequire(resolve(packageDir, 'package.json'))('playwright-core');
const server = await startServer(serverProgram);
const browser = await chromium.launch({
  executablePath: chromiumProgram,
  args: [
    '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-timer-throttling',
  ],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const times = [];
  for (let run = 0; run <= Number(runs); ++run) {
    await page.goto('about:blank');
    await page.goto(`http://${server.http}/`);
    await page.waitForFunction(() => globalThis.isostep?.firstMs !== undefined, null, { timeout: 60000 });
    times.push(await page.evaluate(() => globalThis.isostep.firstMs));
  }
  const [cold, ...warm] = times;
  const sorted = [...warm].sort((a, b) => a - b);
  const text = warm.map((ms) => ms.toFixed(0)).join(', ');
  console.log(
    `from navigation to the first confirmed tick drawn: ${sorted[sorted.length >> 1].toFixed(0)} ms, ` +
      `the median of ${text}; ${cold.toFixed(0)} ms without a cache`,
  );
} finally {
  await browser.close();
  await server.stop();
}
