// Puts the descriptors that a protobuf compiler has written into a script: node descriptors.mjs IN.bin OUT.mjs
//
// Names for JSON are left out: they follow from the others, and nothing here is JSON. Digits of bytes are packed by
// gzip to three quarters of what base64 is, which hides what is alike.
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { readFileSync, writeFileSync } from 'node:fs';

const [from, to] = process.argv.slice(2);
const set = fromBinary(FileDescriptorSetSchema, readFileSync(from));

/** @param {import('@bufbuild/protobuf/wkt').DescriptorProto} message */
function strip(message) {
  for (const field of message.field) {
    delete field.jsonName;
  }
  message.nestedType.forEach(strip);
}

for (const file of set.file) {
  file.messageType.forEach(strip);
}
writeFileSync(
  to, `export const descriptors = '${Buffer.from(toBinary(FileDescriptorSetSchema, set)).toString('hex')}';\n`,
);
