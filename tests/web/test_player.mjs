// The player of recordings in headless Chromium: a real server's recording is opened, scrubbed, stepped, played and
// verified; its roots are those of `isostep-replay info`. A changed copy differs where `isostep-replay compare` says, a
// corrupt one is refused from where it is damaged on.
//
//   node test_player.mjs PACKAGE SERVER CLIENT REPLAY CHROMIUM [FOLDER for pictures]
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startBrowser } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, clientProgram, replayProgram, chromiumProgram, pictures] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'isostep-player-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A session of two members of some seconds. @return the name of its recording */
async function record() {
  const server = await startServer(serverProgram, ['--record', folder, '--keyframes', '120', '--tick-rate', '120']);
  const play = (name, ticks) =>
    new Promise((done) => {
      spawn(clientProgram, [server.tcp, '--name', name, '--bot', 'wander', '--ticks', String(ticks)], {
        stdio: 'ignore',
      }).on('exit', done);
    });
  const codes = await Promise.all([play('ann', 420), play('bob', 260)]);
  assert.deepEqual(codes, [0, 0]);
  assert.equal(await server.stop(), 0);
  return readdirSync(folder).find((name) => name.endsWith('.isr'));
}

const replay = (...args) => spawnSync(replayProgram, args, { encoding: 'utf8' });
const rootOf = (file, tick) =>
  JSON.parse(execFileSync(replayProgram, ['info', join(folder, file), '--tick', String(tick), '--json'])).hash;

const name = await record();
const { last_tick: lastTick } = JSON.parse(execFileSync(replayProgram, ['info', join(folder, name), '--json']));
const server = await startServer(serverProgram, ['--record', folder, '--on-restart', 'new', '--http-prefix', '/play']);
const origin = `http://${server.http}`;
const browser = await startBrowser(packageDir, chromiumProgram, origin);
const { check, faults } = browser;
const openTab = (hash, options = {}) => browser.open('player', `/play/${hash}`, { acceptDownloads: true, ...options });

/** Waits until the state after a tick is shown. @return its roots */
async function shown(page, tick) {
  await page.waitForFunction((wanted) => {
    const { frame } = globalThis.isostep.player ?? {};
    return frame?.tick === wanted && frame.target === wanted && !frame.isPlaying;
  }, tick);
  return page.evaluate(() => globalThis.isostep.player.frame.sides.map(({ root }) => root));
}

const text = (page, id) => page.locator(`#p-${id}`).textContent();
const has = (page, id, what) =>
  page.waitForFunction(
    ([of, pattern]) => new RegExp(pattern).test(document.getElementById(of).textContent), [`p-${id}`, what],
  );

const picture = async (page, file) => pictures && (await page.screenshot({ path: resolve(pictures, file) }));

/** A file of this device, as if it was dragged here from its window. */
async function drop(page, file, bytes) {
  const data = await page.evaluateHandle(([called, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], called));
    return transfer;
  }, [file, Buffer.from(bytes).toString('base64')]);
  await page.dispatchEvent('body', 'dragover', { dataTransfer: data });
  await page.dispatchEvent('body', 'drop', { dataTransfer: data });
}

/** From the list to a tick: by the link's tick, the slider, keys and buttons. */
async function scrub() {
  const page = await openTab('#/sessions');
  await page.locator('#start a[href="#/recordings"]').click();
  await page.locator('#r-list a', { hasText: name }).waitFor();
  await check(page, 'the list of recordings');
  await picture(page, 'recordings.png');
  await page.locator('#r-list a', { hasText: name }).click();
  await shown(page, 0);
  const slider = page.locator('#p-timeline input');
  for (const tick of [301, 77, 240, lastTick]) {
    await slider.fill(String(tick));
    assert.deepEqual(await shown(page, tick), [rootOf(name, tick)], `tick ${tick}`);
  }
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual(await shown(page, lastTick - 1), [rootOf(name, lastTick - 1)]);
  await page.keyboard.press('Home');
  await shown(page, 0);
  await page.locator('#p-on').click();
  assert.deepEqual(await shown(page, 1), [rootOf(name, 1)]);
  await page.locator('#p-tick').fill('150');
  await page.keyboard.press('Enter');
  await shown(page, 150);
  assert.match(
    await page.locator('#p-roots').textContent(), new RegExp(`${rootOf(name, 150)}the same as in the file$`),
  );
  await page.waitForURL(/#\/r\/main-[0-9a-f]+-1\.isr\?tick=150$/); // what is seen has an address
  await check(page, 'a recording, dark');
  return page;
}

/** Plays to the end, then verifies what was not seen. */
async function playAndVerify(page) {
  await page.locator('#p-speed').selectOption('16');
  await page.locator('#p-play').focus();
  await page.keyboard.press('Space');
  await shown(page, lastTick);
  await page.waitForFunction((least) => globalThis.isostep.player.proof.checked >= least, lastTick - 150);
  await page.locator('#p-verify').click();
  await has(page, 'light-text', '^all ticks verified$');
  assert.equal(await page.locator('#p-light').getAttribute('data-state'), 'right');
  assert.match(await text(page, 'checked'), new RegExp(`^${lastTick + 1} of ${lastTick + 1}$`));
  await picture(page, 'verified.png');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('#p-save').click()]);
  assert.match(saved.suggestedFilename(), /^main-[0-9a-f]+-1-tick-\d+\.png$/);
  const bytes = readFileSync(await saved.path());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.ok(bytes.length > 5000, 'something is in the picture');
}

/** A bit of the state is flipped in the file, which no input explains: the tick is found that `verify` names. */
async function wrong(page) {
  const copy = join(folder, 'flipped.isr');
  execFileSync(replayProgram, [
    'perturb', join(folder, name), '-o', copy, '--flip', 'bodies[20].position[0]:12', '--tick', '100',
  ]);
  const { first_bad_tick: tick } = JSON.parse(replay('verify', copy, '--json').stdout);
  await drop(page, 'flipped.isr', readFileSync(copy));
  await has(page, 'name', '^flipped.isr$');
  await shown(page, 0);
  await page.locator('#p-verify').click();
  await has(page, 'light-text', `^tick ${tick} is wrong$`);
  await has(page, 'verify', '^Verify all$'); // it has come to the end
  await page.locator('#p-timeline input').fill(String(tick));
  await shown(page, tick);
  assert.equal(await page.locator('#p-roots .wrong').count(), 1);
  await picture(page, 'wrong-tick.png');
}

/** A file of this device, whole, damaged, and none at all. */
async function dropFiles() {
  const page = await openTab('#/recordings');
  const whole = readFileSync(join(folder, name));
  await page.locator('#r-choose').waitFor();
  await drop(page, 'mine.isr', whole);
  await shown(page, 0);
  assert.equal(await text(page, 'name'), 'mine.isr');
  const damaged = Buffer.from(whole);
  damaged[whole.length >> 1] ^= 1;
  writeFileSync(join(folder, 'damaged.isr'), damaged);
  const { offset, last_tick: good } = JSON.parse(replay('verify', join(folder, 'damaged.isr'), '--json').stdout);
  await drop(page, 'damaged.isr', damaged);
  await has(page, 'name', '^damaged.isr$');
  await shown(page, 0);
  const warning = (await text(page, 'warning')).replaceAll(',', '');
  console.log(warning);
  assert.match(warning, new RegExp(`^Damaged at byte ${offset} after tick ${good}: `));
  await page.locator('#p-last').click();
  await shown(page, good);
  await picture(page, 'damaged.png');
  await drop(page, 'torn.isr.part', whole.subarray(0, whole.length - 300));
  await has(page, 'warning', '^The end is missing at byte \\d');
  await wrong(page);
  await drop(page, 'nothing.isr', Buffer.from('this is no recording'));
  await has(page, 'fault-text', '^It is no recording');
  assert.ok(await page.locator('#p-fault').isVisible());
  await picture(page, 'fault.png');
}

/**
 * Beside a copy in which one command is changed: what differs, and from which tick on, is what isostep-replay compare
 * says.
 */
async function compare(page) {
  await page.locator('#p-compare').click();
  await page.locator('#p-choose-list', { hasText: 'There is no other recording on this server.' }).waitFor();
  await page.locator('#p-choose-end').click();
  const copy = 'main-changed.isr';
  execFileSync(replayProgram, [
    'perturb', join(folder, name), '-o', join(folder, copy), '--command', 'change', '--tick', '200',
  ]);
  const both = [join(folder, name), join(folder, copy)];
  const expected = JSON.parse(replay('compare', ...both, '--json').stdout);
  const tick = expected.first_bad_tick;
  assert.ok(tick >= 200);
  await page.waitForTimeout(1100); // the server lists the folder anew
  await page.locator('#p-compare').click();
  await page.locator('#p-choose-list a', { hasText: copy }).click();
  await has(page, 'difference-text', '^Different from');
  assert.equal(
    await text(page, 'difference-text'), `Different from tick ${tick} on; ${expected.ticks} ticks before it are equal.`,
  );
  assert.deepEqual(await shown(page, expected.state_tick), [expected.root_a, expected.root_b]);
  const fields = await page
    .locator('#p-difference-fields li')
    .evaluateAll((lines) => lines.map((line) => [...line.children].map((part) => part.textContent)));
  const lines = replay('compare', ...both).stdout;
  assert.equal(fields.length, Math.min(8, expected.difference_count));
  for (const [place, a, b] of fields) {
    const [head, ...values] = [place, `A ${a.slice(2)}`, `B ${b.slice(2)}`];
    const pattern = [head, ...values]
      .map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/^([AB]) /, '$1 +'))
      .join('[^\n]*\\s+');
    assert.match(lines, new RegExp(pattern), place);
  }
  assert.match(await text(page, 'difference-count'), new RegExp(`^In all ${expected.difference_count} field`));
  assert.match(
    await page.locator('#p-difference-inputs').textContent(),
    /^SET_CONTROL of slot \d, sequence \d+: not the same in both$/,
  );
  const { bodies } = await page.evaluate(() => globalThis.isostep.player.frame.differing);
  const named = new Set(expected.differences.filter(({ section }) => section === 'bodies').map(({ record }) => record));
  named.forEach((body) => assert.ok(bodies.includes(body), `body ${body}`));
  await picture(page, 'compare-first.png');
  await page.keyboard.press('ArrowLeft');
  const [a, b] = await shown(page, tick - 1);
  assert.equal(a, b);
  assert.equal(await page.evaluate(() => globalThis.isostep.player.frame.differing), undefined);
  await page.locator('#p-last').click();
  assert.deepEqual(await shown(page, lastTick), [rootOf(name, lastTick), rootOf(copy, lastTick)]);
  await page.locator('#p-timeline input').fill(String(Math.min(lastTick, tick + 60)));
  await shown(page, Math.min(lastTick, tick + 60));
  await page.waitForURL(/&with=main-changed\.isr$/);
  await check(page, 'two recordings');
  await picture(page, 'compare.png');
  await page.locator('#p-compare-end').click();
  await page.waitForFunction(() => globalThis.isostep.player.frame.sides.length === 1);
  await page.locator('#player .home').click();
  await page.locator('#list a').first().waitFor();
  assert.ok(await page.locator('#player').isHidden());
}

try {
  const page = await scrub();
  await playAndVerify(page);
  await compare(page);
  await dropFiles();
  const nameless = await openTab('#/r/');
  await nameless.locator('#r-list a', { hasText: name }).waitFor();
  await nameless.context().close();
  const light = await openTab(`#/r/${name}?tick=200`, { colorScheme: 'light' });
  await shown(light, 200);
  await check(light, 'a recording, light');
  await picture(light, 'light.png');
  const phone = await openTab(`#/r/${name}?tick=200`, {
    viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2,
  });
  await shown(phone, 200);
  await picture(phone, 'phone.png');
  await phone.locator('#p-toggle').click();
  await check(phone, 'a recording on a phone');
  await picture(phone, 'phone-panel.png');
  assert.deepEqual(faults, []);
} finally {
  await browser.close();
  await server.stop();
}
