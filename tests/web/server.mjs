// A server under test, and the address of its WebSocket.
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import net from 'node:net';
import { resolve } from 'node:path';

/** The WebSocket class of the package ws, which this package is tested with. */
export const socketClass = (packageDir) => createRequire(resolve(packageDir, 'package.json'))('ws');

/**
 * Starts isostep-server, on free ports if none are given.
 * @return { tcp, http, admin, stop, kill }; http or admin is undefined in a server that has none
 */
export async function startServer(program, options = [], { tcp, http, seconds = 880 } = {}) {
  const hasHttp = execFileSync(program, ['--help'], { encoding: 'utf8' }).includes('--http');
  const addresses = ['--tcp', tcp ?? '127.0.0.1:0', ...(hasHttp ? ['--http', http ?? '127.0.0.1:0'] : [])];
  const server = spawn(program, [...addresses, '--for', String(seconds), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((done) => server.on('exit', (code, signal) => done(code ?? signal)));
  // Of a test that has failed: it would hold the output open until its time is over.
  process.on('exit', () => server.kill('SIGKILL'));
  let output = '';
  const ready = new Promise((done) =>
    server.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('\n')) {
        done(/^ready .*$/m.exec(output)?.[0]);
      }
    }),
  );
  const line = await Promise.race([ready, exited.then(() => undefined)]);
  if (line === undefined) {
    throw new Error(`the server is not ready: ${output}`);
  }
  return {
    tcp: /\btcp=(\S+)/.exec(line)[1],
    http: /\bhttp=(\S+)/.exec(line)?.[1],
    admin: /\badmin=(\S+)/.exec(line)?.[1],
    stop: () => {
      server.kill('SIGTERM');
      return exited;
    },
    kill: () => {
      server.kill('SIGKILL');
      return exited;
    },
  };
}

/** The size before a frame of a stream. */
function varint(size) {
  const bytes = [];
  for (let left = size; ; left >>>= 7) {
    bytes.push(left < 128 ? left : (left & 127) | 128);
    if (left < 128) {
      return Buffer.from(bytes);
    }
  }
}

/** Cuts a stream into frames, as varint-delimited protobuf. */
class Framer {
  bytes = Buffer.alloc(0);

  *feed(chunk) {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    for (;;) {
      let size = 0;
      let at = 0;
      do {
        if (at >= this.bytes.length) {
          return;
        }
        size |= (this.bytes[at] & 127) << (7 * at);
      } while (this.bytes[at++] & 128);
      if (this.bytes.length < at + size) {
        return;
      }
      yield this.bytes.subarray(at, at + size);
      this.bytes = this.bytes.subarray(at + size);
    }
  }
}

/**
 * The address of the server's WebSocket: its own, or one in front of its TCP port in a server that has none. The
 * messages are the same, only their frames differ.
 * @return { url, stop }
 */
export async function startSocket(packageDir, { tcp, http }) {
  if (http !== undefined) {
    return { url: `ws://${http}/v1/socket`, stop: () => undefined };
  }
  const { WebSocketServer } = socketClass(packageDir);
  const [host, port] = tcp.split(':');
  const listener = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'isostep.v1' });
  await new Promise((done) => listener.on('listening', done));
  listener.on('connection', (socket) => {
    const stream = net.connect(Number(port), host);
    const framer = new Framer();
    stream.setNoDelay(true);
    stream.on('data', (chunk) => {
      for (const frame of framer.feed(chunk)) {
        socket.send(frame);
      }
    });
    stream.on('error', () => undefined);
    stream.on('close', () => socket.close());
    socket.on('message', (frame) => stream.write(Buffer.concat([varint(frame.length), frame])));
    socket.on('close', () => stream.end());
  });
  return { url: `ws://127.0.0.1:${listener.address().port}/v1/socket`, stop: () => listener.close() };
}
