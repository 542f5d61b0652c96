// Runs a server on a free port and this folder's client against it: node test.mjs PATH-OF-isostep-server [--web]
// With --web the client speaks WebSocket, and is told a notice. Commands that are late or not sent must be the
// machine's fault: it has to have let the server or the client wait for a processor (witness.mjs).
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startWaits } from "./witness.mjs";

const WAIT_LEAST_MS = 50; // shorter ones in all explain nothing: a command has 2 ticks, and is moved by 8

const here = path.dirname(fileURLToPath(import.meta.url));

function fail(text) {
  console.error(text);
  process.exitCode = 1;
}

const TOKEN = "correct-horse-battery";
const NOTICE = "the server ends soon \u2013 n\u00f6de";

const web = process.argv.includes("--web");
const http = web ? ["--http", "127.0.0.1:0", "--http-token", TOKEN] : [];
const server = spawn(process.argv[2], ["--tcp", "127.0.0.1:0", ...http, "--for", "110"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const exited = new Promise((resolve) => server.on("exit", (code, signal) => resolve({ code, signal })));

let output = "";
/// Whoever comes until then is told, too.
async function giveNotice(host) {
  const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ text: NOTICE, seconds: 600 });
  const answer = await fetch(`http://${host}/api/notice`, { method: "POST", headers, body });
  if (!answer.ok) {
    fail(`the notice is refused: ${answer.status} ${await answer.text()}`);
  }
}

const address = await Promise.race([
  new Promise((resolve) =>
    server.stdout.on("data", (chunk) => {
      output += chunk;
      const ready = (web ? /^ready .*\bhttp=(\S+)/m : /^ready .*\btcp=(\S+)/m).exec(output);
      if (ready !== null && output.includes("\n")) {
        resolve((web ? "ws://" : "") + ready[1]);
      }
    }),
  ),
  exited.then(() => null),
]);

if (address === null) {
  fail("the server ended before it was ready");
} else {
  const notice = web ? ["--notice", NOTICE] : [];
  if (web) {
    await giveNotice(address.slice("ws://".length));
  }
  const client = spawn(process.execPath, [path.join(here, "client.mjs"), address, ...notice, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const waits = startWaits({ whole: [server.pid], main: [client.pid] });
  let said = "";
  client.stdout.on("data", (chunk) => (said += chunk));
  const code = await new Promise((resolve) => client.on("close", resolve));
  const waitedMs = waits.stop();
  console.log(said.trimEnd());
  if (code !== 0) {
    fail(`the client ended with ${code}`);
  } else {
    const { commands_late: late, commands_skipped: skipped } = JSON.parse(said);
    if (late + skipped > 0 && waitedMs !== null && waitedMs < WAIT_LEAST_MS) {
      const waited = waitedMs.toFixed(1);
      fail(`${late} commands were late and ${skipped} not sent, and the machine let nobody wait but for ${waited} ms`);
    }
  }
  server.kill("SIGTERM");
  const end = await exited;
  if (end.code !== 0) {
    fail(`the server ended with ${end.code ?? end.signal}`);
  }
}
