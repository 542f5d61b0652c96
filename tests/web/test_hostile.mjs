// A server that lies, against the package in Node: node test_hostile.mjs PACKAGE_DIR
//
// What it sends must not take more memory than a frame may have, whatever its size and however well it is compressed.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packageDir] = process.argv.slice(2);
const { Client } = await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));
const { WebSocketServer } = createRequire(resolve(packageDir, 'package.json'))('ws');

const CONNECTION = -44;
const LARGE = Buffer.alloc(48 << 20);

const server = new WebSocketServer({
  host: '127.0.0.1', port: 0, perMessageDeflate: { threshold: 0 }, handleProtocols: () => 'isostep.v1',
});
await new Promise((done) => server.on('listening', done));
let offered;
server.on('connection', (socket, request) => {
  offered = request.headers['sec-websocket-extensions'];
  socket.on('error', () => undefined); // the client ends it
  socket.on('message', () => socket.send(LARGE));
});

const client = await Client.create({ url: `ws://127.0.0.1:${server.address().port}/v1/socket`, reconnectMs: 0 });
const ended = client.next('ended');
client.start();
const { status } = await ended;
assert.equal(status, CONNECTION, 'the socket refuses it, before the client sees any of it');
assert.equal(client.stats.bytesIn, 0);
assert.equal(offered, undefined, 'nothing is compressed');
client.destroy();
server.clients.forEach((socket) => socket.terminate());
server.close();
console.log(`a frame of ${LARGE.length} bytes was refused`);
