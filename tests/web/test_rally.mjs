// The rally in headless Chromium: the camera stays behind the own car, keys and a finger drive it, laps are shown, also
// those of a native client.
//
//   node test_rally.mjs PACKAGE SERVER CLIENT CHROMIUM [FOLDER for pictures]
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { PHONE, proven, startBrowser, startNative, take, until } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, clientProgram, chromiumProgram, pictures] = process.argv.slice(2);
const server = await startServer(serverProgram, ['--session', 'race=rally']);
const browser = await startBrowser(packageDir, chromiumProgram, `http://${server.http}`);
const picture = (name) => (pictures ? resolve(pictures, `${name}.png`) : null);
const SMALL = { viewport: { width: 860, height: 540 } }; // without a graphics card each pixel takes its time

/**
 * The own car's place and the angle of its front; the angle of the camera's look, and how far it looks beside the car
 * [m].
 */
const car = (page) =>
  page.evaluate(() => {
    const { stage, picture: { player } } = globalThis.isostep.space;
    const body = stage.body(player);
    if (body === null) {
      return null;
    }
    const front = body.position.clone().set(1, 0, 0).applyQuaternion(body.rotation);
    const { camera, target } = stage.eye;
    const { x, z } = body.position;
    return {
      x, z, heading: Math.atan2(front.x, front.z),
      look: Math.atan2(target.x - camera.position.x, target.z - camera.position.z),
      beside: target.distanceTo(body.position),
    };
  });
const between = (a, b) => Math.abs(Math.atan2(Math.sin(a - b), Math.cos(a - b)));
const isBehind = async (page) => {
  const { heading, look, beside } = await car(page);
  return between(heading, look) < 0.25 && beside < 2;
};

async function drive(page) {
  await until(
    async () => (await car(page)) !== null && (await page.locator('#follow').isChecked()),
    'there is a car, and it is followed',
  );
  assert.ok(await isBehind(page), 'the camera is behind it from the first');
  await page.locator('#world3').focus();
  const begun = await car(page);
  // Behind the line nobody is in its way; later another car may be.
  await page.keyboard.down('ArrowDown');
  await until(async () => {
    const now = await car(page);
    return Math.sin(begun.heading) * (now.x - begun.x) + Math.cos(begun.heading) * (now.z - begun.z) < -0.5;
  }, 'down reverses');
  await page.keyboard.up('ArrowDown');
  await page.keyboard.down('ArrowUp');
  await until(async () => {
    const { x, z } = await car(page);
    return Math.hypot(x - begun.x, z - begun.z) > 12;
  }, 'up drives');
  const { x, z } = await car(page);
  assert.ok(between(Math.atan2(x - begun.x, z - begun.z), begun.heading) < 0.5, 'it drives to where its front is');
  // What comes fast to a wall slides along it: on a machine that draws slowly, the car has come far by now.
  await page.keyboard.up('ArrowUp');
  await page.keyboard.down('Space');
  await until(async () => {
    const before = await car(page);
    await page.waitForTimeout(300);
    const now = await car(page);
    return Math.hypot(now.x - before.x, now.z - before.z) < 0.3;
  }, 'space brakes');
  await page.keyboard.up('Space');
  const straight = await car(page);
  // Seen from behind the front goes to the left: round the vertical, against the clock.
  await page.keyboard.down('ArrowLeft');
  await page.keyboard.down('ArrowUp');
  await until(async () => {
    const { heading } = await car(page);
    return Math.sin(heading - straight.heading) > 0.4;
  }, 'left steers to the left');
  await page.keyboard.up('ArrowLeft');
  await page.keyboard.up('ArrowUp');
  await page.keyboard.down('Space');
  await until(() => isBehind(page), 'the camera comes round behind it');
  await page.keyboard.up('Space');
}

const row = (page, name) => page.locator('#race tr', { hasText: name }).locator('td').allTextContents();

try {
  const native = startNative(clientProgram, server, { session: 'race', name: 'Dora', bot: 'rally' });
  const ann = await browser.open('ann', '/#/s/race', SMALL);
  await proven(ann);
  await ann.locator('#race').waitFor();
  assert.equal(await ann.locator('#race p').textContent(), 'Drive through the line');
  await take(ann, picture('rally-begin'));
  await drive(ann);
  await until(
    async () => /^Lap 1 0:\d\d\.\d$/.test(await ann.locator('#race p').textContent()),
    'the line was passed: the lap and its time',
  );
  await take(ann, picture('rally'));
  assert.deepEqual((await row(ann, 'ann')).slice(1), ['0', '–', '–']);
  await browser.check(ann, 'the rally');
  await until(async () => Number((await row(ann, 'Dora'))[1]) >= 1, 'the laps of the native client are counted');
  const [, , last, best] = await row(ann, 'Dora');
  assert.ok(/^\d:\d\d\.\d$/.test(last) && /^\d:\d\d\.\d$/.test(best) && best <= last, `${last}, ${best}`);
  assert.ok((await ann.locator('#race tr').nth(1).textContent()).startsWith('Dora'), 'who has come farthest is first');
  await ann.context().close();

  const ida = await browser.open('ida', '/#/s/race', PHONE);
  await proven(ida);
  await ida.locator('#stick').waitFor();
  await until(async () => (await car(ida)) !== null, 'there is a car');
  const begun = await car(ida);
  const { x, y, width, height } = await ida.locator('#stick').boundingBox();
  await ida.mouse.move(x + width / 2, y + height / 2);
  await ida.mouse.down();
  await ida.mouse.move(x + width / 2, y - height, { steps: 3 });
  await until(async () => {
    const now = await car(ida);
    return Math.hypot(now.x - begun.x, now.z - begun.z) > 4;
  }, 'the stick drives');
  await ida.mouse.up();
  await take(ida, picture('rally-phone'));

  const eve = await browser.open('eve', '/#/s/race/watch', SMALL);
  await proven(eve);
  await eve.locator('#race tr', { hasText: 'Dora' }).waitFor();
  assert.ok(await eve.locator('#race p').isHidden(), 'a spectator has no lap');
  native.stop();
  const { code, summary } = await native.ended;
  assert.deepEqual([code, summary.desyncs], [0, 0]);
  assert.deepEqual(browser.faults, []);
} finally {
  await browser.close();
  await server.stop();
}
