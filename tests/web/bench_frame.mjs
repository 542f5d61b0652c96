// What a frame of the page costs its script, by a scene with many moving bodies:
//
//   node bench_frame.mjs PACKAGE SERVER SCENE [SECONDS [CHROMIUM [server's options]]]
//
// In Node: a picture of the scene, painted over and over; the time of the processor, so that what else the machine does
// adds little. In Chromium, if it is given: the page in a session of the scene, what its frames took by the clock, what
// of that the calls of WebGL were, and the processor's time of all script between two frames.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load } from './bundle.mjs';
import { socketClass, startServer } from './server.mjs';

const [packageDir, serverProgram, scene, seconds = '10', chromiumProgram, ...serverOptions] = process.argv.slice(2);
const { Client, Draw, loadModule } = await import(pathToFileURL(resolve(packageDir, 'dist/isostep.js')));
const pageSources = process.env.ISO_PAGE_DIR; // of another page to compare with
const server = await startServer(serverProgram, [
  '--for', '600', '--memory', '512', '--scene', scene, ...serverOptions,
]);

const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
const line = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  return `median ${share(sorted, 0.5).toFixed(2)} ms, 95th percentile ${share(sorted, 0.95).toFixed(2)} ms`;
};

/** The draw items after some ticks, as the page asks for them. */
async function recordPicture() {
  const client = await Client.create({
    url: `ws://${server.http}/v1/socket`,
    session: 'main', module: await loadModule(), webSocket: socketClass(packageDir),
  });
  client.start();
  while (client.draw(Draw.SHAPES).count === 0) { // it draws before it has caught up, which takes long on a busy machine
    await new Promise((done) => setTimeout(done, 20));
  }
  const times = Array.from({ length: 20 }, () => {
    const begin = process.cpuUsage();
    client.draw(Draw.SHAPES | Draw.GAME | Draw.JOINTS);
    return sum(process.cpuUsage(begin));
  });
  console.log(`the Worker's part, draw(): ${line(times)}`);
  const { words, count, stride } = client.draw(Draw.SHAPES | Draw.GAME | Draw.JOINTS);
  const picture = { words: words.slice(), count, stride, player: client.playerBody, players: [] };
  client.destroy();
  return picture;
}

const sum = ({ user, system }) => (user + system) / 1000; // [ms]

function movingBodies({ words, count, stride }) {
  const bodies = new Set();
  for (let at = 0; at < count * stride; at += stride) {
    if (((words[at] >>> 8) & 255) === 1 && words[at] >>> 24 === 3) {
      bodies.add(words[at + 4]);
    }
  }
  return bodies.size;
}

async function benchPainter(picture) {
  const { Camera, Mesh, Painter, DARK } = await load(packageDir, `
    export { Camera } from './camera.js';
    export { Mesh } from './mesh.js';
    export { Painter } from './picture.js';
    export { DARK } from './theme.js';`, pageSources);
  const camera = Object.assign(new Camera(), { width: 1280, height: 800 });
  const mesh = new Mesh();
  const painter = new Painter(mesh, camera);
  camera.fit(painter.bounds(picture), 268, 68);
  const paint = () => {
    mesh.clear();
    mesh.originX = camera.x;
    mesh.originY = camera.y;
    painter.paint(picture, DARK);
  };
  for (let i = 0; i < 200; ++i) {
    paint();
  }
  const times = Array.from({ length: 400 }, () => {
    const begin = process.cpuUsage();
    paint();
    return sum(process.cpuUsage(begin));
  });
  const bytes = 4 * ((mesh.wordCount ?? mesh.vertexBytes.length / 4) + (mesh.indexCount ?? mesh.indices.length));
  console.log(`painting in Node: ${line(times)}; ${(bytes / 1000).toFixed(0)} kB for the graphics`);
}

/** In the page: adds up what the calls of WebGL take, for each frame. */
function watchGraphics() {
  const seen = { now: 0, frames: [], at: [] };
  globalThis.graphics = seen;
  const { prototype } = WebGL2RenderingContext;
  for (const name of [
    'bufferData', 'bufferSubData', 'drawElements', 'drawElementsInstanced', 'clear', 'uniform2f', 'viewport',
  ]) {
    const call = prototype[name];
    prototype[name] = function (...args) {
      const begin = performance.now();
      const result = call.apply(this, args);
      seen.now += performance.now() - begin;
      return result;
    };
  }
  const next = () => {
    seen.frames.push(seen.now);
    seen.at.push(performance.now());
    seen.now = 0;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

async function benchPage() {
  const { chromium } = createRequire(resolve(packageDir, 'package.json'))('playwright-core');
  const browser = await chromium.launch({
    executablePath: chromiumProgram,
    args: [
      '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-timer-throttling',
    ],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
    await page.addInitScript(watchGraphics);
    await page.goto(`http://${server.http}/#/s/main`);
    await page.waitForFunction(() => globalThis.isostep.pictures > 10, null, { timeout: 60000 });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const metric = async () =>
      Object.fromEntries(
        (await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]),
      );
    const before = await metric();
    await page.evaluate(() => {
      globalThis.isostep.frameMs.length = 0;
      globalThis.graphics.frames.length = globalThis.graphics.at.length = 0;
    });
    const tick = () => page.evaluate(() => Number(document.getElementById('tick').textContent.replace(/\D/g, '')));
    const [firstTick, begin] = [await tick(), performance.now()];
    await page.waitForTimeout(1000 * Number(seconds));
    const [lastTick, end] = [await tick(), performance.now()];
    const after = await metric();
    const { frames, graphics, pictures, at, light } = await page.evaluate(() => ({
      frames: globalThis.isostep.frameMs, graphics: globalThis.graphics.frames, pictures: globalThis.isostep.pictures,
      at: globalThis.graphics.at,
      light: document.getElementById('light-text').textContent,
    }));
    console.log(`script of a frame in Chromium: ${line(frames)}, over ${frames.length} frames`);
    console.log(`  of that calls of WebGL: ${line(graphics)}`);
    console.log(`  between frames: ${line(at.slice(1).map((time, i) => time - at[i]))}; ${pictures} pictures in all`);
    const perFrame = (name) => (((after[name] - before[name]) * 1000) / at.length).toFixed(2);
    console.log(
      `  processor's time for each: script ${perFrame('ScriptDuration')} ms, style and layout ` +
        `${(Number(perFrame('LayoutDuration')) + Number(perFrame('RecalcStyleDuration'))).toFixed(2)} ms, ` +
        `all tasks ${perFrame('TaskDuration')} ms`,
    );
    console.log(`  ticks: ${((lastTick - firstTick) / ((end - begin) / 1000)).toFixed(1)} a second; ${light}`);
  } finally {
    await browser.close();
  }
}

try {
  const picture = await recordPicture();
  console.log(`${scene}: ${movingBodies(picture)} moving bodies, ${picture.count} items`);
  await benchPainter(picture);
  if (chromiumProgram !== undefined) {
    await benchPage();
  }
} finally {
  await server.stop();
}
