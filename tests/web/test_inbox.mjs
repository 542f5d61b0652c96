// A client that computes more slowly than messages come still hears its timers and its page, and takes in what came in
// order.
//
//   node test_inbox.mjs PACKAGE
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { load } from './bundle.mjs';

const sources = fileURLToPath(new URL('../../client-sample/web/src', import.meta.url));

function spend(ms) {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    // computes
  }
}

/**
 * An inbox of its own for each check: after a slice it waits for its turn, and on a busy machine a slice may be over at
 * any time.
 */
function open(Inbox) {
  const taken = [];
  const inbox = new Inbox((item) => {
    taken.push(item);
    spend(item < 100 ? 6 : 0);
  });
  const emptied = () => new Promise((done) => {
    const wait = setInterval(() => inbox.length === 0 && (clearInterval(wait), done()), 1);
  });
  return { inbox, taken, emptied };
}

/** In Node, or as in a browser, which has no setImmediate. */
async function check(Inbox) {
  const alone = open(Inbox);
  alone.inbox.push(100);
  assert.deepEqual(alone.taken, [100], 'what comes alone is taken in at once');

  const { inbox, taken, emptied } = open(Inbox);
  for (let i = 0; i < 10; ++i) {
    inbox.push(i);
  }
  assert.deepEqual(taken, [0], 'the others wait');
  assert.equal(inbox.length, 9);
  const between = [];
  const look = () => {
    between.push(taken.length);
    if (inbox.length > 0) {
      setTimeout(look, 0);
    }
  };
  setTimeout(look, 0);
  await emptied();
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'all are taken in, in order');
  assert.ok(between.length >= 4, `a timer had its turn ${between.length} times between them`);

  const many = open(Inbox);
  for (let i = 100; i < 200; ++i) {
    many.inbox.push(i);
  }
  await many.emptied();
  assert.deepEqual([many.taken.length, many.taken.at(-1)], [100, 199]);

  const dropped = open(Inbox);
  dropped.inbox.push(1);
  dropped.inbox.push(2);
  dropped.inbox.clear();
  dropped.inbox.push(3);
  await dropped.emptied();
  assert.deepEqual(dropped.taken, [1, 3], 'what waits can be dropped');
}

const source = "export { Inbox } from './inbox.js';";
await check((await load(process.argv[2], source, sources)).Inbox);
const { setImmediate } = globalThis;
delete globalThis.setImmediate;
const { Inbox } = await load(process.argv[2], `${source} // once more`, sources);
globalThis.setImmediate = setImmediate;
await check(Inbox);
console.log('nothing waits for what waits');
process.exit(0); // a MessagePort would keep the process
