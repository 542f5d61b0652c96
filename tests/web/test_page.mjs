// The page that the server serves, in headless Chromium: two tabs and a native client in one session, a body that a
// real mouse drags, equal roots, and nothing that fails or leaves the server's origin.
//
//   node test_page.mjs PACKAGE SERVER CLIENT CHROMIUM [FOLDER for pictures]
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { drag, flip, pass, proven, roots, startBrowser, startNative, take, things, until } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, clientProgram, chromiumProgram, pictures] = process.argv.slice(2);

const server = await startServer(serverProgram, ['--http-prefix', '/play']); // the page works below any path
const origin = `http://${server.http}`;
const browser = await startBrowser(packageDir, chromiumProgram, origin);
const { check, faults } = browser;
const openTab = (name, path, options) => browser.open(name, `/play/${path}`, options);
const picture = (name) => (pictures ? resolve(pictures, `${name}.png`) : null);

const ownCount = async (page, slot) => (await things(page)).filter((thing) => thing.slot === slot).length;

/** Throws a box and a plank, joins them by a rod and deletes the box again. The other tab sees all of it. */
async function build(page, other) {
  const slot = await page.evaluate(() => globalThis.isostep.slot);
  const before = await ownCount(other, slot);
  const find = async () =>
    (await things(page)).filter((thing) => thing.slot === slot).sort((a, b) => a.index - b.index);
  const known = new Set((await find()).map(({ index }) => index));
  await page.locator('#follow').uncheck();
  await page.evaluate(() => Object.assign(globalThis.isostep.camera, { x: 6, y: 5, scale: 40 })); // free ground
  await page.locator('[data-tool=box]').click();
  await page.mouse.click(560, 520);
  await page.keyboard.press('4');
  await page.mouse.move(720, 520);
  await page.mouse.down();
  await page.mouse.move(722, 505, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await ownCount(other, slot)) === before + 2, 'the other tab has the box and the plank');
  await pass(150, page); // until they lie
  const made = (await find()).map(({ index }) => index).filter((index) => !known.has(index));
  await page.locator('[data-tool=rod]').click();
  await until(async () => { // something may have rolled in between
    const [box, plank] = (await find()).filter(({ index }) => made.includes(index));
    await page.mouse.move(box.px, box.py);
    await page.mouse.down();
    await page.mouse.move(plank.px, plank.py, { steps: 3 });
    await page.mouse.up();
    await pass(24, page);
    return (await find()).find(({ index }) => index === plank.index)?.isJoined;
  }, 'the rod is there');
  await take(page, picture('build'));
  const now = (await find()).find(({ index }) => index === made[0]);
  await page.locator('[data-tool=delete]').click();
  await page.mouse.click(now.px, now.py);
  await until(async () => (await ownCount(other, slot)) === before + 1, 'the box is gone');
  await page.locator('[data-tool=hand]').click();
}

/** With latency of the tab's own the round trip is longer, and the world goes on. */
async function slow(page) {
  await page.locator('#delay').fill('200');
  await until(async () => parseFloat(await page.locator('#trip').textContent()) > 150, 'the round trip is longer');
  await page.locator('#stall').click();
  await page.waitForTimeout(1500);
  await page.locator('#delay').fill('0');
  assert.equal(
    await page.locator('#light').getAttribute('data-state'), 'playing',
    await page.locator('#message-text').textContent(),
  );
}

/** A finger on the page's stick drives the own body. */
async function drive(page) {
  const own = () =>
    page.evaluate(() => globalThis.isostep.picture.players.find(({ slot }) => slot === globalThis.isostep.slot)?.x);
  await until(async () => (await own()) !== undefined, 'there is a body to drive');
  await pass(120, page); // until it has fallen
  const { x, y, width, height } = await page.locator('#stick').boundingBox();
  const before = await own();
  let way = 1;
  await until(async () => { // it may lie between others
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + (way * width) / 2, y);
    await pass(42, page);
    await page.mouse.up();
    way = -way;
    return Math.abs((await own()) - before) > 0.3;
  }, 'the body is driven');
}

try {
  const native = startNative(clientProgram, server);
  const first = await openTab('ann', '');
  await first.waitForURL(/#\/s\/main$/); // the only session is joined at once
  const second = await openTab('bob', '#/s/main', { colorScheme: 'light' });
  await proven(first);
  await proven(second);
  await browser.reload(first); // with a warm cache
  await proven(first);
  const firstMs = await first.evaluate(() => globalThis.isostep.firstMs);
  console.log(`from navigation to the first proven tick that is drawn: ${firstMs.toFixed(0)} ms`);
  const moved = await drag(first, second, picture('dark'));
  console.log(`dragged ${moved.toFixed(2)} m`);
  assert.ok(moved > 1, 'the body follows the mouse in the other tab');
  await check(first, 'a session, dark');
  await check(second, 'a session, light');
  await second.locator('#world').focus();
  await second.keyboard.down('ArrowRight');
  await second.waitForTimeout(600);
  await second.keyboard.press('Space');
  await second.keyboard.up('ArrowRight');
  await build(second, first);
  await slow(second);
  await flip(second, picture('wrong'));
  native.stop();
  const { code, summary } = await native.ended;
  assert.equal(code, 0);
  const { last_tick: lastTick, last_hash: lastHash, desyncs } = summary;
  assert.equal(desyncs, 0);
  await until(async () => (await roots(first)).some(([tick]) => tick >= lastTick), `tick ${lastTick}`);
  const mine = new Map(await roots(first));
  const common = (await roots(second)).filter(([tick]) => mine.has(tick));
  assert.ok(common.length > 30, `${common.length} ticks are proven in both tabs`);
  for (const [tick, root] of common) {
    assert.equal(root, mine.get(tick), `tick ${tick}`);
  }
  assert.equal(mine.get(lastTick), lastHash, 'the native client has the same root');
  console.log(`${common.length} roots are equal in both tabs`);
  assert.equal(await first.locator('#light').getAttribute('data-state'), 'playing');
  assert.equal(await first.locator('#members li').count() >= 2, true);
  const frames = (await first.evaluate(() => globalThis.isostep.frameMs)).sort((a, b) => a - b);
  console.log(
    `script of a frame: ${frames[frames.length >> 1].toFixed(2)} ms, ` +
      `95th percentile ${frames[Math.floor(frames.length * 0.95)].toFixed(2)} ms`,
  );
  await first.goto(`${origin}/play/#/sessions`);
  await first.locator('#list a').first().waitFor();
  await check(first, 'the sessions');
  const phone = await openTab('eve', '#/s/main', {
    viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2,
  });
  await proven(phone);
  await drive(phone);
  if (pictures) {
    await second.screenshot({ path: resolve(pictures, 'light.png') });
    await phone.screenshot({ path: resolve(pictures, 'phone.png') });
    await phone.locator('#toggle').click();
    await phone.screenshot({ path: resolve(pictures, 'phone-panel.png') });
    const start = await openTab('joe', '#/sessions');
    await start.waitForTimeout(600);
    await start.screenshot({ path: resolve(pictures, 'start.png') });
    await first.goto(`${origin}/play/#/s/nowhere`);
    await first.waitForTimeout(800);
    await first.screenshot({ path: resolve(pictures, 'error.png') });
  }
  assert.deepEqual(faults, []);
} finally {
  await browser.close();
  await server.stop();
}
