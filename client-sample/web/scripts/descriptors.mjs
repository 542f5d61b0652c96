// Puts the descriptors that a protobuf compiler has written into a script: node descriptors.mjs IN.bin OUT.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const [from, to] = process.argv.slice(2);
writeFileSync(to, `export const descriptors = '${readFileSync(from).toString('base64')}';\n`);
