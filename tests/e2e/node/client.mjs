// A client that shares no line with the others: written from proto/WIRE.md and the .proto files.
//
//   node client.mjs HOST:PORT|ws://HOST:PORT [--session NAME] [--ticks N] [--notice TEXT] [--json]
//
// It joins, drives its body with the control block for at least N ticks, and checks what it can without simulating:
// ticks without a gap, a root with each, its commands sealed once and in sequence, what became of them, and, in
// snapshots that a spectator fetches meanwhile, that its body has moved the way it was driven. Then its connection
// breaks, and it comes back. With --notice it has to be told that text by whoever runs the server, on both connections;
// the spectators, whose Hello does not say that they know notices, must not. Exit code 0 or 1.
import { Connection, bigint, number } from "./wire.mjs";
import { readBodies } from "./snapshot.mjs";
import { xxh3Of16 } from "./xxh3.mjs";

const PROTOCOL = 3;
const ROLE_PLAYER = 1;
const ROLE_SPECTATOR = 2;
const PRESENCE_HERE = 1;
const PRESENCE_GONE = 3;
const COMPRESSION_NONE = 1;
const SLOT_NONE = 255;
const RESUMED_NEW = 1;
const RESUMED_TICKS = 2;
const FEATURE_NOTICES = 1 << 3;
const STALE = 1; // of the codes
const TICK_LATE = 20;
const NO_MARGIN = 2147483647;
const LEAD_TICKS = 2;
const CONTROL_LAYOUT = "axes-buttons-8";
const PATIENCE_MS = 60000;

class CheckError extends Error {}

function check(condition, text) {
  if (!condition) {
    throw new CheckError(text);
  }
}

const nowNs = () => process.hrtime.bigint();

function hello(session, role, member) {
  return {
    protocol_min: PROTOCOL,
    protocol_max: PROTOCOL,
    role,
    compressions: COMPRESSION_NONE,
    fingerprint: {}, // all zero: this client does not simulate
    session,
    member,
    build: "node",
  };
}

const playerHello = (session) => ({ ...hello(session, ROLE_PLAYER, "n\u00f6de"), features: FEATURE_NOTICES });

/// Puts a snapshot together and acknowledges its chunks.
class SnapshotReader {
  #begin = null;
  #chunks = [];

  begin(message) {
    check(this.#begin === null, "a second SnapshotBegin");
    const isPlain = message.compression === COMPRESSION_NONE && message.size === message.raw_size;
    check(isPlain, "a compression that was not offered");
    const chunks = Math.ceil(message.size / message.chunk_size);
    check(message.chunk_count === chunks, "the number of chunks does not fit the size");
    this.#begin = message;
  }

  /// Returns { tick, root, bytes } after the last chunk, else null.
  chunk(message, connection) {
    const begin = this.#begin;
    check(begin !== null, "a chunk without a SnapshotBegin");
    check(message.index === this.#chunks.length, `chunk ${message.index} instead of ${this.#chunks.length}`);
    const last = message.index === begin.chunk_count - 1;
    const expected = last ? begin.size - begin.chunk_size * message.index : begin.chunk_size;
    check(message.payload.length === expected, `chunk ${message.index} has ${message.payload.length} bytes`);
    this.#chunks.push(Buffer.from(message.payload));
    connection.send("snapshot_ack", { index: message.index });
    return last ? { tick: number(begin.tick), root: begin.root, bytes: Buffer.concat(this.#chunks) } : null;
  }
}

/// The time of the server, from pings.
class Clock {
  #best = null; // { rtt, at, tick } with the smallest round trip
  #sent = new Map();
  count = 0;

  constructor(rate) {
    this.rate = rate;
  }

  ping(connection) {
    const id = this.#sent.size + 1;
    const time = nowNs();
    this.#sent.set(id, time);
    connection.send("ping", { id, client_time_ns: longOf(time) });
  }

  pong(message) {
    const sent = this.#sent.get(message.id);
    check(sent !== undefined && bigint(message.client_time_ns) === sent, "a Pong that answers no Ping");
    check(message.fraction_q8 < 256, "a fraction out of range");
    const received = nowNs();
    const sample = {
      rtt: Number(received - sent) / 1e9,
      at: Number(sent + received) / 2e9,
      tick: number(message.server_tick) + message.fraction_q8 / 256,
    };
    if (this.#best === null || sample.rtt <= this.#best.rtt) {
      this.#best = sample;
    }
    this.count++;
  }

  serverTick() {
    return this.#best.tick + (Number(nowNs()) / 1e9 - this.#best.at) * this.rate;
  }

  halfTripTicks() {
    return (this.#best.rtt / 2) * this.rate;
  }
}

function longOf(value) {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: true };
}

/// Runs `start(resolve)` with a connection's messages going to handlers[kind]; rejects on everything unexpected.
function converse(host, port, handlers, first) {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (finish, value) => {
      if (!settled) {
        settled = true;
        clearTimeout(timer);
        finish(value);
      }
    };
    const timer = setTimeout(() => settle(reject, new CheckError("no end in time")), PATIENCE_MS);
    const connection = new Connection(
      host,
      port,
      (kind, message) => {
        try {
          const handler = handlers[kind];
          check(handler !== undefined, `an unexpected ${kind}: ${JSON.stringify(message)}`);
          handler(message, connection, (value) => settle(resolve, value));
        } catch (error) {
          connection.close();
          settle(reject, error);
        }
      },
      (error) => settle(reject, error ?? new CheckError("the connection ended")),
    );
    connection.send(...first);
  });
}

/// Fetches a snapshot as a spectator.
function fetchSnapshot(host, port, session) {
  const reader = new SnapshotReader();
  let snapshot = null;
  return converse(
    host,
    port,
    {
      welcome: (m) => check(m.role === ROLE_SPECTATOR && m.slot === SLOT_NONE, "a spectator's Welcome has a slot"),
      snapshot_begin: (m) => reader.begin(m),
      snapshot_chunk: (m, connection) => {
        snapshot = reader.chunk(m, connection);
        if (snapshot !== null) {
          connection.send("leave", {});
        }
      },
      members: () => {},
      names: () => {},
      tick: () => {},
      bye: (m, connection, done) => {
        check(m.code === 0, `Bye ${m.code} ${m.text}`);
        connection.close();
        done(snapshot);
      },
    },
    ["hello", hello(session, ROLE_SPECTATOR, "")],
  );
}

/// Where the member's body is, in a snapshot of a tick that is not before `tick`.
async function findBody(host, port, session, member, tick) {
  for (let attempt = 0; attempt < 40; attempt++) {
    const snapshot = await fetchSnapshot(host, port, session);
    const state = readBodies(snapshot.bytes);
    check(Number(state.tick) === snapshot.tick, "the snapshot's tick is not the one in SnapshotBegin");
    const mine = state.bodies.filter(
      (b) => b.owner_slot === member.slot && b.owner_generation === member.slot_generation,
    );
    if (snapshot.tick >= tick && mine.length > 0) {
      return { tick: snapshot.tick, ...mine[0] };
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new CheckError(`no snapshot shows the member's body at or after tick ${tick}`);
}

/// The member: everything it has seen and checked.
class Player {
  reader = new SnapshotReader();
  welcome = null;
  clock = null;
  lastTick = null;
  newest = null; // { tick, root } as the server said it
  activation = null;
  lastTarget = 0;
  sequence = 0;
  offset = 0; // ticks by which the input clock is ahead of the estimate
  sealed = 0;
  lastSealed = 0;
  slot = null; // since it is a member, also while it comes back
  seenTick = 0; // ticks up to this one may come again after coming back
  moved = 0;
  late = new Set(); // sequences that came too late to be moved to another tick
  skipped = 0; // control blocks that were not sent, because this process was not let run when they were due
  sealedAxis = 0;
  roots = 0;
  ticks = 0;
  marginQ8 = null;
  joinSeen = false;
  caughtUp = false;
  axis = 0;
  members = null; // by role and slot
  names = null; // of the scene
  notices = [];
  results = new Map(); // by sequence
  asked = new Map(); // sequence: kind of command, but for the control blocks

  onWelcome(m, connection) {
    check(m.protocol === PROTOCOL, "another protocol version than offered");
    check(m.role === ROLE_PLAYER && m.slot < 32, "a player's Welcome without a slot");
    check(m.uid.length === 16, "a uid that is not 16 bytes");
    check(m.control_layout === CONTROL_LAYOUT, `an unknown control layout ${m.control_layout}`);
    check(m.fingerprint.game !== "", "the session's fingerprint names no game");
    check(m.resumed === RESUMED_NEW && number(m.last_sequence) === 0, "a newcomer that is said to have been there");
    this.welcome = m;
    this.clock = new Clock(m.tick_rate_hz);
    this.clock.ping(connection);
  }

  onMembers(m) {
    check(m.complete || this.members !== null, "changes of a list of members that has not come");
    this.members = m.complete ? new Map() : this.members;
    for (const member of m.members) {
      const place = `${member.role}:${member.slot}`;
      if (member.presence === PRESENCE_GONE) {
        this.members.delete(place);
      } else {
        this.members.set(place, member);
      }
    }
  }

  onNames(m) {
    check(this.names === null, "the names of the scene come twice");
    check(m.names.length > 0 && m.names.every((entry) => entry.name !== ""), "a scene without names, or an empty name");
    this.names = new Map(m.names.map((entry) => [entry.name, entry]));
    check(this.names.size === m.names.length, "a name of the scene that two have");
  }

  onNotice(m) {
    check(this.welcome !== null, "a Notice before Welcome");
    this.notices.push({ text: m.text, deadlineMs: number(m.deadline_ms) });
  }

  /// The name is there before the tick that has the change.
  checkName(change) {
    const member = this.members.get(`${ROLE_PLAYER}:${change.slot}`);
    const isKnown = member !== undefined && member.slot_generation === change.slot_generation;
    check(isKnown, "a JOIN or RESUME of an unknown member");
    check(member.name === "n\u00f6de" && member.presence === PRESENCE_HERE, `${member.name} in the own slot`);
  }

  onPong(m, connection) {
    this.clock.pong(m);
    if (this.clock.count < 5) {
      this.clock.ping(connection);
    }
    this.catchUp(connection);
  }

  onChunk(m, connection) {
    const snapshot = this.reader.chunk(m, connection);
    if (snapshot !== null) {
      const { core, game } = readBodies(snapshot.bytes).schemas;
      const schema = bigint(this.welcome.fingerprint.schema);
      check(xxh3Of16(core, game) === schema, "the schema is not made of the snapshot's two");
      this.lastTick = snapshot.tick;
      this.newest = { tick: snapshot.tick, root: snapshot.root };
      this.catchUp(connection);
    }
  }

  catchUp(connection) {
    if (this.caughtUp || this.lastTick === null || this.clock.count < 5) {
      return;
    }
    if (this.lastTick + 8 >= Math.floor(this.clock.serverTick() - this.clock.halfTripTicks())) {
      this.caughtUp = true;
      connection.send("caught_up", this.newest);
    }
  }

  onTick(m, connection) {
    check(this.lastTick !== null, "a Tick before the snapshot");
    const tick = number(m.tick);
    check(tick === this.lastTick + 1, `tick ${tick} after ${this.lastTick}`);
    check(m.epoch === this.welcome.epoch, "another epoch");
    check(number(m.hashed_tick) <= tick, "a root of a tick to come");
    this.lastTick = tick;
    this.ticks++;
    if (number(m.hashed_tick) > this.newest.tick) {
      this.newest = { tick: number(m.hashed_tick), root: m.root };
      this.roots += bigint(m.root) !== 0n ? 1 : 0;
    }
    for (const change of m.changes) {
      this.onChange(change, tick);
    }
    let before = [-1, 0];
    for (const command of m.commands) {
      const place = [command.slot, number(command.sequence)];
      check(place[0] > before[0] || (place[0] === before[0] && place[1] > before[1]), "commands out of order");
      before = place;
      if (place[0] === this.slot && tick > this.seenTick) {
        this.onOwnCommand(command, place[1]);
      }
    }
    this.seenTick = Math.max(this.seenTick, tick);
    this.catchUp(connection);
  }

  onChange(change, tick) {
    if (change.slot === this.welcome.slot && change.kind === 4) {
      this.checkName(change);
      this.resumeTick = tick;
    }
    if (change.slot === this.welcome.slot && change.kind === 1) {
      check(!this.joinSeen, "a second JOIN of this member");
      this.checkName(change);
      this.joinSeen = true;
      this.joinTick = tick;
      this.joinGeneration = change.slot_generation;
    }
  }

  onOwnCommand(command, sequence) {
    let next = this.lastSealed + 1;
    while (this.late.has(next)) {
      next++;
    }
    check(sequence === next, `command ${sequence} after ${this.lastSealed}`);
    check(command.command.kind === (this.asked.get(sequence) ?? "set_control"), "a command that was never sent");
    this.lastSealed = sequence;
    this.sealed++;
    this.moved += command.moved > 0 ? 1 : 0;
    const block = command.command.set_control?.block;
    this.sealedAxis = block === undefined ? this.sealedAxis : Buffer.from(block).readInt16LE(0);
  }

  /// Only for commands that were late, which the caller of this program compares with what the machine did.
  onReject(m) {
    const sequence = number(m.sequence);
    check(m.code === TICK_LATE, `an unexpected reject: ${JSON.stringify(m)}`);
    const isOpen = sequence > this.lastSealed && sequence <= this.sequence;
    check(isOpen, `command ${sequence} is rejected, which is sealed or was never sent`);
    this.late.add(sequence);
  }

  onActivate(m) {
    check(this.activation === null && this.caughtUp, "an Activate that was not asked for");
    check(m.slot === this.welcome.slot, "another slot than in Welcome");
    this.activation = { slot: m.slot, slot_generation: m.slot_generation, join_tick: number(m.join_tick) };
    this.slot = m.slot;
    this.lastTarget = this.activation.join_tick - 1;
  }

  onStatus(m) {
    for (const result of m.results) {
      const sequence = number(result.sequence);
      const isFirst = sequence <= this.lastSealed && !this.results.has(sequence);
      check(isFirst, `a result of command ${sequence}, which was not sealed, or a second one`);
      this.results.set(sequence, { code: result.code, id: bigint(result.id) });
    }
    if (m.margin_ticks_q8 === NO_MARGIN) {
      return;
    }
    this.marginQ8 = m.margin_ticks_q8;
    const error = LEAD_TICKS - m.margin_ticks_q8 / 256;
    // At most 5 % of the rate between two Status of 0.2 s, a jump when it is far off.
    const limit = 0.05 * 0.2 * this.welcome.tick_rate_hz;
    this.offset += Math.abs(error) > 10 ? error : Math.max(-limit, Math.min(limit, error / 4));
  }

  /// Spawns a ball and destroys a body that never was. Returns the sequences.
  ask(connection) {
    this.sendDue(connection);
    const one = 65536;
    const filter = { category: 1, mask: 1 };
    const ball = { kind: 1, density: one, friction: one / 2, radius: one / 4, filter, points: [0, 0] };
    const commands = [
      { spawn_body: { body: { type: 3, x: 0, y: longOf(20n << 32n) }, shape: ball } },
      { destroy_body: { body: longOf((7n << 32n) | 500n) } },
    ];
    const first = this.sequence + 1;
    connection.send("input", {
      target_tick: this.lastTarget,
      first_sequence: first,
      ack_tick: this.lastTick,
      commands,
    });
    this.sequence += commands.length;
    commands.forEach((command, i) => this.asked.set(first + i, Object.keys(command)[0]));
    return [first, first + 1];
  }

  /// The answer to a Hello that came back.
  onWelcomeBack(m, connection) {
    check(m.resumed === RESUMED_TICKS, `came back by ${m.resumed}, not by ticks`);
    const isMine = m.slot === this.welcome.slot && m.slot_generation === this.activation.slot_generation;
    check(isMine, "came back to another slot");
    const last = number(m.last_sequence);
    check(last === this.sequence, `the last sequence was ${this.sequence}, not ${last}`);
    check(!m.secret.equals(this.welcome.secret), "the secret that was used is given again");
    this.welcome = m;
    this.lastTick = this.newest.tick;
    this.activation = null;
    this.caughtUp = false;
    this.resumeTick = null;
    this.clock = new Clock(m.tick_rate_hz);
    this.clock.ping(connection);
  }

  /// Sends the Inputs that are due now: one for each tick of the input clock, of several missed ones the last.
  sendDue(connection) {
    const due = Math.ceil(this.clock.serverTick() + this.clock.halfTripTicks() + LEAD_TICKS + this.offset);
    if (due <= this.lastTarget) {
      return;
    }
    const before = this.lastTarget;
    this.lastTarget = Math.max(due, this.activation.join_tick);
    const block = Buffer.alloc(8);
    block.writeInt16LE(this.axis, 0);
    const blocks = Math.floor(this.lastTarget / 5) - Math.floor(before / 5);
    this.skipped += Math.max(0, blocks - 1);
    const commands = blocks > 0 || this.sequence === 0 ? [{ set_control: { block } }] : [];
    connection.send("input", {
      target_tick: this.lastTarget,
      first_sequence: commands.length > 0 ? this.sequence + 1 : 0,
      ack_tick: this.lastTick,
      commands,
    });
    this.sequence += commands.length;
  }
}

async function until(condition, text) {
  for (let i = 0; i < 3000; i++) {
    if (condition()) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new CheckError(text);
}

/// Asks for what is done and for what cannot be done, and waits until it is told.
async function expectResults(player, connection) {
  let [spawn, destroy] = player.ask(connection);
  for (let tries = 0; ; tries++) {
    await until(
      () => player.results.has(destroy) || player.late.has(destroy),
      "no Status tells what became of the commands",
    );
    if (!player.late.has(destroy)) {
      break;
    }
    check(tries < 20, "commands for the coming ticks are always late");
    await new Promise((resolve) => setTimeout(resolve, 250)); // a Status sets the clock right meanwhile
    [spawn, destroy] = player.ask(connection);
  }
  check(player.results.get(spawn)?.code === 0 && player.results.get(spawn).id !== 0n, "the ball has no id");
  const destroyed = player.results.get(destroy);
  check(destroyed.code === STALE && destroyed.id === 0n, "a body that never was is not stale");
  check(player.results.size === 2, "a control block has a result");
}

/// Drives to the right for half of the ticks, then to the left, and looks where the body is before, between and after.
async function drive(host, port, session, player, connection, ticks) {
  const pump = setInterval(() => player.sendDue(connection), 4);
  try {
    while (!player.joinSeen) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    check(player.joinTick === player.activation.join_tick, "the JOIN is not in the tick that Activate named");
    check(player.joinGeneration === player.activation.slot_generation, "the JOIN has another generation than Activate");
    await expectResults(player, connection);
    const before = await findBody(host, port, session, player.activation, player.activation.join_tick);
    const places = [before];
    for (const axis of [32767, -32767]) {
      player.axis = axis;
      await until(() => player.sealedAxis === axis, "the control block does not come into a tick");
      const end = player.lastTick + Math.ceil(ticks / 2);
      while (player.lastTick < end) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      places.push(await findBody(host, port, session, player.activation, end));
    }
    return places;
  } finally {
    clearInterval(pump);
  }
}

function play(host, port, session, ticks) {
  const player = new Player();
  return new Promise((resolve, reject) => {
    converse(
      host,
      port,
      {
        welcome: (m, connection) => player.onWelcome(m, connection),
        refusal: (m) => check(false, `refused: ${m.code} ${m.text}; expected ${m.expected}`),
        pong: (m, connection) => player.onPong(m, connection),
        snapshot_begin: (m) => player.reader.begin(m),
        snapshot_chunk: (m, connection) => player.onChunk(m, connection),
        members: (m) => player.onMembers(m),
        names: (m) => player.onNames(m),
        notice: (m) => player.onNotice(m),
        tick: (m, connection) => player.onTick(m, connection),
        status: (m) => player.onStatus(m),
        reject: (m) => player.onReject(m),
        activate: (m, connection, done) => {
          player.onActivate(m);
          drive(host, port, session, player, connection, ticks).then((places) => {
            done({ player, places, bytesIn: connection.bytesIn, bytesOut: connection.bytesOut });
            connection.close(); // without Leave: the slot is held
          }, reject);
        },
      },
      ["hello", playerHello(session)],
    ).then(resolve, reject);
  });
}

/// Comes back over another connection, with the newest root that it was told, stays for a while and leaves.
function comeBack(host, port, session, player) {
  const { uid, slot, secret, epoch } = player.welcome;
  const resume = { uid, slot, slot_generation: player.activation.slot_generation, secret, epoch, ...player.newest };
  let first = null;
  return converse(
    host,
    port,
    {
      welcome: (m, connection) => player.onWelcomeBack(m, connection),
      refusal: (m) => check(false, `refused to come back: ${m.code} ${m.text}`),
      pong: (m, connection) => player.onPong(m, connection),
      members: (m) => player.onMembers(m),
      notice: (m) => player.onNotice(m),
      tick: (m, connection) => {
        player.onTick(m, connection);
        if (player.activation !== null && player.lastTick === player.activation.join_tick + 20) {
          connection.send("leave", {});
        }
      },
      status: (m) => player.onStatus(m),
      reject: (m) => player.onReject(m),
      activate: (m, connection) => {
        player.onActivate(m);
        check(player.resumeTick === player.activation.join_tick, "the RESUME is not in the tick that Activate names");
        first = player.sequence + 1;
        player.sendDue(connection);
      },
      bye: (m, connection, done) => {
        check(m.code === 0 && first !== null, `Bye ${m.code} ${m.text}`);
        connection.close();
        done(player.resumeTick);
      },
    },
    ["hello", { ...playerHello(session), resume }],
  );
}

function judge({ player, places, bytesIn, bytesOut }, ticks) {
  const x = places.map((place) => place.x);
  check(player.ticks >= ticks, `only ${player.ticks} ticks`);
  check(player.roots >= ticks, `only ${player.roots} roots`);
  check(player.names !== null && player.names.has("beam"), "the names of the scene did not come");
  const due = Math.floor(ticks / 5) - player.skipped;
  check(player.sequence >= due, `only ${player.sequence} of ${due} commands were sent`);
  const { sealed, sequence, late } = player;
  check(
    sealed >= sequence - late.size - 10,
    `only ${sealed} of ${sequence} commands were sealed, ${late.size} were late`,
  );
  // A ball also rolls by itself, and others stand in its way; but none that is pushed on gets so much less far.
  const isDriven = x[1] - x[0] > 2 && x[2] - x[1] < x[1] - x[0] - 4;
  check(isDriven, `the body was driven right and left and was at ${x.join(" m, ")} m`);
  return {
    session: player.welcome.session,
    slot: player.activation.slot,
    first_tick: player.activation.join_tick,
    last_tick: player.lastTick,
    ticks: player.ticks,
    roots: player.roots,
    commands_sealed: player.sealed,
    commands_moved: player.moved,
    commands_late: player.late.size,
    commands_skipped: player.skipped,
    margin_ticks: player.marginQ8 === null ? null : player.marginQ8 / 256,
    x_m: x,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
  };
}

function judgeNotices(notices, expected) {
  const texts = expected === null ? [] : [expected, expected]; // one each time that it comes
  const isTold = notices.length === texts.length && notices.every(({ text }, i) => text === texts[i]);
  check(isTold, `told ${JSON.stringify(notices)}`);
  check(notices.every(({ deadlineMs }) => deadlineMs > 0), "a notice whose time is over");
}

function parseArguments(args) {
  const options = { address: null, session: "main", ticks: 300, notice: null, json: false };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--session") {
      options.session = args[++i];
    } else if (args[i] === "--ticks") {
      options.ticks = Number(args[++i]);
    } else if (args[i] === "--notice") {
      options.notice = args[++i];
    } else if (args[i] === "--json") {
      options.json = true;
    } else {
      options.address = args[i];
    }
  }
  if (options.address === null || !/^.+:\d+$/.test(options.address) || !(options.ticks > 0)) {
    throw new CheckError(
      "usage: node client.mjs HOST:PORT|ws://HOST:PORT [--session NAME] [--ticks N] [--notice TEXT] [--json]",
    );
  }
  return options;
}

try {
  const options = parseArguments(process.argv.slice(2));
  const [host, port] = options.address.split(/:(?=\d+$)/);
  const played = await play(host, Number(port), options.session, options.ticks);
  const summary = judge(played, options.ticks);
  summary.resume_tick = await comeBack(host, Number(port), options.session, played.player);
  judgeNotices(played.player.notices, options.notice);
  console.log(options.json ? JSON.stringify(summary) : summary);
  process.exit(0);
} catch (error) {
  console.error(error instanceof CheckError ? `failed: ${error.message}` : error);
  process.exit(1);
}
