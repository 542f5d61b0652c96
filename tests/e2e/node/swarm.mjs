// Many spectators over WebSocket in one session of a server on a free port:
//
//   node swarm.mjs PATH-OF-isostep-server [--spectators N] [--seconds N] [--late-max SHARE]
//
// Each follows from its snapshot on without a gap, and is confirmed to have joined; one that does not keep up must be
// told why before it is ended, and at most half of them may be too slow, unless this machine has let this process wait
// for a processor for most of the time. --late-max bounds the share of ticks that the server has sealed late, by its
// own account, and that the machine is not to blame for (witness.mjs). Exit code 0 or 1.
import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { Connection, number } from "./wire.mjs";
import { startWaits, startWitness } from "./witness.mjs";

const PROTOCOL = 3;
const ROLE_SPECTATOR = 2;
const COMPRESSION_NONE = 1;
const CONFIRM_TICKS = 16;
const SLOW_CONSUMER = 38;
const TOO_SLOW = 40;
const TIMEOUT = 37;
const JOIN_TIMEOUT = 39;
const JOIN_PATIENCE_MS = 60000;
const TICK_MS = 1000 / 60;
const STARVED_SHARE = 0.25; // of the time: so much longer than it takes to send is what a spectator may be behind

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function parseArguments(args) {
  const options = { server: args[0], spectators: 200, seconds: 20, lateMax: Infinity };
  for (let i = 1; i < args.length; i += 2) {
    const names = { "--spectators": "spectators", "--seconds": "seconds", "--late-max": "lateMax" };
    options[names[args[i]]] = Number(args[i + 1]);
  }
  if (options.server === undefined || Number.isNaN(options.spectators * options.seconds)) {
    throw new Error("usage: node swarm.mjs PATH-OF-isostep-server [--spectators N] [--seconds N] [--late-max SHARE]");
  }
  return options;
}

/// Starts the server and waits for its line. Returns { process, host, port, log() }.
async function startServer(options) {
  const places = options.spectators + 16;
  const args = ["--tcp", "127.0.0.1:0", "--http", "127.0.0.1:0", "--spectators", String(places), "--empty", "run"];
  const server = spawn(options.server, args, { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  let output = "";
  server.stderr.on("data", (chunk) => (log += chunk));
  const address = await new Promise((resolve, reject) => {
    server.on("exit", () => reject(new Error(`the server ended before it was ready\n${log}`)));
    server.stdout.on("data", (chunk) => {
      output += chunk;
      const ready = /^ready .*\bhttp=(\S+):(\d+) /m.exec(output);
      if (ready !== null) {
        resolve(ready);
      }
    });
  });
  return { process: server, host: `ws://${address[1]}`, port: Number(address[2]), log: () => log };
}

class Spectator {
  joined = false;
  ended = false;
  reason = null; // the code of Bye or Refusal
  problem = null;
  ticks = 0;
  #newest = null;
  #last = null;
  #chunksLeft = 0;
  #asked = false;

  constructor(host, port) {
    this.#open(host, port);
  }

  #open(host, port) {
    this.connection = new Connection(host, port, (kind, m) => this.#take(kind, m), (error) => {
      if (!this.joined && /response: (408|503)/.test(error?.message)) {
        setTimeout(() => this.#open(host, port), 500); // this machine was too slow to ask in time
      } else {
        this.#end(error);
      }
    });
    this.connection.send("hello", {
      protocol_min: PROTOCOL,
      protocol_max: PROTOCOL,
      role: ROLE_SPECTATOR,
      compressions: COMPRESSION_NONE,
      fingerprint: {},
      session: "main",
      build: "swarm",
    });
  }

  #end(error) {
    this.ended = true;
    this.problem ??= error === null ? null : error.message;
  }

  #take(kind, m) {
    if (kind === "snapshot_begin") {
      this.#newest = { tick: number(m.tick), root: m.root };
      this.#last = number(m.tick);
      this.#chunksLeft = m.chunk_count;
    } else if (kind === "snapshot_chunk") {
      this.#chunksLeft -= 1;
      this.connection.send("snapshot_ack", { index: m.index });
    } else if (kind === "tick") {
      this.#onTick(m);
    } else if (kind === "activate") {
      this.joined = true;
    } else if (kind === "bye" || kind === "refusal") {
      this.reason = m.code;
    }
  }

  #onTick(m) {
    const tick = number(m.tick);
    if (tick !== this.#last + 1) {
      this.problem ??= `tick ${tick} after ${this.#last}`;
    }
    this.#last = tick;
    this.ticks += 1;
    if (number(m.hashed_tick) > this.#newest.tick) {
      this.#newest = { tick: number(m.hashed_tick), root: m.root };
    }
    if (!this.#asked && this.#chunksLeft === 0) {
      this.#asked = true;
      // Those that were sealed while it joined have come by then.
      setTimeout(() => this.connection.send("caught_up", this.#newest), 300);
    } else if (this.joined && tick % CONFIRM_TICKS === 0) {
      this.connection.send("confirm", this.#newest);
    }
  }
}

/// The server's summary: ticks, and how many of them were late.
function readSummary(log) {
  const found = /: (\d+) ticks?, (\d+) sealed late/.exec(log);
  return { ticks: Number(found[1]), late: Number(found[2]) };
}

const options = parseArguments(process.argv.slice(2));
const server = await startServer(options);
const witness = await startWitness(server.process.pid, TICK_MS);
const waits = startWaits({ main: [process.pid] });
const startedMs = Date.now();
setPriority(10); // the spectators are elsewhere: they leave the server its processor
const spectators = [];
for (let i = 0; i < options.spectators; i++) {
  spectators.push(new Spectator(server.host, server.port));
  if (i % 10 === 9) {
    await sleep(20);
  }
}
const patience = Date.now() + JOIN_PATIENCE_MS;
while (spectators.some((s) => !s.joined && !s.ended) && Date.now() < patience) {
  await sleep(100);
}
const before = spectators.map((s) => s.ticks);
await sleep(options.seconds * 1000);
const followed = spectators.map((s, i) => s.ticks - before[i]);
const problems = spectators.filter((s) => s.problem !== null).map((s) => s.problem);
const left = spectators.filter((s) => s.ended);
const missing = spectators.filter((s) => !s.joined && !s.ended);

server.process.kill("SIGTERM");
await new Promise((resolve) => server.process.removeAllListeners("exit").on("exit", resolve));
witness.stop();
const starved = (waits.stop() ?? 0) / (Date.now() - startedMs);
const isStarved = starved > STARVED_SHARE;
// Who is not let run may also be too late with its HELLO, or with an answer while it joins.
const reasons = isStarved ? [SLOW_CONSUMER, TOO_SLOW, TIMEOUT, JOIN_TIMEOUT] : [SLOW_CONSUMER, TOO_SLOW];
const untold = left.filter((s) => !reasons.includes(s.reason));
const endedMax = isStarved ? options.spectators : options.spectators / 2;
const { ticks, late } = readSummary(server.log());
const excused = Math.min(late, witness.excused());
const summary = {
  joined: spectators.filter((s) => s.joined).length,
  ended: left.length,
  ticks,
  late,
  excused,
  starved: Math.round(starved * 1000) / 1000,
  followed_min: Math.min(...followed),
  followed_max: Math.max(...followed),
};
console.log(JSON.stringify(summary));
const tooLate = late - excused;
const isRight =
  problems.length === 0 &&
  untold.length === 0 &&
  missing.length === 0 &&
  left.length <= endedMax &&
  tooLate <= ticks * options.lateMax;
if (!isRight) {
  const codes = [...new Set(untold.map((s) => s.reason))].join(", ");
  console.error(
    `failed: ${missing.length} never joined, ${untold.length} were ended without a reason (codes ${codes}), ` +
      `${left.length} of at most ${endedMax} were ended, ${tooLate} ticks were late; ` +
      problems.slice(0, 5).join("; "),
  );
}
process.exit(isRight ? 0 : 1);
