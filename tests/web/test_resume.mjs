// A client that goes on as the member of another one that is no more: node test_resume.mjs PACKAGE_DIR SERVER
//
// Its token is all that is kept of a client, as a page that is loaded anew does. The slot, the body and the sequences
// are the same. Two with one token take the member from each other, and a token of nobody is a join.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startServer, startSocket } from './server.mjs';

const [packageDir, serverProgram] = process.argv.slice(2);
const { connect, IsostepError, Status } = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));
const TAKEN_OVER = -46;

const folder = mkdtempSync(join(tmpdir(), 'isostep-resume-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const options = ['--record', folder];
let server = await startServer(serverProgram, options);
let endpoint = await startSocket(packageDir, server);

/** Plays until some roots are proven. @return the client, and whether it has joined or resumed */
async function play(name, more = {}) {
  const seen = [];
  const client = await connect({ url: endpoint.url, name, ...more });
  client.on('ended', ({ status }) => seen.push(status));
  const { rootsChecked } = client.stats;
  while (client.stats.rootsChecked < rootsChecked + 20) {
    await client.next('tick');
  }
  return { client, seen };
}

const destroyNobody = (client) => client.command({ case: 'destroyBody', value: { body: 12345n } });

const ann = await play('ann');
const bob = await play('bob');
assert.equal(bob.client.slot, 1);
const body = bob.client.playerBody;
assert.equal(destroyNobody(bob.client), 1);
while (bob.client.stats.commandsSent === 0) {
  await bob.client.next('tick');
}
const { token } = bob.client;
assert.match(token, /^1\.1\.[0-9a-f]{32}\.[0-9a-f]{32}$/);

// A page that is gone says nothing.
bob.client.destroy();
const again = await play('bob', { resume: token });
assert.equal(again.client.slot, 1);
assert.equal(again.client.playerBody, body);
assert.equal(again.client.stats.resumes, 1);
assert.notEqual(again.client.findBody('ground'), undefined, 'the names of the scene');
assert.equal(destroyNobody(again.client), 2); // the sequences go on
assert.notEqual(again.client.token, token);

// Another one with the present token takes the member over, and the one before says so and stays away.
const other = await play('bob', { resume: again.client.token });
assert.equal(other.client.slot, 1);
assert.deepEqual(again.seen, [TAKEN_OVER]);
again.client.destroy();

// The token from before is worth nothing by now: it is a join.
const late = await play('late', { resume: token });
assert.equal(late.client.slot, 2);
assert.equal(late.client.stats.resumes, 0);
await late.client.leave();
late.client.destroy();

// What is no token is refused before anything is sent; a spectator has none.
await assert.rejects(
  connect({ url: endpoint.url, resume: `${token}0` }),
  (error) => error instanceof IsostepError && error.status === Status.MALFORMED,
);
await assert.rejects(
  connect({ url: endpoint.url, resume: token, role: 'spectator' }), (error) => error.status === Status.RANGE,
);
const watcher = await play('watcher', { role: 'spectator' });
assert.equal(watcher.client.token, undefined);
watcher.client.destroy();

// A member that is away while the server is killed comes back to the one that continues.
const kept = other.client.token;
other.client.destroy();
ann.client.destroy();
endpoint.stop();
await server.kill();
server = await startServer(serverProgram, options);
endpoint = await startSocket(packageDir, server);
const after = await play('bob', { resume: kept });
assert.equal(after.client.slot, 1);
assert.equal(after.client.playerBody, body);
assert.equal(after.client.stats.desyncs, 0);
await after.client.leave();
after.client.destroy();
endpoint.stop();
assert.equal(await server.stop(), 0);
console.log('one member, five clients');
