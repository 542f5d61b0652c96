// Messages between their bytes (protobuf) and the structs of the C side. The npm library makes no code at run time: a page
// whose Content-Security-Policy has no unsafe-eval can use it.
import { create, createFileRegistry, fromBinary, toBinary, type DescMessage } from '@bufbuild/protobuf';
import { base64Decode, BinaryReader } from '@bufbuild/protobuf/wire';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptors } from '#generated/descriptors.mjs';
import { IsostepError, Status, type Plain } from './layout.js';
import { type Module, type Scratch } from './module.js';

const FRAME_MAX = 65536; // from the server; ISO_FRAME_MAX_SERVER

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, base64Decode(descriptors)));

/** The descriptor of a message of the .proto files. */
export function descriptor(name: string): DescMessage {
  const found = registry.getMessage(`isostep.v1.${name}`);
  if (!found) {
    throw new Error(`there is no message ${name}`);
  }
  return found;
}

const envelope = descriptor('Envelope');
const numbers = new Set(envelope.fields.map((field) => field.number));

/** A protobuf library keeps the last of several members of a oneof; the wire allows one. */
function checkOneMember(bytes: Uint8Array): void {
  const reader = new BinaryReader(bytes);
  let members = 0;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    members += numbers.has(number) ? 1 : 0;
    reader.skip(wireType, number);
  }
  if (members > 1) {
    throw new IsostepError(Status.MALFORMED, 'the envelope has several messages');
  }
}

/** The message in an envelope's bytes, as {message: {case, value}}. @throws IsostepError MALFORMED, FRAME_TOO_LARGE */
export function decodeEnvelope(bytes: Uint8Array): Plain {
  if (bytes.length > FRAME_MAX) {
    throw new IsostepError(Status.FRAME_TOO_LARGE, `${bytes.length} bytes`);
  }
  try {
    checkOneMember(bytes);
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
