// Stands between a page and the server, and holds what a test wants to come late, or not at all.
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';

/** @param target  HOST:PORT of the server; @return { origin, hold, refuse, stop } */
export async function startRelay(target) {
  const [host, port] = target.split(':');
  const holds = new Set();
  let refused = null; // what is not there now

  /** Waits while somebody holds such a request. */
  async function pass({ method, url }) {
    for (const held of holds) {
      if (held.is(method, url)) {
        held.ask();
        await held.released;
      }
    }
  }

  const listener = http.createServer((request, answer) => {
    request.on('error', () => undefined); // the page does not want it any more
    void pass(request).then(() => {
      if (answer.destroyed) {
        return;
      }
      if (refused?.test(request.url)) {
        answer.writeHead(503).end();
        return;
      }
      const { method, url, headers } = request;
      const onward = http.request({ host, port, method, path: url, headers }, (response) => {
        answer.writeHead(response.statusCode, response.rawHeaders);
        response.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      request.pipe(onward);
    });
  });
  const streams = new Set(); // that were upgraded
  listener.on('upgrade', (request, stream, head) => {
    streams.add(stream);
    stream.on('error', () => undefined);
    void pass(request).then(() => {
      const onward = net.connect(Number(port), host, () => {
        const headers = request.rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
        onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${headers}\r\n`);
        onward.write(head);
        stream.pipe(onward).pipe(stream);
      });
      onward.setNoDelay(true);
      onward.on('error', () => stream.destroy());
      stream.on('close', () => onward.destroy());
      stream.destroyed && onward.destroy();
    });
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');

  return {
    origin: `http://127.0.0.1:${listener.address().port}`,
    /**
     * Holds requests from now on. @param path  of them; @param method  undefined: any
     * @return { asked, release, is }; asked: the first one has come; is(METHOD, URL): whether such a request is held
     */
    hold(path, method) {
      const held = { is: (of, url) => path.test(url) && (method ?? of) === of };
      const asked = new Promise((done) => (held.ask = done));
      held.released = new Promise((done) => {
        held.release = () => {
          holds.delete(held);
          done();
        };
      });
      holds.add(held);
      return { asked, release: held.release, is: held.is };
    },
    /** Answers requests of a path with 503 from now on. @param path  null: none */
    refuse(path) {
      refused = path;
    },
    stop() {
      listener.close();
      listener.closeAllConnections();
      streams.forEach((stream) => stream.destroy());
    },
  };
}
