// Views of the page that are left while they start, in headless Chromium: what comes late of one changes nothing of the
// next. What did not come is asked for again by who tries again. A relay between the page and the server holds or
// refuses what shall, so that nothing here is a matter of luck.
//
//   node test_leave.mjs PACKAGE SERVER CHROMIUM
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proven, roots, startBrowser, until } from './browser.mjs';
import { startRelay } from './relay.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, chromiumProgram] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'isostep-leave-'));
const TOKEN = 'correct-horse-battery';
const RIGHT = { headers: { Authorization: `Bearer ${TOKEN}` } };
const server = await startServer(serverProgram, [
  '--session', 'flat=sandbox', '--session', 'gone=sandbox', '--session', 'hawk=gyro', '--record', folder,
  '--http-token', TOKEN,
]);
const relay = await startRelay(server.http);
const browser = await startBrowser(packageDir, chromiumProgram, relay.origin);
const { faults, open } = browser;

const SETTLED_MS = 300; // for what would be wrong to be shown
const go = (page, hash) => page.evaluate((to) => void (location.hash = to), hash);
const shown = (page) =>
  page.evaluate(() => ['start', 'play', 'message', 'create'].filter((id) => !document.getElementById(id)?.hidden));
const settle = (page) => page.waitForTimeout(SETTLED_MS);

/** The session of the address is what is seen, and is played. */
async function plays(page, what) {
  await settle(page);
  await proven(page);
  assert.deepEqual(await shown(page), ['play'], what);
}

/** The recording of a session that has ended. */
async function record(page) {
  await go(page, '#/s/gone');
  await proven(page);
  const ended = await page.request.delete(`${relay.origin}/api/sessions/gone`, RIGHT);
  assert.equal(ended.status(), 202);
  const find = () => readdirSync(folder).find((name) => /^gone.*\.isr$/.test(name));
  await until(find, 'its recording is sealed');
  return find();
}

/**
 * The player names its tick in the address, a little later. Here that is due when the address has changed and the page
 * has not heard of it yet: a task in which the time comes, and behind it, ahead of the timer, what changes the address.
 */
async function leaveRecording(page, name) {
  await go(page, `#/r/${name}?tick=5`);
  await page.waitForFunction(() => globalThis.isostep.player?.frame?.tick === 5);
  await page.evaluate(async () => {
    const { player } = globalThis.isostep;
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    let before;
    do { // until the name is still due when the last picture has come
      before = location.hash;
      const next = player.frame.tick + 1;
      document.getElementById('p-on').click();
      for (let frames = 0; player.frame.tick !== next || player.frames !== frames; await wait(50)) {
        frames = player.frames;
      }
    } while (location.hash !== before);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (location.hash = '#/s/flat');
    port2.postMessage(null);
    for (const end = performance.now() + 500; performance.now() < end; );
  });
  await settle(page);
  assert.equal(new URL(page.url()).hash, '#/s/flat', 'the player does not take the address back');
  await plays(page, 'the session is played');
}

/** A client that is not connected yet ends at once when it is left: that is not the end of what comes next. */
async function leaveConnecting(page) {
  await go(page, '#/recordings');
  const held = relay.hold(/^\/v1\/socket/);
  await go(page, '#/s/flat');
  await held.asked;
  await go(page, '#/recordings');
  await settle(page);
  assert.deepEqual(await shown(page), [], 'the list of recordings says nothing of a session that was left');
  held.release();
  await go(page, '#/s/flat');
  await plays(page, 'the session is played');
}

/** The list is a part of the page that may come late. */
async function leaveList(name) {
  const held = relay.hold(/\/start-[^/]*\.js$/);
  const page = await open('bob', `/#/r/${name}?tick=5`);
  await page.waitForFunction(() => globalThis.isostep.player?.frame?.tick === 5);
  await go(page, '#/sessions');
  await held.asked;
  await go(page, '#/s/flat');
  await proven(page);
  held.release();
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name: url }) => /\/start-[^/]*\.js$/.test(url)),
  );
  await plays(page, 'the session is not covered by the list');
  await page.close();
}

async function openForm(page) {
  await page.locator('#new').click();
  await page.locator('.scene').first().waitFor();
}

/** Makes a session by the form. @return what holds the answer */
async function submit(page, name) {
  await openForm(page);
  await page.locator('#new-name').fill(name);
  const held = relay.hold(/^\/api\/sessions$/, 'POST');
  await page.keyboard.press('Enter');
  await held.asked;
  return held;
}

/** Lets an answer come. */
async function hear(page, held) {
  const answer = page.waitForResponse((response) =>
    held.is(response.request().method(), new URL(response.url()).pathname),
  );
  held.release();
  await (await answer).finished();
  await settle(page);
}

const listed = (page, name) => page.locator('#list li', { has: page.getByText(name, { exact: true }) });

/** So may the answer of the server to a new session. */
async function leaveForm(page) {
  await go(page, `#/sessions?token=${TOKEN}`);
  const held = await submit(page, 'late');
  await go(page, '#/s/flat');
  await proven(page);
  await hear(page, held);
  assert.equal(new URL(page.url()).hash, '#/s/flat', 'the page stays where the user is');
  await plays(page, 'the session is played');
}

/** A form that was cancelled, or hidden, leads nowhere, whatever the answer is. */
async function cancelForm(page) {
  await go(page, '#/sessions');
  const ways = { first: () => page.locator('#cancel').click(), second: () => page.keyboard.press('Escape') };
  for (const [name, leave] of Object.entries(ways)) {
    const held = await submit(page, name);
    await leave();
    await hear(page, held);
    assert.equal(new URL(page.url()).hash, '#/sessions', 'who has closed the form stays');
    await listed(page, name).waitFor(); // it was made nevertheless
  }
  const held = await submit(page, 'taken');
  const made = await page.request.post(`http://${server.http}/api/sessions`, {
    ...RIGHT, data: { name: 'taken', scene: 'stack' },
  });
  assert.equal(made.status(), 201);
  await page.locator('#cancel').click();
  browser.allowed = /\b409\b/;
  await hear(page, held);
  browser.allowed = null;
}

/** So does what a form that was cancelled has waited for; and what is typed in the next one stays. */
async function openAnother(page) {
  const held = await submit(page, 'third');
  await page.locator('#cancel').click();
  await openForm(page);
  await page.locator('#new-name').fill('mine');
  await hear(page, held);
  assert.equal(new URL(page.url()).hash, '#/sessions', 'who has cancelled stays');
  assert.equal(await page.locator('#new-name').inputValue(), 'mine', 'another form is not taken away');
  await page.evaluate(() => { // a file is read when the form is closed
    const files = new DataTransfer();
    files.items.add(new File(['{}'], 'swing.json'));
    document.getElementById('file').files = files.files;
    document.getElementById('file').dispatchEvent(new Event('change'));
    document.getElementById('cancel').click();
  });
  await settle(page);
  const scenes = relay.hold(/^\/api\/scenes$/, 'GET');
  await page.locator('#new').click();
  await scenes.asked;
  await page.locator('#cancel').click();
  await hear(page, scenes);
  await openForm(page);
  assert.equal(await page.locator('#new-name').inputValue(), 'sandbox', 'the file was of another form');
  await page.locator('#cancel').click();
}

/** Who ends a session and does something else meanwhile keeps the focus. */
async function endMeanwhile(page) {
  const held = relay.hold(/^\/api\/sessions\/first$/, 'DELETE');
  await listed(page, 'first').getByText('End', { exact: true }).click();
  await listed(page, 'first').getByText('End it', { exact: true }).click();
  await held.asked;
  await openForm(page);
  await page.locator('#new-name').focus();
  await hear(page, held);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'new-name', 'the focus stays where the user is');
  await page.locator('#cancel').click();
}

/** The Worker goes on until it hears that a session was left: what it tells until then is nobody's. */
async function leaveTelling(page) {
  await go(page, '#/s/flat');
  await proven(page);
  const held = relay.hold(/^\/api\/sessions$/, 'GET'); // for as long the session is what is seen
  await page.evaluate(() => {
    for (const end = performance.now() + 700; performance.now() < end; );
    location.hash = '#/sessions';
    dispatchEvent(new Event('hashchange')); // at once, ahead of what the Worker has told
    globalThis.isostep.roots.clear();
  });
  await held.asked;
  await settle(page);
  assert.deepEqual(await roots(page), [], 'what was proven is not shown');
  held.release();
  await page.waitForFunction(() => !document.getElementById('start').hidden);
}

/** A tab in which nobody plays is looked at again: there is nothing to be told. */
async function hideList(page) {
  // Longer than away.ts takes for a short look elsewhere.
  for (const [state, ms] of [['hidden', 3200], ['visible', 800]]) {
    await page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
    await page.waitForTimeout(ms);
  }
  assert.doesNotMatch(await page.locator('#note').textContent(), /tab/);
}

/** The second recording of a comparison is left while it loads. */
async function leaveComparison(page, name) {
  const held = relay.hold(/^\/api\/recordings\/other/);
  await go(page, `#/r/${name}?tick=5&with=other.isr`);
  await held.asked;
  browser.allowed = /ERR_ABORTED/;
  await go(page, '#/s/flat');
  await settle(page);
  assert.doesNotMatch(await page.locator('#note').textContent(), /could not be loaded/, 'that it was left is no fault');
  held.release();
  await plays(page, 'the session is played');
  browser.allowed = null;
}

/** What a session needs did not come: who tries again gets it. */
async function loadAgain(path, session, what) {
  relay.refuse(path);
  const page = await open('kit', `/#/s/${session}`, { expects: /\b503\b|ERR_ABORTED|ERR_FAILED/ });
  await page.locator('#again').waitFor();
  relay.refuse(null);
  await page.locator('#again').click();
  await until(() => page.evaluate(() => globalThis.isostep.roots.size > 5), what);
  assert.deepEqual(await shown(page), ['play'], what);
  await page.close();
}

/** What was proven of one session and is not shown yet is no proof of the next one, which is younger. */
async function leavePlaying(page) {
  const newest = await page.evaluate(() => Math.max(...globalThis.isostep.roots.keys()));
  await go(page, '#/s/late');
  await proven(page);
  const ticks = (await roots(page)).map(([tick]) => tick);
  assert.ok(
    ticks.every((tick) => tick < newest), `ticks ${ticks.join()} of a younger session than one of tick ${newest}`,
  );
}

/** The page has asked for a picture when the client finds that the world is in space: it gets one of that world. */
async function findSpace(page) {
  const made = await page.request.post(`${relay.origin}/api/sessions`, {
    ...RIGHT, data: { name: 'owl', scene: 'gyro', private: true },
  });
  assert.equal(made.status(), 201);
  const held = relay.hold(/^\/v1\/socket/);
  const other = await open('eve', '/#/s/owl');
  await held.asked;
  await settle(other);
  held.release();
  await until(
    () => other.evaluate(() => (globalThis.isostep.space?.picture?.bodyCount ?? 0) > 0),
    'a private session in space is seen',
  );
  await other.close();
}

try {
  const page = await open('ann', '/#/s/flat');
  await proven(page);
  const name = await record(page);
  await leaveRecording(page, name);
  await leaveComparison(page, name);
  await leaveConnecting(page);
  await leaveList(name);
  await leaveForm(page);
  await leavePlaying(page);
  await leaveTelling(page);
  await hideList(page);
  await cancelForm(page);
  await openAnother(page);
  await endMeanwhile(page);
  await findSpace(page);
  await loadAgain(/\/worker-[^/]*\.js$/, 'flat', 'the Worker is started again');
  await loadAgain(/\/isostep-[^/]*\.wasm$/, 'flat', 'the module is loaded again');
  await loadAgain(/\/isostep3-[^/]*\.wasm$/, 'hawk', 'so is that of worlds in space');
  assert.deepEqual(faults, []);
  console.log('what comes late of a view that was left changes nothing, and what did not come is loaded again');
} finally {
  await browser.close();
  relay.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
