// Bodies out of a snapshot, after proto/RECORDING.md, chapter "Snapshots".
const HEAD_SIZE = 40;
const DEF_SIZE = 192;
const DEF_SLOT_CAPACITY_OFFSET = 28; // after seven u32 capacities
const GLOBALS_SIZE = 128;
const GLOBALS_BODY_COUNT_OFFSET = 104; // after tick, random[2], nine u64 counters and gravity[2]
const SLOT_SIZE = 64;
const BODY_SIZE = 88;

/// The bodies as { index, x, y, owner_slot, owner_generation }, positions in metres (centre of mass).
export function readBodies(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (Buffer.from(bytes.subarray(0, 8)).toString("latin1") !== "ISOSNAP\0" || view.getUint32(8, true) !== 1) {
    throw new Error("not a snapshot of format version 1");
  }
  if (view.getBigUint64(32, true) !== BigInt(bytes.length)) {
    throw new Error("the snapshot's size is not the one in its head");
  }
  const globals = HEAD_SIZE + DEF_SIZE;
  const slotCapacity = view.getUint8(HEAD_SIZE + DEF_SLOT_CAPACITY_OFFSET);
  const count = view.getUint32(globals + GLOBALS_BODY_COUNT_OFFSET, true);
  const first = globals + GLOBALS_SIZE + slotCapacity * SLOT_SIZE;
  const bodies = [];
  for (let index = 0; index < count; index++) {
    const at = first + index * BODY_SIZE;
    const type = view.getUint8(at + 86);
    if (type !== 0) {
      bodies.push({
        index,
        x: Number(view.getBigInt64(at, true)) / 2 ** 32,
        y: Number(view.getBigInt64(at + 8, true)) / 2 ** 32,
        owner_generation: view.getUint32(at + 76, true),
        owner_slot: view.getUint16(at + 84, true),
      });
    }
  }
  const schemas = { core: view.getBigUint64(16, true), game: view.getBigUint64(24, true) };
  return { tick: view.getBigUint64(globals, true), bodies, schemas };
}
