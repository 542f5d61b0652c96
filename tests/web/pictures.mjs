// Takes the pictures of the page for its document, of real sessions: dark, light, a phone, and in space.
//
//   node pictures.mjs PACKAGE SERVER CLIENT CHROMIUM FOLDER
//
// Needs pngquant. A picture that is larger than 120 kB is an error.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { proven, startBrowser, startNative } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, clientProgram, chromiumProgram, folder] = process.argv.slice(2);
const SIZE_MAX = 120000; // [bytes]
mkdirSync(folder, { recursive: true });

const server = await startServer(
  serverProgram,
  ['sandbox', 'everything', 'pinball', 'sandbox3'].flatMap((scene) => ['--session', `${scene}=${scene}`]),
);
const browser = await startBrowser(packageDir, chromiumProgram, `http://${server.http}`);
const natives = [
  ['sandbox', 'builder'], ['pinball', 'pinball'], ['sandbox3', 'wander'],
].map(([session, bot]) => startNative(clientProgram, server, { session, bot, name: 'Dora' }));

/** Saves what the page shows, with 256 colours. */
async function save(page, name) {
  const path = join(resolve(folder), `${name}.png`);
  await page.screenshot({ path });
  execFileSync('pngquant', ['--force', '--output', path, '--speed', '1', '--quality', '0-90', '256', path]);
  const { size } = statSync(path);
  console.log(`${path}: ${size} bytes`);
  assert.ok(size <= SIZE_MAX, `${path} is larger than ${SIZE_MAX} bytes`);
}

/** Throws a few things to where there is room. */
async function throwSome(page) {
  for (const [tool, x] of [['box', 620], ['ball', 700], ['plank', 660], ['box', 740]]) {
    await page.locator(`[data-tool=${tool}]`).click();
    await page.mouse.move(x, 260);
    await page.mouse.down();
    await page.mouse.move(x + 40, 240, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(300);
  }
  await page.locator('[data-tool=hand]').click();
}

/** One tab at a time: two that draw without a graphics card take the processor from each other. */
async function take(name, user, session, options, act) {
  const page = await browser.open(user, `/#/s/${session}`, options);
  await proven(page);
  await page.waitForTimeout(3000); // until the charts have something to show
  await act(page);
  await save(page, name);
  await page.close();
}

try {
  await take('dark', 'Anna', 'sandbox', {}, async (page) => {
    await throwSome(page);
    await page.waitForTimeout(1500);
  });
  await take('light', 'Bob', 'everything', { colorScheme: 'light' }, async (page) => {
    await page.locator('#follow').uncheck();
    await page.locator('#world').press('0');
    await throwSome(page);
  });
  await take(
    'phone', 'Eve', 'pinball',
    { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }, () => undefined,
  );
  await take('space', 'Anna', 'sandbox3', { viewport: { width: 1040, height: 680 } }, async (page) => {
    await page.evaluate(() => {
      document.getElementById('follow').checked = false;
      const { space, space: { stage } } = globalThis.isostep;
      [space.isThrifty, stage.quality] = [false, 2];
      stage.eye.look(stage.eye.target.clone().set(0, 0.5, 0), 22, 0.5, 0.4);
    });
    for (const [tool, x, y] of [['box', 330, 400], ['ball', 420, 440], ['plank', 500, 410], ['box', 335, 370]]) {
      await page.locator(`[data-tool=${tool}]`).click();
      await page.mouse.click(x, y);
      await page.waitForTimeout(400);
    }
    await page.locator('[data-tool=look]').click();
    await page.waitForTimeout(1500);
  });
  assert.deepEqual(browser.faults, []);
} finally {
  natives.forEach((native) => native.stop());
  await browser.close();
  await server.stop();
}
