// The start of the page, in headless Chromium: the list of sessions, making one of a built-in scene or of a file, what
// is refused and how that is said, ending one, the link to one.
//
//   node test_create.mjs PACKAGE SERVER CHROMIUM [FOLDER for pictures]
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PHONE, proven, startBrowser, until } from './browser.mjs';
import { startServer } from './server.mjs';

const [packageDir, serverProgram, chromiumProgram, pictures] = process.argv.slice(2);
const TOKEN = 'correct-horse-battery';
const server = await startServer(serverProgram, [
  '--session', 'lobby=sandbox', '--session', 'tower=stack', '--http-sessions', '3', '--http-token', TOKEN,
]);
const origin = `http://${server.http}`;
const { faults, open, reload, check, close } = await startBrowser(packageDir, chromiumProgram);

const shoot = (page, name) => pictures && page.screenshot({ path: resolve(pictures, `${name}.png`) });
const text = (page, id) => page.locator(`#${id}`).innerText();
const row = (page, name) => page.locator('#list li', { has: page.getByText(name, { exact: true }) });

const SCENE = `{
  "format": 1,
  "name": "swing", // of the file
  "game": {"name": "sandbox"},
  "bodies": [
    {"name": "floor", "type": "static", "shapes": [{"kind": "box", "half_width": 20, "half_height": 0.5}]},
    {"name": "ball", "position": [0, 5], "shapes": [{"kind": "circle", "radius": 0.5}]}
  ]
}
`;
const file = (name, content) => ({ name, mimeType: 'application/json', buffer: Buffer.from(content) });

/** Both sessions are in the list, and can be watched and shared. */
async function look(page) {
  await row(page, 'lobby').waitFor();
  assert.match(await row(page, 'tower').innerText(), /no game · 0 of \d+ players/);
  assert.equal(await row(page, 'lobby').getByText('Watch').getAttribute('href'), '#/s/lobby/watch');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await row(page, 'lobby').getByText('Copy link').click();
  await until(
    async () => /^The link is copied\. It leads to this machine/.test(await text(page, 'note')), 'the link is copied',
  );
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${origin}/#/s/lobby`);
  await until(
    () => page.locator('#note').evaluate((note) => getComputedStyle(note).opacity === '1'), 'the note can be read',
  );
  await check(page, 'the sessions');
}

/** The large scenes need the memory that the README says, and no less. */
function weigh() {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, text] = /A session may use 64 MiB; (.*), the other large ones up to/.exec(readme);
  const said = [...text.matchAll(/`([a-z-]+)` (?:needs )?`--memory (\d+)`/g)].map(([, name, memory]) => [
    name, Number(memory),
  ]);
  assert.ok(said.length >= 2);
  const run = (scene, memory) =>
    spawnSync(serverProgram, ['--tcp', '127.0.0.1:0', '--for', '1', '--scene', scene, '--memory', String(memory)])
      .status;
  for (const [scene, memory] of said) {
    assert.equal(run(scene, memory), 0, `${scene} has room in ${memory} MiB`);
    assert.notEqual(run(scene, memory - 64), 0, `${scene} needs more than ${memory - 64} MiB`);
  }
}

/** Escape closes the form, and the focus is where it was. */
async function escape(page) {
  await openForm(page);
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#create').isHidden(), 'Escape closes the form');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'new');
}

async function openForm(page) {
  await page.locator('#new').click();
  await page.locator('.scene').first().waitFor();
}

/** What can be seen to be wrong is said without asking the server. */
async function misname(page) {
  await openForm(page);
  assert.equal(await page.locator('#new-name').inputValue(), 'sandbox', 'a name is offered');
  for (const [name, words] of [
    ['', /needs a name/], ['Big', /no “B”/], ['x'.repeat(64), /at most 63 characters; this one has 64/],
    ['lobby', /There is a session of this name/],
  ]) {
    await page.locator('#new-name').fill(name);
    await page.locator('#make').click();
    assert.match(await text(page, 'new-name-fault'), words);
  }
  await check(page, 'a form with a fault');
  await shoot(page, 'create-name');
}

/** A session of a built-in scene is made and played. */
async function make(page) {
  await page.locator('#new-name').fill('');
  await page.locator('input[value=walker]').check();
  assert.equal(await page.locator('#new-name').inputValue(), 'walker', 'the name follows the scene');
  await check(page, 'the form');
  await shoot(page, 'create');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/s\/walker$/);
  await proven(page);
  assert.match(await text(page, 'session'), /walker · walker/);
}


async function moderate(page, path, data) {
  const answer = await page.request.post(`${new URL(page.url()).origin}/api/${path}`, {
    headers: { Authorization: `Bearer ${TOKEN}` }, data,
  });
  assert.ok(answer.ok(), `${path}: ${await answer.text()}`);
}

const slotOf = (page) => page.evaluate(() => globalThis.isostep.slot);

/** What whoever runs the server tells is shown until it is closed; so is that somebody is removed. */
async function inform(page, other) {
  const told = Date.now();
  await moderate(page, 'notice', { session: 'walker', text: '<b>Soup</b> is ready', seconds: 300 });
  await other.locator('#notice').waitFor();
  assert.equal(await text(other, 'notice-text'), '<b>Soup</b> is ready', 'a notice is no markup');
  const left = Number(/^In (\d+) s\.$/.exec(await text(other, 'notice-left'))?.[1]);
  assert.ok(left <= 300 && left >= 299 - (Date.now() - told) / 1000, `${left} s are left`);
  await check(other, 'a notice');
  await shoot(other, 'notice');
  await other.locator('#notice-close').click();
  assert.ok(await other.locator('#notice').isHidden(), 'a notice can be closed');

  await moderate(page, 'sessions/walker/kick', { slot: await slotOf(other), reason: 'a note of ours' });
  await until(
    async () => /You were removed from the session\./.test(await text(other, 'message')), 'who is removed is told so',
  );
  await reload(other);
  await proven(other);
}

async function ban(page) {
  await moderate(page, 'bans', { session: 'mine', slot: await slotOf(page), seconds: 600, reason: 'a note of ours' });
  await until(async () => /You are banned here\./.test(await text(page, 'message')), 'who is banned is told so');
}

/** It is ended: that is asked for, and may be kept. */
async function end(page, other) {
  await page.goto(`${origin}/#/sessions`);
  await row(page, 'walker').getByText('End', { exact: true }).click();
  await page.keyboard.press('Escape');
  await row(page, 'walker').getByText('End', { exact: true }).click();
  await check(page, 'a question');
  await shoot(page, 'create-end');
  await row(page, 'walker').getByText('Keep').click();
  await row(page, 'walker').getByText('End', { exact: true }).click();
  await row(page, 'walker').getByText('End it', { exact: true }).click();
  await row(page, 'walker').waitFor({ state: 'detached' });
  await until(() => page.evaluate(() => document.activeElement.id === 'list'), 'the focus is in the list');
  await until(async () => /not in the session/.test(await text(other, 'message')), 'who played is told');
}

/** A file is dropped and played. One with a mistake is refused, with the place of it. */
async function drop(page) {
  const wrong = SCENE.replace('0.5}]}\n', '-1}]}\n');
  const column = wrong.split('\n')[6].indexOf('-1') + 1;
  await reload(page); // the form is made anew
  await page.locator('#new').waitFor();
  await page.evaluate((content) => {
    const { text } = Blob.prototype;
    Blob.prototype.text = async function read() { // of a slow disk: the server's scenes come first
      Blob.prototype.text = text;
      while (document.querySelector('#create .scene') === null) {
        await new Promise((done) => setTimeout(done, 10));
      }
      return text.call(this);
    };
    const data = new DataTransfer();
    data.items.add(new File([content], 'My swing.json'));
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }
  }, wrong);
  await until(async () => /My swing.json, \d+ bytes/.test(await text(page, 'file-text')), 'the file is taken');
  assert.equal(await page.locator('#new-name').inputValue(), 'my-swing');
  await page.locator('#make').click();
  await until(
    async () =>
      (await text(page, 'scene-fault')).includes(`ine 7, column ${column}: /bodies/1/shapes/0/radius: -1, expected`),
    'the fault is told',
  );
  assert.match(await text(page, 'scene-fault'), /^My swing\.json: /, 'of this file');
  assert.match(await page.locator('#scene-fault pre').textContent(), /^7 │ .*-1\}\]\}\n {2}│ +\^$/);
  const [line, mark] = (await page.locator('#scene-fault pre').textContent()).split('\n');
  assert.equal(line[mark.indexOf('^')], '-', 'the mark is below the number');
  await check(page, 'a wrong scene');
  await shoot(page, 'create-wrong');
  await page.locator('#file').setInputFiles(file('large.json', ' '.repeat((1 << 20) + 1)));
  await until(
    async () => /1,048,577 bytes; a scene has at most 1,048,576/.test(await text(page, 'scene-fault')),
    'a large file is refused',
  );
  await page.locator('#file').setInputFiles(file('swing.json', SCENE));
  await until(async () => /^swing.json, /.test(await text(page, 'file-text')), 'the other file is taken');
  await page.locator('#make').click();
  await page.waitForURL(/#\/s\/swing$/);
  await proven(page);
}

/** A name that somebody else took meanwhile, and the limit of sessions. */
async function refuse(page) {
  await page.goto(`${origin}/#/sessions`);
  await openForm(page);
  // The list asks for it every two seconds.
  const known = await (await page.request.get(`${origin}/api/sessions`)).json();
  const tellKnown = (route) => (route.request().method() === 'GET' ? route.fulfill({ json: known }) : route.continue());
  await page.route('**/api/sessions', tellKnown);
  await page.locator('#new-name').fill('late');
  await page.request.post(`${origin}/api/sessions`, {
    headers: { Authorization: `Bearer ${TOKEN}` }, data: { name: 'late', scene: 'stack' },
  });
  await page.locator('#make').click();
  await until(async () => /late/.test(await text(page, 'new-name-fault')), 'the name is taken');
  await page.unroute('**/api/sessions', tellKnown);
  await page.request.post(`${origin}/api/sessions`, {
    headers: { Authorization: `Bearer ${TOKEN}` }, data: { name: 'third', scene: 'stack' },
  });
  await page.locator('#new-name').fill('fourth');
  await page.locator('#make').click();
  await until(async () => /--http-sessions/.test(await text(page, 'new-fault')), 'the limit is told');
  await shoot(page, 'create-limit');
}

/** With a token the page asks for it, where it is needed. */
async function authorize() {
  const guarded = await startServer(serverProgram, ['--http-token', TOKEN]);
  const page = await open('tom', `http://${guarded.http}/#/sessions`, { expects: /401/ });
  await openForm(page);
  await page.locator('#new-name').fill('mine');
  await page.locator('#make').click();
  await page.locator('.token input').fill('wrong-horse-battery-x');
  await page.locator('.token button').click();
  await page.locator('.token input').fill(TOKEN);
  await check(page, 'a token is needed');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/s\/mine$/);
  await proven(page);
  await ban(page);
  await guarded.stop();
}

/** Who makes a session with a password is in; others are asked for it, until it is right. */
async function lock() {
  const guarded = await startServer(serverProgram, ['--session', 'open', '--http-token', TOKEN]);
  const page = await open('eve', `http://${guarded.http}/#token=${TOKEN}`);
  await page.goto(`http://${guarded.http}/#/sessions`);
  await openForm(page);
  await page.locator('#new-name').fill('locked');
  await page.locator('#new-password').fill('ä'.repeat(32));
  await page.locator('#make').click();
  assert.match(await text(page, 'new-password-fault'), /at most 63 bytes/);
  await page.locator('#new-password').fill('open-sesame-ä');
  await check(page, 'a form with a password');
  await shoot(page, 'create-password');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/s\/locked$/);
  await proven(page);
  const other = await open('max', `http://${guarded.http}/#/s/locked`);
  const refused = () =>
    until(async () => /needs a password, or another one/.test(await text(other, 'message')), 'a password is asked for');
  await refused();
  await until(() => other.evaluate(() => document.activeElement.id === 'password'), 'it can be typed at once');
  assert.equal(
    (await text(other, 'message-text')).trim(), 'This session needs a password, or another one.', 'it is said once',
  );
  await check(other, 'a password is asked for');
  await shoot(other, 'password');
  await other.keyboard.type('open-sesame');
  await other.keyboard.press('Enter');
  await until(() => other.locator('#password').evaluate(({ value }) => value === ''), 'what was typed is taken');
  await refused();
  // What was typed for one session is not told to another.
  await other.locator('#password').fill('open-sesame-ä');
  await other.goto(`http://${guarded.http}/#/s/open`);
  await proven(other);
  await other.goto(`http://${guarded.http}/#/s/locked`);
  await refused();
  await other.locator('#password').fill('open-sesame-ä');
  await other.locator('#again').click();
  await proven(other);
  // From then on it is known, for as long as the page is.
  await other.goto(`http://${guarded.http}/#/sessions`);
  await until(
    async () => / · with a password$/.test(await row(other, 'locked').locator('small').innerText()), 'the list says it',
  );
  await row(other, 'locked').getByText('Watch', { exact: true }).click();
  await proven(other);
  // A link that leads nowhere may be one to a private session.
  await other.goto(`http://${guarded.http}/#/s/nowhere`);
  await until(
    async () => /Password, if it is private/.test(await text(other, 'message')), 'a password may be what is missing',
  );
  await check(other, 'a link that leads nowhere');
  await Promise.all([page.close(), other.close()]);
  await guarded.stop();
}

/** What changes something is shown where it may be done: at the address of --admin. */
async function divide() {
  const divided = await startServer(serverProgram, [
    '--session', 'one', '--session', 'two', '--http-token', TOKEN, '--admin', '127.0.0.1:0',
  ]);
  const pages = [];
  const openAt = async (address) => {
    const page = await open(`kim${pages.length}`, `http://${address}/#/sessions`);
    pages.push(page);
    await row(page, 'two').getByText('Play', { exact: true }).waitFor();
    return [page.locator('#new'), row(page, 'two').getByText('End', { exact: true })];
  };
  try {
    for (const button of await openAt(divided.http)) {
      assert.ok(await button.isHidden(), 'what is refused is not offered');
    }
    await check(pages[0], 'sessions that others make');
    for (const button of await openAt(divided.admin)) {
      assert.ok(await button.isVisible(), 'what is allowed is offered');
    }
  } finally {
    await Promise.all(pages.map((page) => page.close()));
    await divided.stop();
  }
}

/**
 * A private session is played by its link, in the plane as in space, which only the list says beforehand, and listed to
 * who has a token.
 */
async function hide() {
  const hiding = await startServer(serverProgram, [
    '--session', 'open=stack', '--session', 'nest=stack', '--private', 'nest', '--http-token', TOKEN,
  ]);
  const made = { name: 'owl', scene: 'sandbox3', private: true, slots: 1 };
  const answer = await fetch(`http://${hiding.http}/api/sessions`, {
    method: 'POST', headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(made),
  });
  assert.equal(answer.status, 201);
  let count = 0;
  const see = async (path, what) => {
    const page = await open(`eve${++count}`, `http://${hiding.http}/${path}`);
    try {
      await what(page);
    } finally {
      await page.close();
    }
  };
  try {
    await see('#/sessions', async (page) => {
      await row(page, 'open').waitFor();
      assert.equal(await page.locator('#list li').count(), 1, 'private sessions are not in the list');
    });
    await see('#/s/nest', proven);
    await see('#/s/owl', (page) =>
      until(
        () => page.evaluate(() => globalThis.isostep.space !== null && globalThis.isostep.roots.size > 0),
        'the session in space is played',
      ),
    );
    await see(`#/sessions?token=${TOKEN}`, async (page) => {
      assert.match(await row(page, 'owl').innerText(), /private · sandbox3 · \d of 1 players/);
      assert.match(await row(page, 'nest').innerText(), /private · no game/);
      assert.doesNotMatch(await row(page, 'open').innerText(), /private/);
      await openForm(page);
      await page.locator('#new-name').fill('burrow');
      await page.locator('#new-private').check();
      await check(page, 'a form for a private session');
      await page.locator('#make').click();
      await page.waitForURL(/#\/s\/burrow$/);
    });
    await see('#/sessions', async (page) => {
      await row(page, 'open').waitFor();
      assert.equal(await page.locator('#list li').count(), 1, 'what the form makes private is');
    });
  } finally {
    await hiding.stop();
  }
}

/**
 * A game that the page's module has not is shown, and not offered: neither where it is played nor where a session is
 * made of it.
 */
async function lack() {
  const page = await open('eve', 'about:blank');
  for (const [path, name] of [['sessions', 'tower'], ['scenes', 'cloth']]) {
    await page.route(`**/api/${path}`, async (route) => {
      const json = await (await route.fetch()).json();
      json[path].find((each) => each.name === name).game = 'harvest';
      return route.fulfill({ json });
    });
  }
  await page.goto(`${origin}/#/sessions`);
  await until(
    async () => /^tower\s+harvest, which this page does not have · 0 of/.test(await row(page, 'tower').innerText()),
    'the game is said to be missing',
  );
  for (const [name, isThere] of [['tower', false], ['lobby', true]]) {
    for (const way of ['Play', 'Watch']) {
      assert.equal(await row(page, name).getByText(way, { exact: true }).isVisible(), isThere, `${way} ${name}`);
    }
  }
  await openForm(page);
  assert.ok(await page.locator('input[value=cloth]').isDisabled());
  assert.match(
    await page.locator('.scene', { has: page.locator('input[value=cloth]') }).innerText(),
    /its game is harvest, which this page does not have/,
  );
  for (const scene of await page.locator('.scene input:not([value=cloth])').all()) {
    assert.ok(
      (await scene.isEnabled()) || /needs more memory/.test(await scene.locator('..').innerText()),
      'the games of the library are there',
    );
  }
  await check(page, 'what the page cannot play');
  await page.close();
}

/** A server that can make none, and one without a session. */
async function empty() {
  const page = await open('pam', 'about:blank', { expects: /404/, ...PHONE, colorScheme: 'light' });
  await page.route('**/api/scenes', (route) => route.fulfill({ status: 404, body: 'there is nothing here\n' }));
  await page.route('**/api/sessions', (route) => route.fulfill({ json: { sessions: [] } }));
  await page.goto(`${origin}/`);
  await until(
    async () => /^No session is running here/.test(await text(page, 'list-state')), 'the list says that it is empty',
  );
  await page.locator('#new').click();
  await until(
    async () => /The scenes of the server are not known. There is nothing here/.test(await text(page, 'scenes')),
    'missing scenes are told',
  );
  await check(page, 'no sessions and no scenes');
  await shoot(page, 'create-empty-phone');
}

try {
  const page = await open('ann', `${origin}/#token=${TOKEN}`, { expects: /\b(400|409|429)\b/ });
  // The link's token is kept, and is not in the address any more: what follows is done with it.
  await until(async () => !page.url().includes('token'), 'the token is out of the address');
  assert.equal(await page.evaluate(() => sessionStorage.getItem('token')), TOKEN);
  await page.goto(`${origin}/#/sessions?token=other-horse-battery`);
  await until(async () => new URL(page.url()).hash === '#/sessions', 'a token beside a route leaves the route');
  await page.goto(`${origin}/#/sessions?token=${TOKEN}`);
  await until(async () => new URL(page.url()).hash === '#/sessions', 'it is taken again');
  weigh();
  await look(page);
  await escape(page);
  await misname(page);
  await make(page);
  const other = await open('bob', `${origin}/#/s/walker`, { colorScheme: 'light' });
  await proven(other);
  await inform(page, other);
  await end(page, other);
  await drop(page);
  await refuse(page);
  await authorize();
  await divide();
  await lock();
  await hide();
  await lack();
  await empty();
  assert.deepEqual(faults, []);
} finally {
  await close();
  await server.stop();
}
