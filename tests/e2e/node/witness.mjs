// Says how many ticks of a server can be late because of the machine: because its workers could run and were not let
// run.
//
// The kernel counts for each thread how long it has waited for a processor (/proc/PID/task/TID/schedstat), and for the
// machine how long a host has kept its processors (steal in /proc/stat). Both are read 20 times a second, in a thread
// of its own. Many short waits make no tick late, so that each window counts for itself.
import { readdirSync, readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const WINDOW_MS = 50;
const STEAL_UNIT_MS = 10;

/// The threads that step: those of the highest priority. The others have 7 less.
function workers(pid) {
  const nice = (task) => Number(readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8").split(") ")[1].split(" ")[16]);
  const tasks = readdirSync(`/proc/${pid}/task`).map((task) => ({ task, nice: nice(task) }));
  const least = Math.min(...tasks.map((t) => t.nice));
  return tasks.filter((t) => t.nice === least).map((t) => t.task);
}

/// [ms] since the start
function waited(pid, tasks) {
  const waits = tasks.map((task) => {
    const statistics = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8");
    return Number(statistics.split(" ")[1]) / 1e6;
  });
  const steal = Number(readFileSync("/proc/stat", "utf8").split("\n")[0].trim().split(/\s+/)[8]) * STEAL_UNIT_MS;
  return Math.max(0, ...waits) + steal;
}

if (!isMainThread && workerData?.isWitness) {
  const { pid, tickMs, excuses } = workerData;
  const counts = new Int32Array(excuses);
  const tasks = workers(pid);
  let before = waited(pid, tasks);
  parentPort.postMessage("ready");
  while (Atomics.wait(counts, 1, 0, WINDOW_MS) === "timed-out") {
    try {
      const now = waited(pid, tasks);
      // A wait may lie across two windows, and the rest of a tick's time went to the step.
      counts[0] += Math.floor((2 * (now - before)) / tickMs);
      before = now;
    } catch {
      break; // the server has ended
    }
  }
}

/// Watches a process. Returns { excused(), stop() }; excused() is the number of ticks so far, 0 where the kernel does
/// not count.
export async function startWitness(pid, tickMs) {
  const excuses = new SharedArrayBuffer(8);
  const counts = new Int32Array(excuses);
  try {
    readFileSync(`/proc/${pid}/schedstat`);
  } catch {
    return { excused: () => 0, stop: () => undefined };
  }
  const thread = new Worker(new URL(import.meta.url), { workerData: { isWitness: true, pid, tickMs, excuses } });
  await new Promise((resolve, reject) => thread.once("message", resolve).once("error", reject));
  thread.unref();
  return {
    excused: () => counts[0],
    stop: () => {
      counts[1] = 1;
      Atomics.notify(counts, 1);
    },
  };
}

/// Watches how long threads together wait for a processor, from now until stop(): all of the processes `whole`, and of
/// those in `main` the first, since node's others do not send and receive. stop() returns [ms], as far as it was seen:
/// a process that ends takes along what came since the last look, 20 times a second. null where the kernel does not
/// count.
export function startWaits({ whole = [], main = [] }) {
  const threads = new Map(); // by path: what it has waited
  const look = () => {
    for (const pid of [...whole, ...main]) {
      try {
        for (const task of main.includes(pid) ? [pid] : readdirSync(`/proc/${pid}/task`)) {
          const file = `/proc/${pid}/task/${task}/schedstat`;
          threads.set(file, Number(readFileSync(file, "utf8").split(" ")[1]) / 1e6);
        }
      } catch {
        continue; // a process or one of its threads has ended
      }
    }
  };
  const sum = () => [...threads.values()].reduce((a, b) => a + b, 0);
  look();
  const isCounted = threads.size > 0;
  const before = sum();
  const timer = setInterval(look, WINDOW_MS);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return isCounted ? sum() - before : null;
    },
  };
}
