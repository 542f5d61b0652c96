// What a player does and is told, in headless Chromium: keys, stick and pointer in each game, a hidden tab, a lost
// connection, a browser that lacks something.
//
//   node test_controls.mjs PACKAGE SERVER CHROMIUM [FOLDER for pictures]
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { PHONE, proven, startBrowser, until } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, chromiumProgram, pictures] = process.argv.slice(2);
const sessions = ['sandbox', 'walker', 'hound', 'pinball', 'cloth', 'stack'];
const server = await startServer(serverProgram, sessions.flatMap((name) => ['--session', `${name}=${name}`]));
const origin = `http://${server.http}`;
const { faults, open, check, suspend, close } = await startBrowser(packageDir, chromiumProgram);

const shoot = (page, name) => pictures && page.screenshot({ path: resolve(pictures, `${name}.png`) });

/** The own body. */
const own = (page) =>
  page.evaluate(() => globalThis.isostep.picture.players.find(({ slot }) => slot === globalThis.isostep.slot));

/** Waits until the own body is as far to the side of where it was. */
async function moves(page, metres, what) {
  await until(async () => (await own(page)) !== undefined, `${what}: there is a body`);
  const { x } = await own(page);
  await until(async () => (await own(page)).x - x > metres, what);
}

/** Holds a key until the own body has come to the right. */
async function driveByKey(page, metres, what) {
  await page.locator('#world').focus();
  await page.keyboard.down('ArrowRight');
  await moves(page, metres, what);
  await page.keyboard.up('ArrowRight');
}

/** Pushes the stick to the right with a finger, which may leave it. */
async function driveByStick(page, metres, what) {
  await page.locator('#stick').waitFor();
  const { x, y, width, height } = await page.locator('#stick').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 2 * width, y + height / 2, { steps: 3 });
  await moves(page, metres, what);
  await page.mouse.up();
  assert.equal(await page.locator('#stick i').evaluate((knob) => knob.style.transform), '', 'the stick springs back');
}

async function playWith(name, options, drive, metres) {
  const page = await open('ann', `${origin}/#/s/${name}`, options);
  await proven(page);
  await drive(page, metres, `${name} is driven`);
  await shoot(page, `${name}-${options === PHONE ? 'phone' : 'desk'}`);
  await page.context().close();
}

const camera = (page) => page.evaluate(() => {
  const { x, y, scale } = globalThis.isostep.camera;
  return { x, y, scale };
});
const isFollowing = (page) => page.locator('#follow').isChecked();

/**
 * From one session to another: what is shown at first is of the new one, also when a picture of the old one was on its
 * way.
 */
async function go() {
  const direct = await open('uma', `${origin}/#/s/pinball`);
  await proven(direct);
  const page = await open('ute', `${origin}/#/s/sandbox`);
  await until(() => isFollowing(page), 'the own body is followed');
  for (let i = 0; i < 3; ++i) {
    // After the page's own, which has asked for a picture.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => {
      location.hash = '#/s/pinball';
      done();
    })));
    const table = JSON.stringify(await camera(direct));
    await until(async () => JSON.stringify(await camera(page)) === table, 'the whole table is shown');
    assert.ok(!(await isFollowing(page)), 'the table stays where it is');
    await page.goto(`${origin}/#/s/sandbox`);
    await until(() => isFollowing(page), 'the own body is followed');
  }
  await direct.context().close();
  await page.context().close();
}

/** Where there is little room the panel is closed at first, and its button is within the page. */
async function squeeze() {
  for (const [width, height] of [[844, 390], [320, 568]]) {
    const page = await open('pia', `${origin}/#/s/sandbox`, { ...PHONE, viewport: { width, height } });
    await proven(page);
    await page.waitForFunction(() => / proven$/.test(document.getElementById('light-text').textContent));
    assert.ok(await page.locator('#panel').isHidden(), `the panel is closed at ${width} x ${height}`);
    const [button, bar] = await page.evaluate(() => { // with a tick after some days
      document.getElementById('light-text').textContent = 'tick 12,345,678 proven';
      return ['toggle', 'bar'].map((id) => document.getElementById(id).getBoundingClientRect().right);
    });
    assert.ok(button < bar, `the panel's button ends at ${button} px, the bar at ${bar}`);
    await shoot(page, `squeezed-${width}`);
    await page.context().close();
  }
}

/** How high the points of the moving shapes are, but of balls. */
const heights = (page) => page.evaluate(() => {
  const { picture: { words, count, stride } } = globalThis.isostep;
  const found = [];
  for (let at = 0; at < count * stride; at += stride) {
    if (((words[at] >>> 8) & 255) === 1 && words[at] >>> 24 === 3 && (words[at] & 255) !== 1) {
      for (let k = 0; k < ((words[at + 1] >>> 8) & 255); ++k) {
        found.push(words[at + 16 + 2 * k] / 65536);
      }
    }
  }
  return found;
});

/** The left flipper rises with its key, and with its button. */
async function flip() {
  for (const [options, press] of [[{}, (page) => page.keyboard.down('ArrowLeft')], [PHONE, async (page) => {
    const { x, y } = await page.locator('[data-key=ArrowLeft]').boundingBox();
    await page.mouse.move(x + 20, y + 20);
    await page.mouse.down();
  }]]) {
    const page = await open('bob', `${origin}/#/s/pinball`, options);
    await proven(page);
    assert.ok(await page.locator('#tools').isHidden(), 'a table has no tools');
    const before = await heights(page);
    await press(page);
    await until(async () => {
      const now = await heights(page);
      return now.length === before.length && before.some((height, i) => now[i] - height > 0.3);
    }, 'a flipper rises');
    await shoot(page, `pinball-${options === PHONE ? 'phone' : 'desk'}`);
    await page.context().close();
  }
}

/** The links of the cloth: how many there are, and the lowest end of one in metres. */
const cloth = (page) =>
  page.evaluate(() => {
    const { picture: { words, count, stride }, camera } = globalThis.isostep;
    const links = [];
    for (let at = 0; at < count * stride; at += stride) {
      if (((words[at] >>> 8) & 255) === 14) {
        links.push({ x: words[at + 15] / 65536, y: words[at + 16] / 65536 });
      }
    }
    const top = links.reduce((a, b) => (b.y > a.y || (b.y === a.y && b.x > a.x) ? b : a));
    return {
      count: links.length, top, px: camera.width / 2 + (top.x - camera.x) * camera.scale,
      py: camera.height / 2 - (top.y - camera.y) * camera.scale,
    };
  });

/** The pointer takes the cloth by its upper edge and lifts it; then it cuts it. */
async function pull() {
  const page = await open('eve', `${origin}/#/s/cloth`);
  await proven(page);
  const before = await cloth(page);
  await page.mouse.move(before.px, before.py);
  await page.mouse.down();
  for (let i = 1; i <= 12; ++i) {
    await page.mouse.move(before.px, before.py - 6 * i);
    await page.waitForTimeout(30);
  }
  await until(async () => (await cloth(page)).top.y > before.top.y + 0.2, 'the cloth is lifted');
  await shoot(page, 'cloth-desk');
  await page.mouse.up();
  await page.locator('[data-tool=cut]').click();
  const middle = await cloth(page);
  await until(async () => { // on a busy machine commands may come too late
    const { px, py } = await cloth(page);
    await page.mouse.move(px - 300, py + 110);
    await page.mouse.down();
    for (let i = 1; i <= 20; ++i) {
      await page.mouse.move(px - 300 + 30 * i, py + 110);
      await page.waitForTimeout(25);
    }
    await page.mouse.up();
    return (await cloth(page)).count < middle.count - 5;
  }, 'the cloth is cut');
  await page.keyboard.press('r');
  await until(async () => (await cloth(page)).count >= before.count, 'the cloth is new again');
  await page.context().close();
}

/** Who watches, and who is in a scene without a game, is told that nothing can be done. */
async function watch() {
  const page = await open('joe', `${origin}/#/s/stack/watch`);
  await page.waitForFunction(() => globalThis.isostep.pictures > 30); // all is shown
  assert.ok(await page.locator('#tools').isHidden());
  assert.match(await page.locator('#hints').textContent(), /You watch/);
  const before = await camera(page);
  await page.keyboard.press('+');
  assert.ok((await camera(page)).scale > before.scale, 'who watches may zoom');
  await page.keyboard.press('0');
  await until(async () => Math.abs((await camera(page)).scale - before.scale) < 0.1, 'and see all again');
  await page.keyboard.press('Shift+F');
  assert.ok(await isFollowing(page), 'and with Shift, as with Caps Lock, a key is the same key');
  await until(
    async () => /^paused at tick .*: nobody plays$/.test(await page.locator('#light-text').textContent()),
    'a pause is told',
  );
  await page.goto(`${origin}/#/s/stack`); // which ends the pause
  await until(async () => /no game/.test(await page.locator('#hints').textContent()), 'a scene without a game says so');
  await page.goto(`${origin}/#/s/100%`); // no name, and not escaped either
  await page.locator('#message').waitFor();
  assert.equal(await page.locator('#hints').textContent(), '', 'who is not in a session does not watch either');
  await page.context().close();
}

/** The tab is hidden for a while: it goes on, and says so; or it is put to sleep, catches up, and says that. */
async function hide() {
  const page = await open('kim', `${origin}/#/s/sandbox`);
  await proven(page);
  const show = (state) => page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
  const says = (pattern, what) => until(async () => pattern.test(await page.locator('#note').textContent()), what);
  await show('hidden');
  await page.waitForTimeout(3200);
  await show('visible');
  await says(/^While you were away this tab went on, and proved \d+ ticks\.$/, 'the tab says that it went on');
  await page.evaluate(() => { // on a busy machine it has caught up before it is judged
    const { setTimeout: wait } = globalThis;
    globalThis.setTimeout = (call, ms, ...rest) => wait(call, ms === 500 ? 6000 : ms, ...rest);
  });
  await show('hidden');
  await suspend(8000); // the server gives up a tab that has not read 300 ticks
  await show('visible');
  await says(/^This tab was asleep, and has caught up with [\d,]+ ticks\.$/, 'the tab says that it has caught up');
  assert.equal(await page.locator('#light').getAttribute('data-state'), 'playing');
  await page.context().close();
}

/** The server goes away: it is said for how long it is tried again, and what can be done in the end. */
async function lose() {
  const page = await open('lea', `${origin}/#/s/sandbox`, { expects: /ERR_CONNECTION_REFUSED|WebSocket/ });
  await proven(page);
  await page.waitForFunction(() => { // what it may need when there is no server
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
    return ['js', 'css'].every((type) => loaded.some((url) => new RegExp(`/start-[^/]*\\.${type}$`).test(url)));
  });
  await server.kill();
  const text = () => page.locator('#lost').innerText();
  await until(
    async () =>
      /^Connection lost. Your place is kept, and this tab tries again. \d+ s left. Leave$/.test(
        (await text()).replace(/\s+/g, ' '),
      ),
    'the loss is told',
  );
  await check(page, 'a lost connection');
  await shoot(page, 'lost');
  await page.locator('#lost a').click();
  await until(
    async () => /^The server does not answer/.test(await page.locator('#list-state').textContent()),
    'the start says that there is no server',
  );
  await check(page, 'no server');
  await shoot(page, 'no-server');
  await page.context().close();
}

/** A browser without something is told what it lacks, whatever else its script would do. */
async function lack() {
  const lacks = {
    'no WebAssembly': () => delete globalThis.WebAssembly,
    'no WebGL 2': () => delete globalThis.WebGL2RenderingContext,
    'no 64-bit integers': () => delete globalThis.BigInt64Array,
    'no Workers of modules': () => { globalThis.Worker = class { terminate() {} }; },
  };
  for (const [name, remove] of Object.entries(lacks)) {
    const page = await open('old', 'about:blank');
    await page.addInitScript(remove);
    await page.goto(`${origin}/`);
    await page.locator('#unsupported').waitFor();
    assert.ok((await page.locator('#unsupported-title').textContent()).includes(name), name);
    assert.match(await page.locator('#unsupported-text').textContent(), /Chrome, Edge and Opera from version/);
    if (name === 'no WebGL 2') {
      await check(page, 'an unsupported browser');
      await shoot(page, 'unsupported');
    }
    await page.context().close();
  }
  const page = await open('older', 'about:blank', { expects: /SyntaxError|Unexpected/ });
  await page.route(/assets\/index-.*\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'class { #$ }' }),
  );
  await page.goto(`${origin}/`);
  await page.locator('#unsupported').waitFor();
  assert.match(await page.locator('#unsupported-title').textContent(), /cannot read the page's script/);
  await page.context().close();
}

try {
  await playWith('sandbox', {}, driveByKey, 0.3);
  await playWith('walker', {}, driveByKey, 0.3);
  await playWith('hound', {}, driveByKey, 0.3);
  await playWith('walker', PHONE, driveByStick, 0.3);
  await playWith('sandbox', PHONE, driveByStick, 0.3);
  await flip();
  await go();
  await squeeze();
  await pull();
  await hide();
  await lack();
  await watch();
  await lose(); // the last one
  assert.deepEqual(faults, []);
} finally {
  await close();
  await server.stop();
}
