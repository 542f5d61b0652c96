// A session in space in headless Chromium: a page and a native client have equal roots, keys drive the ball as the
// camera looks, tools make and destroy bodies, a hand holds them, a flipped bit is healed; a field of heights is drawn,
// in a session and in its recording; a session in the plane loads nothing of it; the form makes a session in space; a
// recording is played and verified.
//
//   node test_space.mjs PACKAGE SERVER CLIENT REPLAY CHROMIUM [FOLDER for pictures]
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { drawn, flip, pass, PHONE, proven, roots, startBrowser, startNative, take, until } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, clientProgram, replayProgram, chromiumProgram, pictures] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'isostep-space-'));
const TOKEN = 'correct-horse-battery';
const RIGHT = { headers: { Authorization: `Bearer ${TOKEN}` } };
const server = await startServer(serverProgram, [
  '--session', 'arena=sandbox3', '--session', 'flat=sandbox', '--session', 'land=terrain3', '--record', folder,
  '--http-token', TOKEN,
]);
const origin = `http://${server.http}`;
const browser = await startBrowser(packageDir, chromiumProgram, origin);
const { check, faults, open } = browser;
const begun = performance.now();
const say = (what) => console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${what}`);
const picture = (name) => (pictures ? resolve(pictures, `${name}.png`) : null);

/** Files that only worlds in space need. */
const OF_SPACE = /\/(three|space|isostep3)[^/]*\.(js|wasm|css)$/;

const SMALL = { viewport: { width: 860, height: 540 } }; // without a graphics card each pixel takes its time

/** Opens a tab and keeps what it loads, its Worker's files as well. @return { page, loaded } */
async function openWatched(name, path) {
  const loaded = [];
  const page = await open(name, path, pictures ? {} : SMALL, (tab) =>
    tab.context().on('request', (request) => loaded.push(request.url())),
  );
  return { page, loaded };
}

/** Gives a tab what draws worlds in space a second late, when the first pictures of the session have come. */
const lateView = (tab) => tab.route(/\/three-[^/]*\.js$/, async (route) => {
  await new Promise((done) => setTimeout(done, 1000));
  await route.continue();
});

/** The moving bodies, each with its place in the world and on the canvas. */
const things = (page) => page.evaluate(() => {
  const { stage } = globalThis.isostep.space;
  return stage.bodies().filter(({ type }) => type === 3).map(({ index, slot, isAsleep, position }) => {
    const pixel = stage.project(position.clone());
    return { index, slot, isAsleep, x: position.x, y: position.y, z: position.z, px: pixel?.x, py: pixel?.y };
  });
});
const own = async (page) => {
  const slot = await page.evaluate(() => globalThis.isostep.slot);
  return (await things(page)).filter((thing) => thing.slot === slot).sort((a, b) => a.index - b.index);
};
const ball = async (page) => {
  const index = await page.evaluate(() => Number(globalThis.isostep.space.picture.player & 0xffffffffn));
  return (await things(page)).find((thing) => thing.index === index);
};

/** What the canvas shows: how many colours, and the one at a place. */
const look = (page, x, y) => page.evaluate(([px, py]) => {
  const { space } = globalThis.isostep;
  const { canvas } = space.stage;
  space.paint(); // a canvas holds its picture until the task ends
  const copy = new OffscreenCanvas(canvas.clientWidth, canvas.clientHeight).getContext('2d');
  copy.drawImage(canvas, 0, 0, canvas.clientWidth, canvas.clientHeight);
  const { data } = copy.getImageData(0, 0, canvas.clientWidth, canvas.clientHeight);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4 * 97) {
    colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  }
  const at = 4 * (Math.round(py) * canvas.clientWidth + Math.round(px));
  return { colours: colours.size, at: [...data.slice(at, at + 3)] };
}, [x, y]);

/** Holds a key until the ball has come far enough. @return its way [m] */
async function drive(page, key) {
  const before = await ball(page);
  const way = async () => {
    const now = await ball(page);
    return { x: now.x - before.x, z: now.z - before.z };
  };
  await page.keyboard.down(key);
  await until(async () => Math.hypot((await way()).x, (await way()).z) > 1.5, `${key} drives`);
  await page.keyboard.up(key);
  return way();
}

/** Waits until a body rests. @param find  gives the body */
async function still(page, find, what) {
  const isStill = async () => {
    const before = await find();
    await pass(12, page);
    const now = await find();
    return Math.hypot(now.x - before.x, now.y - before.y, now.z - before.z) < 0.02;
  };
  await until(async () => (await isStill()) && isStill(), what); // twice: at the top of its way a body is nearly still
}

/** Waits until the ball rests, so that the next way is the next key's. */
const rest = (page) => still(page, () => ball(page), 'the ball rests');

/** Takes a new ball, to where there is room. */
async function respawn(page) {
  const player = () => page.evaluate(() => globalThis.isostep.space.picture.player);
  const before = await player();
  await page.keyboard.press('r');
  await until(async () => ![0n, before].includes(await player()), 'there is a new ball');
  await rest(page);
}

async function play(page) {
  await page.locator('#world3').focus();
  await until(async () => (await ball(page))?.y < 0.7, 'the ball has fallen');
  const up = await drive(page, 'ArrowUp');
  assert.ok(up.z < -1 && Math.abs(up.x) < Math.abs(up.z), `up is away from the camera: ${JSON.stringify(up)}`);
  await respawn(page);
  // A quarter of a turn to the side: what was right is up.
  await page.evaluate(() => {
    const { stage } = globalThis.isostep.space;
    stage.eye.look(stage.eye.target.clone(), 13, -Math.PI / 2, 0.34);
  });
  await drawn(page);
  const turned = await drive(page, 'ArrowUp');
  assert.ok(
    turned.x > 1 && Math.abs(turned.z) < Math.abs(turned.x),
    `up is still away from the camera: ${JSON.stringify(turned)}`,
  );
  await respawn(page);
  const before = (await ball(page)).y;
  await until(async () => { // where a picture takes long, none may show it in the air
    await page.keyboard.down('Space');
    let top = before;
    for (let i = 0; i < 10 && top <= before + 0.5; ++i) {
      await page.waitForTimeout(100);
      top = Math.max(top, (await ball(page)).y);
    }
    await page.keyboard.up('Space');
    return top > before + 0.5;
  }, 'it jumps');
}

/**
 * Takes a body by the hand and lifts it: the camera stays, and what was let go falls.
 * @return how far it came up [m]
 */
async function lift(page, other, find) {
  const place = (await things(page)).find(find);
  assert.ok(place, 'there is a body to take');
  const now = async (tab) => (await things(tab)).find(({ index }) => index === place.index);
  const yaw = () => page.evaluate(() => globalThis.isostep.space.stage.controls.getAzimuthalAngle());
  const [before, turned] = [await now(other), await yaw()];
  const far = await page.evaluate(() => 0.25 * globalThis.isostep.space.stage.canvas.clientHeight);
  await page.mouse.move(place.px, place.py);
  await page.mouse.down();
  for (let i = 1; i <= 10; ++i) {
    await page.mouse.move(place.px, place.py - (far / 10) * i);
    await page.waitForTimeout(40);
  }
  await until(async () => (await now(other)).y > before.y + 1, 'it is lifted, in the other tab as well');
  let held;
  const isHeld = async () => {
    await pass(12, page);
    held = await now(page);
    return Math.hypot(held.px - place.px, held.py - (place.py - far)) < 0.25 * far;
  };
  await until(async () => (await isHeld()) && isHeld(), 'it comes to where the pointer is, and stays there');
  assert.ok(Math.abs((await yaw()) - turned) < 0.01, 'the camera stays');
  await take(page, picture('space-hand'));
  await page.mouse.up();
  await until(async () => (await now(other)).y < held.y - 0.5, 'it falls');
}

/** The hand: what belongs to everybody, and the own ball, which the camera follows only when it is let go. */
async function hold(page, other) {
  assert.equal(
    await page.locator('[data-tool=hand]').getAttribute('aria-pressed'), 'true', 'the hand is the first tool',
  );
  await until(async () => (await ball(page)).y < 0.6, 'the ball has come down');
  await rest(page);
  const { index } = await ball(page);
  await lift(page, other, (thing) => thing.index === index);
  await page.locator('#follow').uncheck();
  await page.evaluate(() => {
    const { stage } = globalThis.isostep.space;
    stage.eye.look(stage.eye.target.clone().set(8.5, 2, 1), 16, 0, 0.2); // the crates
  });
  await drawn(page);
  const isCrate = ({ slot, x, z, px, py }) =>
    slot >= 255 && Math.abs(x - 8.5) < 1 && Math.abs(z - 0.4) < 1.5 && px > 50 && px < 560 && py > 200;
  const crates = (await things(page)).filter(isCrate).sort((a, b) => b.y - a.y || b.z - a.z);
  await lift(page, other, (thing) => thing.index === crates[0]?.index);
}

/** A drag turns the camera; a tool makes a body where the pointer is, which another one destroys. */
async function build(page, other) {
  await page.locator('#follow').uncheck();
  await page.evaluate(() => {
    const { stage } = globalThis.isostep.space;
    stage.eye.look(stage.eye.target.clone().set(0, 0, 16), 12, 0, 0.6); // free ground
  });
  const yaw = () => page.evaluate(() => globalThis.isostep.space.stage.controls.getAzimuthalAngle());
  const [turned] = [await yaw()];
  await page.mouse.move(300, 300);
  await page.mouse.down();
  await page.mouse.move(420, 300, { steps: 5 });
  await page.mouse.up();
  await until(async () => Math.abs((await yaw()) - turned) > 0.2, 'the camera turns');
  const known = new Set((await own(page)).map(({ index }) => index));
  const made = async () => (await own(page)).filter(({ index }) => !known.has(index));
  await page.locator('[data-tool=box]').click();
  await page.mouse.click(320, 380);
  await until(async () => (await made()).length === 1, 'a box is made');
  await page.keyboard.press('4'); // the ball is thrown
  await page.mouse.move(460, 400);
  await page.mouse.down();
  await page.mouse.move(520, 370, { steps: 4 });
  await drawn(page);
  await take(page, picture('space-throw'));
  await page.mouse.up();
  await until(async () => (await made()).length === 2, 'a ball is thrown');
  const slot = await page.evaluate(() => globalThis.isostep.slot);
  await until(
    async () => (await things(other)).filter((thing) => thing.slot === slot).length >= 3, 'the other tab has them',
  );
  const first = async () => (await made()).sort((a, b) => a.index - b.index)[0];
  await still(page, first, 'the box rests');
  const box = await first();
  await page.locator('[data-tool=delete]').click();
  await page.mouse.click(box.px, box.py);
  await until(async () => !(await own(page)).some(({ index }) => index === box.index), 'the box is gone');
  await page.locator('[data-tool=look]').click();
  await page.keyboard.press('0');
  await until(() => page.locator('#follow').isChecked(), 'fit follows the ball');
}

async function makeSession(page) {
  await page.goto(`${origin}/#/sessions?token=${TOKEN}`);
  await page.locator('#new').click();
  await page.locator('.scene').first().waitFor();
  const groups = await page.locator('#scenes h3').allTextContents();
  assert.ok(groups.includes('In space'), groups.join());
  await page.locator('input[value=gyro]').check();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/s\/gyro$/);
  await proven(page);
  assert.ok((await things(page)).length > 3);
  assert.ok(await page.locator('#tools').isHidden(), 'there is nothing to do in it');
  await take(page, picture('space-gyro'));
  assert.equal(await page.evaluate(() => globalThis.isostep.space.picture.lines.length), 0, 'it has no joints');
  // Back into the plane: its view and its canvas.
  await page.goto(`${origin}/#/s/flat`);
  await until(
    () => page.evaluate(() => globalThis.isostep.space === null && globalThis.isostep.picture !== null),
    'the plane is shown',
  );
  assert.ok(await page.locator('#world').isVisible());
  assert.equal(await page.locator('#world3').count(), 0);
}

/**
 * What is drawn of a field of heights: a press in the middle of the canvas meets the ground there, and the ground has
 * its shades.
 */
async function land(page) {
  await page.goto(`${origin}/#/s/land`);
  await proven(page);
  // Where members have no body, the page waits for one for some pictures, and then looks at everything.
  await until(() => page.evaluate(() => globalThis.isostep.space?.isFitted === true), 'the camera has been placed');
  const TOP = 6.85; // [m] the sample 137 of the scene's 17th row and column
  await page.evaluate((y) => {
    const { stage } = globalThis.isostep.space;
    stage.eye.look(stage.eye.target.clone().set(0, y, 0), 30, 0.6, 0.9);
  }, TOP);
  await drawn(page);
  const hit = await page.evaluate((y) => {
    const { stage } = globalThis.isostep.space;
    stage.eye.camera.updateMatrixWorld();
    const pixel = stage.project(stage.eye.target.clone().set(0, y, 0));
    // Half a pixel beside the corner: through it itself, a ray may pass between the triangles.
    const touch = stage.touch(pixel.x + 0.5, pixel.y + 0.25);
    return { pixel, at: touch && [touch.at.x, touch.at.y, touch.at.z], isGround: touch?.body === null };
  }, TOP);
  assert.ok(hit.isGround && Math.hypot(hit.at[0], hit.at[1] - TOP, hit.at[2]) < 0.1, JSON.stringify(hit));
  assert.ok((await look(page, hit.pixel.x, hit.pixel.y)).colours > 150, 'it is shaded');
  assert.ok((await things(page)).every(({ y }) => y > 0), 'nothing is below it');
  await take(page, picture('space-land'));
  const ended = await page.request.delete(`${origin}/api/sessions/land`, RIGHT);
  assert.equal(ended.status(), 202);
  const isRecorded = (name) => /^land.*\.isr$/.test(name);
  await until(() => readdirSync(folder).some(isRecorded), 'its recording is sealed');
  await page.goto(`${origin}/#/r/${readdirSync(folder).find(isRecorded)}?tick=60`);
  await page.waitForFunction(
    () =>
      globalThis.isostep?.player?.frame?.tick === 60 && globalThis.isostep.player.frame.sides[0].picture3 !== undefined,
  );
  // It is drawn.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await take(page, picture('space-land-player'));
  const bytes = (await page.locator('figure canvas').first().screenshot()).toString('base64');
  const colours = await page.evaluate(async (png) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))]));
    const copy = new OffscreenCanvas(image.width, image.height).getContext('2d');
    copy.drawImage(image, 0, 0);
    const { data } = copy.getImageData(image.width / 4, image.height / 3, image.width / 2, image.height / 2);
    return new Set(new Uint32Array(data.buffer)).size;
  }, bytes);
  assert.ok(colours > 300, `${colours} colours in the replay`);
}

/** The recording of the session, when it has ended. */
async function replay(page) {
  const ended = await page.request.delete(`${origin}/api/sessions/arena`, RIGHT);
  assert.equal(ended.status(), 202);
  await until(() => readdirSync(folder).some((name) => /^arena.*\.isr$/.test(name)), 'the recording is sealed');
  const name = readdirSync(folder).find((file) => /^arena.*\.isr$/.test(file));
  const info = JSON.parse(
    execFileSync(replayProgram, ['info', join(folder, name), '--tick', '300', '--json'], { encoding: 'utf8' }),
  );
  await page.goto(`${origin}/#/r/${name}?tick=300`);
  const player = (what) => page.waitForFunction(what);
  await player(
    () =>
      globalThis.isostep?.player?.frame?.tick === 300 &&
      globalThis.isostep.player.frame.sides[0].picture3 !== undefined,
  );
  const side = await page.evaluate(() => {
    const { root, judgement, picture3 } = globalThis.isostep.player.frame.sides[0];
    return { root, judgement, bodies: picture3.bodyCount };
  });
  assert.deepEqual([side.judgement, side.root], ['right', info.root ?? side.root]);
  assert.ok(side.bodies > 40);
  await page.locator('#p-play').click();
  await player(() => globalThis.isostep.player.frame.tick > 310);
  await page.locator('#p-play').click();
  await page.locator('#p-verify').click();
  await player(() => {
    const { proof } = globalThis.isostep.player;
    return proof !== null && proof.checked === proof.total && !proof.isRunning;
  });
  assert.equal(await page.evaluate(() => globalThis.isostep.player.proof.wrong), undefined);
  await check(page, 'a recording in space');
  await take(page, picture('space-player'));
}

try {
  const flat = await openWatched('joe', '/#/s/flat');
  await proven(flat.page);
  assert.ok(flat.loaded.some((url) => /\/isostep-[^/]*\.wasm$/.test(url)), 'the requests of the Worker are seen');
  assert.deepEqual(
    flat.loaded.filter((url) => OF_SPACE.test(url)), [], 'a session in the plane loads nothing of space',
  );
  await flat.page.close();

  const native = startNative(clientProgram, server, { session: 'arena' });
  const { page: ann, loaded } = await openWatched('ann', '/#/s/arena');
  await proven(ann);
  assert.ok(
    ['three', 'space', 'isostep3'].every((name) => loaded.some((url) => url.includes(`/${name}-`))), loaded.join(' '),
  );
  const watcher = await open(
    'eve', '/#/s/arena/watch', { colorScheme: 'light', viewport: { width: 420, height: 320 } }, lateView,
  );
  await proven(watcher);
  const drawn = await look(watcher, 0, 0);
  assert.ok(drawn.colours > 100, `${drawn.colours} colours where the view was loaded late`);
  await until(async () => (await ball(ann)) !== undefined, 'there is a ball');
  assert.equal(await ann.evaluate(() => globalThis.isostep.space.picture.lines.length), 0);
  await ann.locator('#show-contacts').check();
  await until(() => ann.evaluate(() => globalThis.isostep.space.picture.lines.length >= 7 * 40), 'contacts are shown');
  await ann.locator('#show-contacts').uncheck();
  await rest(ann);
  const at = await ball(ann);
  const seen = await look(ann, at.px, at.py);
  assert.ok(seen.colours > 100, `${seen.colours} colours`);
  const [red, , blue] = seen.at; // the first members' colours: orange, blue, green
  assert.ok(Math.abs(red - blue) > 20, `the ball has its member's colour: ${seen.at}`);
  await take(ann, picture('space'));
  await check(ann, 'a session in space');
  await play(ann);
  say('the ball was driven');
  await hold(ann, watcher);
  say('bodies were held');
  await build(ann, watcher);
  say('bodies were made and destroyed');
  await flip(ann, picture('space-wrong'));
  native.stop();
  const { code, summary } = await native.ended;
  assert.deepEqual([code, summary.desyncs], [0, 0]);
  await until(async () => (await roots(ann)).some(([tick]) => tick >= summary.last_tick), `tick ${summary.last_tick}`);
  const mine = new Map(await roots(ann));
  const common = (await roots(watcher)).filter(([tick]) => mine.has(tick));
  assert.ok(
    common.length > 30 && common.every(([tick, root]) => root === mine.get(tick)),
    `${common.length} roots in both tabs`,
  );
  assert.equal(mine.get(summary.last_tick), summary.last_hash, 'the native client has the same root');
  console.log(`${common.length} roots are equal in both tabs`);
  const phone = await open('ida', '/#/s/arena', PHONE);
  await proven(phone);
  assert.ok(await phone.locator('#stick').isVisible());
  await take(phone, picture('space-phone'));
  await phone.close();
  await watcher.close();
  say('a phone has played');
  await makeSession(ann);
  say('a session was made');
  await replay(ann);
  say('a recording was played');
  await land(ann);
  assert.deepEqual(faults, []);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
