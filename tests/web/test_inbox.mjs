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

/** In Node, or as in a browser, which has no setImmediate. */
async function check(Inbox) {
  const taken = [];
  const inbox = new Inbox((item) => {
    taken.push(item);
    spend(item < 100 ? 6 : 0);
  });
  inbox.push(100);
  assert.deepEqual(taken, [100], 'what comes alone is taken in at once');
  inbox.push(0);
  for (let i = 1; i < 10; ++i) {
    inbox.push(i);
  }
  assert.deepEqual(taken, [100, 0], 'the others wait');
  assert.equal(inbox.length, 9);
  const between = [];
  const look = () => {
    between.push(taken.length);
    if (inbox.length > 0) {
      setTimeout(look, 0);
    }
  };
  await new Promise((done) => {
    setTimeout(look, 0);
    const wait = setInterval(() => inbox.length === 0 && (clearInterval(wait), done()), 1);
  });
  assert.deepEqual(taken, [100, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'all are taken in, in order');
  assert.ok(between.length >= 4, `a timer had its turn ${between.length} times between them`);
  await new Promise((done) => setTimeout(done, 5));
  for (let i = 101; i < 200; ++i) {
    inbox.push(i);
  }
  await new Promise((done) => setTimeout(done, 20));
  assert.equal(taken.at(-1), 199);
  inbox.push(1);
  inbox.push(2);
  inbox.clear();
  await new Promise((done) => setTimeout(done, 20));
  assert.equal(taken.at(-1), 1, 'what waits can be dropped');
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
