// The border between the C side's structs and JavaScript: node test_layout.mjs PACKAGE_DIR CORPUS_DIR WEB_VERDICTS
// [space]
//
// With "space" it is that of the module that has worlds in space.
//
// - Every field of every message has a field of a struct, and the other way round.
// - Every byte of a struct belongs to one field, or is padding.
// - The messages of the fuzzers' corpus are refused with the status of the native codec, or come back as the same
//   bytes.
// - Of changed messages the same ones are accepted. What does not fit, is missing or unknown is refused.
// - So is a command with a wrong name or type in it; the error names the field. What is drawn has the numbers of
//   isostep/draw.h.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [packageDir, corpusDir, verdictsProgram, worlds] = process.argv.slice(2);
const { DrawKind, DrawRole, loadModule, readMessage, writeMessage, descriptor, fieldSize, SPACE_MODULE, Status } =
  await import(pathToFileURL(join(packageDir, 'dist/isostep.js')));
const inSpace = worlds === 'space';
const module = await (inSpace ? loadModule(SPACE_MODULE) : loadModule());
const { layout } = module;
const scratch = module.scratch(1 << 20);

// Bytes that no field covers, by struct: what JavaScript has no use for, or what only C sets.
const UNCOVERED = {
  config: ['allocator', 'games', 'simd'],
  definition: ['all but what a display needs'],
  BodyDef: ['owner', 'params'],
  JointDef: ['owner'],
  Joint3Def: ['owner', 'parameters of the plane'],
  Command: ['the larger ones of worlds in space'],
  Body3Def: ['owner', 'params'],
  recording: ['what only the C side reads'],
  header: ['salt and run, which are secret'],
  fault: ['the durable offset and tick'],
};

function checkNames(struct, message, seen) {
  if (seen.has(struct.name)) {
    return;
  }
  seen.add(struct.name);
  // A module without worlds in space has no commands of them.
  const isLeftOut = (field) => !inSpace && struct.name === 'Command' && field.number >= 64;
  const fields = new Map(message.fields.filter((field) => !isLeftOut(field)).map((field) => [field.name, field]));
  assert.deepEqual(struct.fields.map((field) => field.wireName).sort(), [...fields.keys()].sort(), struct.name);
  for (const field of struct.fields) {
    const wire = fields.get(field.wireName);
    assert.equal(field.name, wire.localName);
    if (struct.oneof !== null) {
      assert.equal(field.when, wire.number, `${struct.name}.${field.wireName}`);
      assert.equal(struct.oneof, wire.oneof.localName);
    }
    if (wire.message) {
      checkNames(layout.structs[field.of], wire.message, seen);
    }
  }
}

function checkCoverage(struct) {
  const parts = struct.fields.map((field) => ({ begin: field.offset, size: fieldSize(field, layout.structs) }));
  for (const field of struct.fields.filter((f) => f.countSize > 0)) {
    parts.push({ begin: field.countOffset, size: field.countSize });
  }
  if (struct.oneof !== null) {
    parts.push({ begin: 0, size: 1 });
  }
  parts.sort((a, b) => a.begin - b.begin);
  let end = 0;
  for (const part of [...parts, { begin: struct.size, size: 8 }]) {
    assert.ok(part.begin - end < 8, `${struct.name}: no field covers its bytes ${end} to ${part.begin}`);
    end = Math.max(end, part.begin + part.size);
  }
}

/** What the native codec says of each of the files. */
const judge = (files) =>
  execFileSync(verdictsProgram, files, { encoding: 'utf8', maxBuffer: 1 << 24 })
    .trim()
    .split('\n')
    .map((line) => Number(line.split(' ')[0]));

const refused = (bytes, status, what) => {
  assert.throws(() => readMessage(module, new Uint8Array(bytes), scratch), (error) => error.status === status, what);
};

const seen = new Set();
checkNames(layout.struct('Envelope'), descriptor('Envelope'), seen);
for (const struct of layout.structs) {
  if (!(struct.name in UNCOVERED) && struct.fields.length > 0) {
    checkCoverage(struct);
  }
}

// Messages of sessions in space have commands that a module without such worlds does not know.
const isOfSpace = (error) => !inSpace && /^Command has no kind \w+3$/.test(error.message);
let ofSpace = 0;

let count = 0;
const kinds = new Set();
const files = readdirSync(corpusDir).map((name) => join(corpusDir, name));
const verdicts = judge(files);
files.forEach((file, i) => {
  const bytes = readFileSync(file);
  if (verdicts[i] !== 0) {
    refused(bytes, verdicts[i], file);
    return;
  }
  let at;
  try {
    at = readMessage(module, bytes, scratch);
  } catch (error) {
    assert.ok(isOfSpace(error), `${file}: ${error}`);
    ++ofSpace;
    return;
  }
  kinds.add(layout.view.getUint8(at));
  assert.deepEqual(Buffer.from(writeMessage(module, at)), bytes, file);
  ++count;
});
assert.ok(count >= 34 && (ofSpace > 0) !== inSpace, `${count} messages, ${ofSpace} of space`);
assert.equal(kinds.size, descriptor('Envelope').fields.length, 'the corpus has a message of each kind');

// The same with a byte of each message changed, or its end cut off: what one side accepts, the other does.
const folder = mkdtempSync(join(tmpdir(), 'isostep-layout-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const mutants = files.flatMap((file) => {
  const bytes = readFileSync(file).subarray(0, 200);
  return Array.from({ length: Math.min(bytes.length, 60) }, (_, i) => {
    const mutant = Buffer.from(i % 7 === 6 ? bytes.subarray(0, i) : bytes);
    if (i % 7 !== 6) {
      mutant[i] ^= [0x01, 0x80, 0x08, 0xff, 0x02, 0x40][i % 7];
    }
    return mutant;
  });
});
const names = mutants.map((mutant, i) => {
  writeFileSync(join(folder, String(i)), mutant);
  return join(folder, String(i));
});
let accepted = 0;
judge(names).forEach((verdict, i) => {
  let status = 0;
  try {
    readMessage(module, mutants[i], scratch);
  } catch (error) {
    if (isOfSpace(error)) {
      return;
    }
    status = error.status;
    assert.equal(typeof status, 'number', String(error));
  }
  assert.equal(status === 0, verdict === 0, `${mutants[i].toString('hex')}: ${status} here, ${verdict} natively`);
  accepted += status === 0 ? 1 : 0;
});
assert.ok(mutants.length > 500 && accepted > 100, `${mutants.length} mutants, ${accepted} accepted`);

refused([], Status.MALFORMED, 'an empty envelope');
refused([0x0a, 0x00, 0x12, 0x00], Status.MALFORMED, 'two members');
refused([0xfa, 0x7f, 0x00], Status.UNSUPPORTED, 'a later kind');
refused([0x22, 0x02, 0x08], Status.MALFORMED, 'cut off');
refused([0x2a, 0x03, 0x20, 0x80, 0x02], Status.RANGE, 'a PONG whose fraction is 256');
refused([0x12, 0x02, 0x78, 0x01], Status.MALFORMED, 'an unknown field in a TICK');
refused([0x92, 0x01, 0x04, 0x12, 0x02, 0x61, 0x07], Status.MALFORMED, 'a control character');
refused([0xca, 0x01, 0x04, 0x12, 0x02, 0xc2, 0x80], Status.MALFORMED, 'a control character of two bytes');
refused([0xca, 0x01, 0x03, 0x12, 0x01, 0xff], Status.MALFORMED, 'no UTF-8');
// What the C side checks: iso_message_check.
refused([0x2a, 0x09, 0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10], Status.RANGE, 'a PONG with tick 2^53');
refused([0xba, 0x01, 0x02, 0x08, 0x28], Status.RANGE, 'an ACTIVATE for slot 40');
refused([0xa2, 0x01, 0x00], Status.RANGE, 'a SNAPSHOT_CHUNK without bytes');
refused([0xe2, 0x01, 0x02, 0x08, 0x09], Status.BAD_ENUM, 'a STATE_NOTICE with state 9');
refused(new Uint8Array(65537), Status.FRAME_TOO_LARGE, 'a frame that is too large');

// Commands as a program gives them.
const wrong = (kind, expected) => {
  scratch.clear();
  assert.throws(
    () => module.putStruct('Command', { kind }, scratch),
    (error) => error.status === Status.MALFORMED && expected.test(error.message), String(expected),
  );
};
wrong(
  { case: 'applyImpulse', value: { body: 1n, impulsY: 5n } },
  /^applyImpulse has no field impulsY; it has body, impulseX, impulseY, pointX, pointY$/,
);
wrong(
  { case: 'spawnBody', value: { body: { type: 3 }, shape: { kind: 1, filter: { category: 1, masc: 1 } } } },
  /^Filter has no field masc; it has category, mask, group$/,
);
wrong(
  { case: 'applyImpulse', value: { body: 1n, impulseX: 5 } },
  /^applyImpulse\.impulseX is the number 5: a bigint is expected$/,
);
wrong({ case: 'destroyBody', value: { body: 7 } }, /^destroyBody\.body is the number 7: a bigint is expected$/);
wrong(
  { case: 'destroyBody' }, /^Command\.destroyBody has the value undefined: an object with its arguments is expected$/,
);
wrong({ case: 'spawnBody', value: { body: 1n, shape: {} } }, /^BodyDef is 1: an object is expected$/);
wrong(
  { case: 'enableJoint', value: { joint: 1n, enabled: 'no' } },
  /^enableJoint\.enabled is the string no: true or false is expected$/,
);
wrong({ case: 'custom', value: { payload: [1] } }, /^custom\.payload is the object 1: a Uint8Array is expected$/);
wrong(
  { case: 'spawnBody', value: { body: {}, shape: { points: 5, filter: {} } } },
  /^ShapeDef\.points is the number 5: an array is expected$/,
);
if (inSpace) {
  wrong(
    { case: 'spawnBody3', value: { body: {}, shape: { points: 5, filter: {} } } },
    /^Shape3Def\.points is the number 5: an array is expected$/,
  );
  wrong({ case: 'setGravity3', value: { gravity: 1 } }, /^setGravity3 has no field gravity; it has x, y, z$/);
}
// The parameters of a constraint, which other kinds of joints do not have.
for (const [name, dimensions, parts] of [
  ['createJoint', 2, {}],
  ...(inSpace ? [['createJoint3', 3, { frameA: {}, frameB: {}, axis0: {}, axis1: {}, axis2: {} }]] : []),
]) {
  const params = Array.from({ length: 8 * (dimensions + 1) }, (_, i) => (i % 2 === 0 ? 1n : -1n) << BigInt(i + 20));
  const put = (joint) =>
    module.putStruct('Command', { kind: { case: name, value: { joint: { ...parts, ...joint } } } }, scratch);
  for (const kind of [15, 16]) {
    scratch.clear();
    const { joint } = layout.read(layout.struct('Command'), put({ kind, constraint: 7, params, tag: 5 })).kind.value;
    assert.equal(joint.constraint, 7);
    assert.deepEqual(joint.params, params);
    assert.equal(joint.tag, 5, 'no parameter stands where another field is');
    assert.throws(
      () => put({ kind, params: params.slice(1) }), (error) => error.status === Status.MALFORMED, 'too few parameters',
    );
  }
  const plain = layout.read(layout.struct('Command'), put({ kind: 1 })).kind.value.joint;
  assert.ok(!('constraint' in plain) && !('params' in plain));
  assert.throws(
    () => put({ kind: 1, params }), (error) => error.status === Status.MALFORMED, 'parameters of no constraint',
  );
}
module.putStruct(
  'Command',
  {
    kind: {
      case: 'spawnBody', value: { body: { type: 3, x: 1n }, shape: { kind: 1, points: [0, 0], filter: { mask: 1 } } },
    },
  },
  scratch,
);

const header = readFileSync(fileURLToPath(new URL('../../core/include/isostep/draw.h', import.meta.url)), 'utf8');
for (const [list, numbers] of [['KIND', DrawKind], ['ROLE', DrawRole]]) {
  const [, entries] = new RegExp(`#define ISO_DRAW_${list}_LIST\\(X\\)((?:.*\\\\\n)+.*)`).exec(header);
  const expected = [...entries.matchAll(/X\((\w+), (\d+)\)/g)].map(([, name, number]) => [name, Number(number)]);
  assert.deepEqual(numbers, Object.fromEntries(expected), `the ${list} list of draw.h`);
}
console.log(
  `${seen.size} structs, ${count} messages of ${kinds.size} kinds, ` +
    `${accepted} of ${mutants.length} changed ones accepted`,
);
