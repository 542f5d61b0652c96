// The page in headless Chromium: tabs, what is drawn in them, real mouse events, and a native client beside them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/**
 * For anything that has to come [ms], clicks as well: a page draws with the processors here, and on a busy machine a
 * single picture may take seconds. What comes is waited for no longer than it takes: only a fault takes all of it.
 */
export const WAIT_MS = 150000;
/**
 * A tab may paint again after so long [ms]. Without a graphics card a picture of the page takes 60 ms of a processor,
 * 100 with ANGLE: a tab that paints as often as it can is as busy as two, and says no more.
 */
const PICTURE_MS = 200;

function slowDisplay(ms) {
  const ask = globalThis.requestAnimationFrame.bind(globalThis);
  let asked = []; // for the next picture, in their order
  let last = -ms;
  globalThis.requestAnimationFrame = (draw) => {
    if (asked.push(draw) > 1) {
      return;
    }
    setTimeout(() => {
      last = performance.now();
      const now = asked;
      asked = [];
      now.forEach(ask);
    }, last + ms - performance.now());
  };
}

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/**
 * Starts Chromium. What goes wrong in a tab (an error on the console, a request that fails or leaves the origin, a
 * dialog) is in `faults`, but what matches `allowed`, which a test may set for as long as it breaks something.
 * @param origin  of the pages; '': paths are whole addresses
 */
export async function startBrowser(packageDir, program, origin = '') {
  const require = createRequire(resolve(packageDir, 'package.json'));
  const { chromium } = require('playwright-core');
  const axe = require('axe-core').source;
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-background-timer-throttling'],
  });
  const started = { faults: [], allowed: null, open, reload, watch, check, suspend, close: () => browser.close() };

  function watch(name, page, address = origin, expects = /^$/) {
    const fault = (text) =>
      started.allowed?.test(text) || expects.test(text) || started.faults.push(`${name}: ${text}`);
    const isForeign = (request) =>
      /^https?:/.test(address) && new URL(request.url()).origin !== new URL(address).origin;
    page.on('console', (message) => message.type() === 'error' && fault(message.text()));
    page.on('pageerror', (error) => fault(String(error)));
    page.on('requestfailed', (request) => fault(`${request.url()} ${request.failure()?.errorText}`));
    page.on('response', (response) => response.status() >= 400 && fault(`${response.status()} ${response.url()}`));
    page.on('request', (request) => isForeign(request) && fault(`${request.url()} is of another origin`));
    page.on('dialog', (dialog) => {
      fault(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /**
   * A tab of its own user.
   * @param expects  faults that belong to the test
   * @param prepare  does something with the tab before it loads the page
   */
  async function open(name, path, { expects, ...options } = {}, prepare = async () => undefined) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 }, colorScheme: 'dark', ...options,
    });
    await context.addInitScript((value) => location.protocol === 'about:' || localStorage.setItem('name', value), name);
    await context.addInitScript(slowDisplay, PICTURE_MS);
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    const address = `${origin}${path}`;
    watch(name, page, address, expects);
    await prepare(page);
    await page.goto(address);
    return page;
  }

  /** Loads a tab anew. What it was still loading is aborted then, which is no fault. */
  async function reload(page) {
    started.allowed = /ERR_ABORTED/;
    await page.reload();
    started.allowed = null;
  }

  /** No serious finding of axe-core. */
  async function check(page, what) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const found = violations.map(
      ({ impact, id, nodes }) => `${impact}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
    );
    console.log(found.length === 0 ? `accessibility of ${what}: no finding` : found.join('\n'));
    assert.ok(violations.every(({ impact }) => impact !== 'serious' && impact !== 'critical'), what);
  }

  /** Stops all tabs for a while, as a system does that wants to save power. */
  async function suspend(ms) {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const tabs = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    tabs.forEach((id) => process.kill(id, 'SIGSTOP'));
    await new Promise((done) => setTimeout(done, ms));
    tabs.forEach((id) => process.kill(id, 'SIGCONT'));
  }

  return started;
}

/** Saves a picture of the page, where one is wanted. @param path  a file, or null */
export async function take(page, path) {
  if (path !== null) {
    await page.screenshot({ path });
  }
}

/** It has joined, and some ticks are proven and drawn: whoever comes late proves some before the server lets him in. */
export const proven = (page) =>
  page.waitForFunction(() => {
    const hasJoined = ['playing', 'wrong'].includes(document.getElementById('light')?.dataset.state);
    return hasJoined && globalThis.isostep?.roots.size > 5 && globalThis.isostep.pictures > 5;
  });

/** The last ticks that were compared with the server's, each with its root. */
export const roots = (page) => page.evaluate(() => [...globalThis.isostep.roots]);

export const linkState = (page) => page.locator('#light').getAttribute('data-state');

/** The moving bodies: the centre of each one's first shape, in the world and on the canvas. */
export const things = (page) =>
  page.evaluate(() => {
    const { picture, camera } = globalThis.isostep;
    const found = new Map();
    const joined = new Set();
    for (let i = 0; i < picture.count; ++i) {
      const at = i * picture.stride;
      const { words } = picture;
      if (words[at + 9] !== 0) { // the generation of the joint that the item belongs to
        joined.add(words[at + 4]);
      }
      const [role, type] = [(words[at] >>> 8) & 255, words[at] >>> 24];
      if (role !== 1 || type !== 3 || found.has(words[at + 4])) {
        continue;
      }
      const n = (words[at + 1] >>> 8) & 255;
      let [x, y] = [0, 0];
      for (let k = 0; k < n; ++k) {
        x += words[at + 15 + 2 * k] / 65536 / n;
        y += words[at + 16 + 2 * k] / 65536 / n;
      }
      found.set(words[at + 4], {
        index: words[at + 4], slot: words[at + 2] & 0xffff, x, y,
        px: camera.width / 2 + (x - camera.x) * camera.scale, py: camera.height / 2 - (y - camera.y) * camera.scale,
      });
    }
    return [...found.values()].map((thing) => ({ ...thing, isJoined: joined.has(thing.index) }));
  });

/** Waits until a question about a page has the right answer. */
export async function until(ask, what) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    if (await ask()) {
      return;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(what);
}

/** Waits until a picture is drawn that was asked for from now on. */
export async function drawn(page) {
  for (let i = 0; i < 2; ++i) {
    // the first one to come may have been asked for before
    await page.evaluate(
      () => void (globalThis.before = globalThis.isostep.space?.picture ?? globalThis.isostep.picture),
    );
    await page.waitForFunction(
      () => (globalThis.isostep.space?.picture ?? globalThis.isostep.picture) !== globalThis.before,
    );
  }
  const seen = await page.evaluate(() => globalThis.isostep.pictures);
  await page.waitForFunction((before) => globalThis.isostep.pictures > before, seen);
}

/** Waits until each of the tabs, one after the other, has proven as many more ticks, and has drawn. */
export async function pass(ticks, ...pages) {
  for (const page of pages) {
    const newest = await page.evaluate(() => Math.max(...globalThis.isostep.roots.keys()));
    await page.waitForFunction((least) => Math.max(...globalThis.isostep.roots.keys()) >= least, newest + ticks);
    await drawn(page);
  }
}

/** Flips a bit of the tab's world: it is found, said and healed. */
export async function flip(page, picture = null) {
  await page.evaluate(() => { // between two pictures more than one of them may come
    const [light, note] = ['light', 'note'].map((id) => document.getElementById(id));
    const told = { isWrong: false, notes: [] };
    const look = () => {
      told.isWrong ||= light.dataset.state === 'wrong';
      told.notes.push(note.textContent);
    };
    const observer = new MutationObserver(look);
    [light, note].forEach((element) => observer.observe(element, { attributes: true, childList: true }));
    globalThis.told = told;
  });
  await page.locator('#flip').click();
  await page.waitForFunction(() => globalThis.told.isWrong);
  await take(page, picture);
  await page.waitForFunction(() => document.getElementById('light').dataset.state === 'playing');
  await page.waitForFunction(() => / proven$/.test(document.getElementById('light-text').textContent));
  const notes = await page.evaluate(() => globalThis.told.notes);
  const isHealing = (note) =>
    /^Tick \d+ was wrong: root [0-9a-f]{16} instead of [0-9a-f]{16}\. Healed with .* tick \d+\.$/.test(note);
  assert.ok(notes.some(isHealing), notes.join('\n'));
}

/** Takes a free body by the mouse and lifts it. @return how far it has come [m], as the other tab sees it */
export async function drag(page, other, picture = null) {
  await page.locator('#follow').uncheck(); // what is taken stays where it is
  const isFree = ({ slot, px, py, isJoined }) =>
    !isJoined && slot >= 255 && px > 20 && px < 400 && py > 200 && py < 700;
  const dragOnce = async () => {
    const place = (await things(page)).filter(isFree).sort((a, b) => a.py - b.py)[0];
    const before = (await things(other)).find(({ index }) => index === place?.index);
    if (before === undefined) {
      return 0;
    }
    await page.mouse.move(place.px, place.py);
    await page.mouse.down();
    for (let i = 1; i <= 20; ++i) {
      await page.mouse.move(place.px + 5 * i, place.py - 7 * i);
      await page.waitForTimeout(30);
    }
    await pass(30, page, other);
    const after = (await things(other)).find(({ index }) => index === place.index);
    await take(page, picture);
    await page.mouse.up();
    return after === undefined ? 0 : Math.hypot(after.x - before.x, after.y - before.y);
  };
  let moved = 0;
  await until(async () => { // it may not be any more where it was seen
    moved = await dragOnce();
    return moved > 1;
  }, 'a body can be dragged');
  return moved;
}

/** Starts a native client. @return { stop, ended }; `ended` has the code and the summary when it has left */
export function startNative(program, server, { session = 'main', name = 'native', bot = 'wander' } = {}) {
  const client = spawn(program, [server.tcp, '--session', session, '--name', name, '--bot', bot, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  client.stdout.on('data', (chunk) => (output += chunk));
  const ended = new Promise((done) =>
    client.on('exit', (code) => done({ code, summary: JSON.parse(output.trim().split('\n').at(-1)) })),
  );
  return { stop: () => client.kill('SIGINT'), ended };
}
