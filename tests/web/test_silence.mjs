// A client whose connection says nothing any more: node test_silence.mjs PACKAGE_DIR SERVER
//
// A relay stands between the client and the server. It keeps connections open and brings nothing more, as a network
// does that drops what is sent. The client tries another connection beside the silent one, and keeps the silent one
// until the other one is answered; a silent one that speaks again is the better one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startServer } from './server.mjs';

const [packageDir, serverProgram] = process.argv.slice(2);
const { connect } = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));

/** Two streams: what comes from one goes to the other one, at once or, while they are silent, later. */
class Pipe {
  answered = false; // something has come from the server
  isOpen = true; // the client has not closed it
  held = [];

  constructor(stream, port, isSilent) {
    this.isSilent = isSilent;
    const server = net.connect(port, '127.0.0.1');
    this.closed = new Promise((done) => stream.on('close', done));
    stream.on('close', () => {
      this.isOpen = false;
      server.destroy();
    });
    stream.on('data', (bytes) => this.carry(() => server.write(bytes)));
    server.on('data', (bytes) =>
      this.carry(() => {
        this.answered = true;
        stream.write(bytes);
      }),
    );
    server.on('close', () => this.carry(() => stream.destroy()));
    [stream, server].forEach((one) => one.on('error', () => undefined));
  }

  carry(what) {
    if (this.isSilent) {
      this.held.push(what);
    } else {
      what();
    }
  }

  hush() {
    this.isSilent = true;
  }

  speak() {
    this.isSilent = false;
    this.held.splice(0).forEach((what) => what());
  }
}

class Relay {
  pipes = [];
  isSilent = false; // of what is opened from now on
  waiting = [];

  constructor(port) {
    this.listener = net.createServer((stream) => {
      this.pipes.push(new Pipe(stream, port, this.isSilent));
      this.waiting.splice(0).forEach((done) => done());
    });
  }

  async start() {
    await once(this.listener.listen(0, '127.0.0.1'), 'listening');
    return this.listener.address().port;
  }

  async pipe(index) {
    while (this.pipes.length <= index) {
      await new Promise((done) => this.waiting.push(done));
    }
    return this.pipes[index];
  }
}

const TOKEN = 'correct-horse-battery';
const server = await startServer(serverProgram, ['--http-token', TOKEN]);
const relay = new Relay(Number(server.http.split(':')[1]));
const client = await connect({ url: `ws://127.0.0.1:${await relay.start()}/v1/socket`, name: 'ann' });
const ends = [];
client.on('ended', (detail) => ends.push(detail));

async function prove(roots) {
  const { rootsChecked } = client.stats;
  while (client.stats.rootsChecked < rootsChecked + roots) {
    await client.next('tick');
  }
}

await prove(3);
const { slot, playerBody } = client;

// Whoever runs the server tells something; until its time has come, also who comes later, over another connection.
const notices = [];
client.on('notice', (notice) => notices.push(notice));
const told = client.next('notice');
const answer = await fetch(`http://${server.http}/api/notice`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ text: 'a break – at noon', seconds: 600 }),
});
assert.equal(answer.status, 200, await answer.text());
await told;

// The network drops what is sent over this connection, not what is sent over another one.
const first = await relay.pipe(0);
let resumed = client.next('resumed');
first.hush();
const second = await relay.pipe(1);
assert.ok(first.isOpen, 'the silent connection is kept while another one is tried');
await resumed;
assert.ok(second.answered);
first.speak(); // it is asked to close
await first.closed;
assert.equal(client.slot, slot);
assert.equal(client.playerBody, playerBody);
assert.equal(client.stats.switches, 1);
await prove(3);

// A stall of the whole network that ends: the client goes on where it was.
relay.isSilent = true;
second.hush();
const third = await relay.pipe(2);
assert.ok(second.isOpen);
second.speak();
await prove(3);
assert.ok(second.isOpen, 'the connection that speaks again is kept');
assert.equal(client.stats.switches, 1);
assert.equal(client.stats.resumes, 1);
assert.equal(client.stats.desyncs, 0);
assert.equal(relay.pipes.length, 3);
third.speak(); // nobody waits there
await third.closed;
assert.deepEqual(ends, []);
assert.deepEqual(notices.map(({ text }) => text), ['a break – at noon', 'a break – at noon']);
assert.ok(notices.every(({ deadlineMs }) => deadlineMs > 300000 && deadlineMs <= 600000), JSON.stringify(notices));

await client.leave();
client.destroy();
relay.listener.close();
assert.equal(await server.stop(), 0);
console.log('one member, three connections');
