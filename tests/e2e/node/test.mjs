// Runs a server on a free port and this folder's client against it: node test.mjs PATH-OF-isostep-server [--web]
// With --web the client speaks WebSocket.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));

function fail(text) {
  console.error(text);
  process.exitCode = 1;
}

const web = process.argv.includes("--web");
const server = spawn(process.argv[2], ["--tcp", "127.0.0.1:0", ...(web ? ["--http", "127.0.0.1:0"] : []), "--for", "60"], { stdio: ["ignore", "pipe", "inherit"] });
const exited = new Promise((resolve) => server.on("exit", (code, signal) => resolve({ code, signal })));

let output = "";
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
  const client = spawn(process.execPath, [path.join(here, "client.mjs"), address, "--json"], { stdio: "inherit" });
  const code = await new Promise((resolve) => client.on("exit", resolve));
  if (code !== 0) {
    fail(`the client ended with ${code}`);
  }
  server.kill("SIGTERM");
  const end = await exited;
  if (end.code !== 0) {
    fail(`the server ended with ${end.code ?? end.signal}`);
  }
}
