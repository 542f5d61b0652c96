// Messages between their bytes (protobuf) and the structs of the C side. The npm library makes no code at run time: a
// page whose Content-Security-Policy has no unsafe-eval can use it.
import {
  create, createFileRegistry, fromBinary, ScalarType, toBinary, type DescField, type DescMessage,
} from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptors } from '#generated/descriptors.mjs';
import { IsostepError, Status, type Plain } from './layout.js';
import { type Module, type Scratch } from './module.js';

export const FRAME_MAX = 65536; // from the server; ISO_FRAME_MAX_SERVER

const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, Uint8Array.from(descriptors.match(/../g)!, (digits) => parseInt(digits, 16))),
);

/** The descriptor of a message of the .proto files. */
export function descriptor(name: string): DescMessage {
  const found = registry.getMessage(`isostep.v1.${name}`);
  if (!found) {
    throw new Error(`there is no message ${name}`);
  }
  return found;
}

const envelope = descriptor('Envelope');

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const NUMBER_MAX = (1n << 64n) - 1n;

/** The largest varint of a field; undefined for one that is not kept as a varint. */
function varintMax(field: DescField): bigint | undefined {
  if (field.enum) {
    return 0x7fffffffn;
  }
  switch (field.scalar) {
    case ScalarType.BOOL:
      return 1n;
    case ScalarType.UINT32:
    case ScalarType.SINT32:
      return 0xffffffffn;
    case ScalarType.UINT64:
    case ScalarType.SINT64:
      return NUMBER_MAX;
    default:
      return undefined;
  }
}

function scanNumber(field: DescField, most: bigint, reader: BinaryReader): void {
  const value = BigInt(reader.uint64());
  if (value > most) {
    throw new IsostepError(field.enum ? Status.BAD_ENUM : Status.RANGE, `${field.name} is ${value}`);
  }
}

/** The wire type of a field's values. */
function naturalWireType(field: DescField): number {
  if (varintMax(field) !== undefined) {
    return VARINT;
  }
  switch (field.scalar) {
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return FIXED64;
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return FIXED32;
    default:
      return BYTES;
  }
}

function scanValue(field: DescField, wireType: number, reader: BinaryReader): void {
  const most = varintMax(field);
  const natural = naturalWireType(field);
  const isPacked = field.fieldKind === 'list' && natural !== BYTES && wireType === BYTES;
  if (wireType !== natural && !isPacked) {
    throw new IsostepError(Status.MALFORMED, `${field.name} is of another type`);
  }
  if (most !== undefined && !isPacked) {
    scanNumber(field, most, reader);
    return;
  }
  if (!field.message && most === undefined) {
    reader.skip(wireType, field.number);
    return;
  }
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) {
    throw new IsostepError(Status.MALFORMED, `${field.name} ends too late`);
  }
  if (field.message) {
    scanMessage(field.message, reader, end);
  }
  while (reader.pos < end) {
    scanNumber(field, most!, reader);
  }
}

/**
 * Refuses what the wire forbids and a protobuf library takes: several members of a oneof, a field twice, and numbers
 * that it would cut to their type (WIRE.md, section Encoding).
 */
function scanMessage(message: DescMessage, reader: BinaryReader, end: number): void {
  const seen = new Set<number>();
  let members = 0;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = message.fields.find((each) => each.number === number);
    if (!field) {
      reader.skip(wireType, number);
      continue;
    }
    if (field.fieldKind !== 'list' && seen.has(number)) {
      throw new IsostepError(Status.MALFORMED, `${field.name} stands twice`);
    }
    seen.add(number);
    members += field.oneof ? 1 : 0;
    scanValue(field, wireType, reader);
  }
  if (members > 1 || reader.pos > end) {
    throw new IsostepError(Status.MALFORMED, `${message.name} has several members, or ends too late`);
  }
}

/** The message in an envelope's bytes, as {message: {case, value}}. @throws IsostepError MALFORMED, FRAME_TOO_LARGE */
export function decodeEnvelope(bytes: Uint8Array): Plain {
  if (bytes.length > FRAME_MAX) {
    throw new IsostepError(Status.FRAME_TOO_LARGE, `${bytes.length} bytes`);
  }
  try {
    scanMessage(envelope, new BinaryReader(bytes), bytes.length);
    return fromBinary(envelope, bytes) as unknown as Plain;
  } catch (error) {
    if (error instanceof IsostepError) {
      throw error;
    }
    throw new IsostepError(Status.MALFORMED, String(error));
  }
}

/** An envelope's bytes as an iso_message. @return its address; @throws IsostepError UNSUPPORTED among others */
export function readMessage(module: Module, bytes: Uint8Array, scratch: Scratch): number {
  scratch.clear();
  const at = module.putStruct('Envelope', decodeEnvelope(bytes), scratch);
  const status = module.calls.iso_message_check(at);
  if (status !== 0) {
    throw module.error(status, 'the message');
  }
  return at;
}

/** The envelope's bytes of the iso_message at an address. */
export function writeMessage(module: Module, at: number): Uint8Array {
  const plain = module.layout.read(module.layout.struct('Envelope'), at);
  return toBinary(envelope, create(envelope, plain as never));
}
