// Plays ten seconds of a sandbox session: node example/play.mjs [ws://HOST:PORT/v1/socket] [SECONDS], where the package
// is installed or built (build/release/client-sample/web/package).
// In a browser the same code runs once per frame instead of by a timer.
import { connect, Draw, itemAt } from 'isostep';

const [url = 'ws://127.0.0.1:7780/v1/socket', seconds = '10'] = process.argv.slice(2);

// The game says how its control block is laid out. This one: two axes, 16 bits each, and 32 buttons.
function stick(x, y, buttons) {
  const view = new DataView(new ArrayBuffer(8));
  view.setInt16(0, x * 32767, true);
  view.setInt16(2, y * 32767, true);
  view.setUint32(4, buttons, true);
  return new Uint8Array(view.buffer);
}

const client = await connect({ url, session: 'main', name: 'example' });
console.log(`slot ${client.slot} of ${client.welcome.session}, ${client.welcome.tickRateHz} ticks a second`);

// Sounds begin with a predicted outcome; a score counts with a confirmed one. Control blocks have results, too.
const commands = new Set();
client.on('outcome', ({ mark, kind, tick, status, first }) => {
  if (kind === 'result' && mark !== 'predicted' && commands.has(Number(first))) {
    console.log(`tick ${tick}: the command is ${mark}${status === 0 ? '' : `, and did nothing (${status})`}`);
  }
});
client.on('members', ({ members }) => {
  for (const { name, presence } of members) {
    console.log(`${name} is ${presence}`);
  }
});
client.on('desync', ({ tick }) => console.log(`tick ${tick}: the own world is wrong`));
client.on('reconnecting', ({ delayMs }) => console.log(`the connection broke; again in ${Math.round(delayMs)} ms`));
client.on('ended', ({ status, text }) => console.log(status === 0 ? 'left' : text));

// To the right and back, and a box from above every second. Numbers of a command are in the wire's units: Q31.32 are
// bigint.
const metres = (number) => BigInt(Math.round(number * 65536)) << 16n;
const half = 16384; // [m, Q15.16] of the box
const box = {
  kind: 2, density: 65536, friction: 39322, filter: { category: 1, mask: 0xffffffff },
  points: [-half, -half, half, -half, half, half, -half, half],
};
const begin = performance.now();
let spawned = 0;
const timer = setInterval(async () => {
  const time = (performance.now() - begin) / 1000;
  client.setControl(stick(Math.sin(time * 2), 0, 0));
  const me = client.poses().find(({ body }) => body === client.playerBody);
  if (me && time > spawned) {
    commands.add(
      client.command({
        case: 'spawnBody', value: { body: { type: 3, x: metres(me.x), y: metres(me.y + 5) }, shape: box },
      }),
    );
    spawned += 1;
  }
  if (time > Number(seconds)) {
    clearInterval(timer);
    const items = client.draw(Draw.SHAPES); // what a page would draw
    const mine = Array.from({ length: items.count }, (_, i) => itemAt(items, i)).filter(
      ({ ownerSlot }) => ownerSlot === client.slot,
    );
    const { rootsChecked, rollbacks, rttNs } = client.stats;
    console.log(
      `tick ${client.tick}, root ${client.root.toString(16)}: ${items.count} shapes, ${mine.length} of them mine`,
    );
    console.log(`${rootsChecked} roots are right, ${rollbacks} rollbacks, ${(rttNs / 1e6).toFixed(1)} ms round trip`);
    await client.leave();
    client.destroy();
  }
}, 16);
