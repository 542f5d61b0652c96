// The example plays two seconds: node test_example.mjs PACKAGE_DIR SERVER
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServer, startSocket } from './server.mjs';

const [packageDir, serverProgram] = process.argv.slice(2);
const server = await startServer(serverProgram);
const endpoint = await startSocket(packageDir, server);
const { stdout } = await promisify(execFile)(process.execPath, [
  join(packageDir, 'example/play.mjs'), endpoint.url, '2',
]);
endpoint.stop();
assert.equal(await server.stop(), 0);
process.stdout.write(stdout);
assert.match(stdout, /^slot 0 of main, 60 ticks a second$/m);
assert.match(stdout, /^tick \d+: the command is confirmed$/m);
assert.ok(stdout.match(/the command is confirmed/g).length <= 3, 'one for each command, and none for control blocks');
assert.match(stdout, /shapes, [1-9]\d* of them mine$/m);
assert.match(stdout, /^\d{2,} roots are right/m);
assert.match(stdout, /^left$/m);
assert.doesNotMatch(stdout, /wrong|did nothing/);
