// Bodies out of a snapshot, after proto/RECORDING.md, chapter "Snapshots", whose tables of fields are read here.
import { readFileSync } from "node:fs";

const HEAD_SIZE = 40;
const document = readFileSync(new URL("../../../proto/RECORDING.md", import.meta.url), "utf8");

/// A section's record: { size, offsets by name }.
function record(section) {
  const chapter = document.slice(document.indexOf(`\n### ${section}: `) + 1);
  const offsets = {};
  let size = 0;
  const fields = /^ {4}(\S+) +[ui](\d+)(?:\[(\d+)\])?/gm;
  for (const [, name, bits, count] of chapter.slice(0, chapter.search(/\n#/)).matchAll(fields)) {
    offsets[name] = size;
    size += (Number(bits) / 8) * Number(count ?? 1);
  }
  return { size, offsets };
}

const [DEF, GLOBALS, SLOT, BODY] = ["def", "globals", "slots", "bodies"].map(record);

/// The bodies as { index, x, y, owner_slot, owner_generation }, positions in metres (centre of mass).
export function readBodies(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (Buffer.from(bytes.subarray(0, 8)).toString("latin1") !== "ISOSNAP\0" || view.getUint32(8, true) !== 1) {
    throw new Error("not a snapshot of format version 1");
  }
  if (view.getBigUint64(32, true) !== BigInt(bytes.length)) {
    throw new Error("the snapshot's size is not the one in its head");
  }
  const globals = HEAD_SIZE + DEF.size;
  const slotCapacity = view.getUint8(HEAD_SIZE + DEF.offsets.slot_capacity);
  const count = view.getUint32(globals + GLOBALS.offsets.body_count, true);
  const first = globals + GLOBALS.size + slotCapacity * SLOT.size;
  const bodies = [];
  for (let index = 0; index < count; index++) {
    const at = first + index * BODY.size;
    const type = view.getUint8(at + BODY.offsets.type);
    if (type !== 0) {
      bodies.push({
        index,
        x: Number(view.getBigInt64(at + BODY.offsets.position, true)) / 2 ** 32,
        y: Number(view.getBigInt64(at + BODY.offsets.position + 8, true)) / 2 ** 32,
        owner_generation: view.getUint32(at + BODY.offsets.owner_generation, true),
        owner_slot: view.getUint16(at + BODY.offsets.owner_slot, true),
      });
    }
  }
  const schemas = { core: view.getBigUint64(16, true), game: view.getBigUint64(24, true) };
  return { tick: view.getBigUint64(globals, true), bodies, schemas };
}
