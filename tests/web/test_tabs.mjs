// Two tabs and a native client in one session that goes through what happens to tabs: real mouse and key events, a tab
// that is loaded anew and one that is duplicated, a flipped bit, a server that is killed and comes back. All have the
// same roots, and nothing fails but what has to while there is no server.
//
//   node test_tabs.mjs PACKAGE SERVER CLIENT CHROMIUM [SECONDS to play]
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drag, flip, linkState, proven, roots, startBrowser, startNative, things, until, WAIT_MS } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, clientProgram, chromiumProgram, seconds = '4'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'isostep-tabs-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const life = { seconds: 880 + Number(seconds) };
const options = ['--record', folder, '--hold', '300']; // a busy machine takes its time to load a tab
let server = await startServer(serverProgram, options, life);
const browser = await startBrowser(packageDir, chromiumProgram, `http://${server.http}`);

const slot = (page) => page.evaluate(() => globalThis.isostep.slot);
const ownBody = (page) => page.evaluate(() => globalThis.isostep.picture.player);
const members = (page) => page.locator('#members li span').allTextContents();

/** Both use their tabs for a while, as people do: one the mouse, the other the keys. */
async function play(ann, bob, milliseconds) {
  const begin = performance.now();
  let dragged = 0;
  await bob.locator('#world').focus();
  const place = async () => (await things(ann)).find(({ slot: owner }) => owner === bobSlot)?.x;
  const bobSlot = await slot(bob);
  let driven = 0;
  while (performance.now() - begin < milliseconds || driven < 0.3) {
    const before = await place();
    const way = Math.floor(performance.now() / 2500) % 2 === 0 ? 'ArrowRight' : 'ArrowLeft';
    await bob.keyboard.down(way);
    dragged = Math.max(dragged, await drag(ann, bob));
    await bob.keyboard.press('Space');
    await bob.keyboard.up(way);
    driven = Math.max(driven, Math.abs((await place()) - before));
    assert.ok(performance.now() - begin < milliseconds + WAIT_MS, `dragged ${dragged} m, driven ${driven} m`);
  }
  assert.ok(dragged > 0.5, `a body followed the mouse in the other tab, by ${dragged} m`);
  console.log(`dragged ${dragged.toFixed(2)} m, driven ${driven.toFixed(2)} m`);
}

/** A tab that is loaded anew has its slot and its body again, and nothing of it lies about meanwhile. */
async function reload(page, other) {
  const before = [await slot(page), await ownBody(page)];
  const count = (await members(other)).length;
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await browser.reload(page);
  await proven(page);
  assert.deepEqual([await slot(page), await ownBody(page)], before, 'the slot and the body of before');
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  assert.equal((await members(other)).length, count, 'it is the same member for the others');
}

/** A duplicated tab has a copy of the storage, and is a member of its own. The one before keeps its place. */
async function duplicate(page) {
  const opened = page.waitForEvent('popup');
  await page.evaluate(() => void window.open(location.href));
  const copy = await opened;
  browser.watch('copy', copy);
  await proven(copy);
  assert.notEqual(await slot(copy), await slot(page));
  await until(async () => (await linkState(page)) === 'playing', 'the tab before plays on');
  await copy.close();
}

/** The server is killed. The tabs say so, and go on when another one continues from its recording. */
async function killServer(pages) {
  const before = await Promise.all(pages.map(async (page) => [await slot(page), await ownBody(page)]));
  browser.allowed = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|WebSocket connection to/;
  await server.kill();
  for (const page of pages) {
    await page.waitForFunction(() => document.getElementById('light').dataset.state === 'reconnecting');
    assert.match(await page.locator('#light-text').textContent(), /connection lost/);
  }
  await new Promise((done) => setTimeout(done, 1000));
  server = await startServer(serverProgram, options, { ...life, tcp: server.tcp, http: server.http });
  for (const page of pages) {
    await page.waitForFunction(() => document.getElementById('light').dataset.state === 'playing');
  }
  browser.allowed = null;
  const last = Math.max(...(await roots(pages[0])).map(([tick]) => tick));
  for (const page of pages) {
    await page.waitForFunction((tick) => Math.max(...globalThis.isostep.roots.keys()) > tick, last + 60);
  }
  assert.deepEqual(await Promise.all(pages.map(async (page) => [await slot(page), await ownBody(page)])), before);
}

/** Collects what a tab has proven. A tick that was proven twice has the same root. */
async function collect(page, all) {
  for (const [tick, root] of await roots(page)) {
    assert.equal(all.get(tick) ?? root, root, `tick ${tick}`);
    all.set(tick, root);
  }
}

try {
  const native = startNative(clientProgram, server);
  const ann = await browser.open('ann', '/#/s/main');
  const bob = await browser.open('bob', '/#/s/main', { colorScheme: 'light' });
  await proven(ann);
  await proven(bob);
  const proofs = new Map();
  await until(async () => (await members(ann)).length === 3, 'three members');
  await play(ann, bob, 1000 * Number(seconds));
  await collect(bob, proofs);
  await reload(bob, ann);
  await duplicate(bob);
  await collect(ann, proofs);
  await killServer([ann, bob]);
  await flip(ann);
  await reload(ann, bob); // also after it has resumed, and with what the new server has given it
  native.stop();
  const { code, summary } = await native.ended;
  assert.equal(code, 0);
  assert.equal(summary.desyncs, 0);
  await until(async () => (await roots(ann)).some(([tick]) => tick >= summary.last_tick), `tick ${summary.last_tick}`);
  await collect(ann, proofs);
  await collect(bob, proofs);
  assert.equal(proofs.get(summary.last_tick), summary.last_hash, 'the native client has the same root');
  const shared = (await roots(bob)).filter(([tick]) => proofs.has(tick)).length;
  assert.ok(proofs.size > 60 * Number(seconds), `${proofs.size} ticks are proven`);
  console.log(`${proofs.size} ticks are proven, with one root each; ${shared} of them by a tab that was loaded anew`);
  assert.deepEqual(browser.faults, []);
} finally {
  await browser.close();
  await server.stop();
}
