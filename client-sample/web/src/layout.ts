// The plain structs of the C side in the module's memory, by the table that the module brings (wasm/layout.h). The
// objects on this side have the fields' names in camel case: those that a protobuf library gives to the same messages.

/** Statuses of the C side that this side finds by itself. All others come from there. */
export const Status = {
  OK: 0,
  RANGE: -16,
  MALFORMED: -17,
  BAD_ENUM: -18,
  UNSUPPORTED: -24,
  FRAME_TOO_LARGE: -25,
  DECODE_BUDGET: -26,
  CONNECTION: -44,
  CORRUPT: -64,
  MEMORY: -71,
} as const;

/** An error with one of the statuses of isostep/status.h. */
export class IsostepError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'IsostepError';
  }
}

/** A struct as an object. Numbers of 64 bits are bigint, the others number; bytes are Uint8Array. */
export type Plain = { [name: string]: unknown };

// ISO__WEB_TYPE_LIST of wasm/layout.h.
const enum Type {
  U8 = 1,
  U16,
  U32,
  U64,
  I32,
  I64,
  Bool,
  Code,
  Text,
  Bytes,
  Block,
  Numbers32,
  Numbers64,
  Points,
  Struct,
  Member,
  TextAt,
  BytesAt,
  ArrayAt,
  Address,
  Points3,
  Parted64,
}

const POINTER_SIZE = 4;
const FIELD_SIZE = 20; // of iso__web_field
const UNKNOWN_MAX = 8; // fields of a message that are skipped; WIRE.md, section Encoding
const CODE_MAX = 4095;

/** A field of a struct. */
export interface Field {
  readonly name: string; // of the property
  readonly wireName: string; // in snake case
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly countOffset: number;
  readonly countSize: number;
  readonly of: number;
  readonly when: number;
}

/** A struct. */
export interface Struct {
  readonly name: string;
  readonly oneof: string | null; // the property that holds {case, value}, when the fields are its members
  readonly size: number;
  readonly fields: readonly Field[];
  readonly isStrict: boolean; // unknown fields are refused in it and below
}

/** Memory that a written struct points to. */
export interface Arena {
  take(size: number): number;
}

interface Expected {
  readonly what: string;
  is(value: unknown): boolean;
}

const isBigint = (value: unknown): boolean => typeof value === 'bigint';
const BIGINT: Expected = { what: 'a bigint', is: isBigint };
const BIGINTS: Expected = { what: 'an array of bigint', is: (value) => Array.isArray(value) && value.every(isBigint) };
const BLOCK: Expected = { what: 'a Uint8Array', is: (value) => value instanceof Uint8Array };

/** What a command's values have to be that would be converted, or read as nothing, if they were something else. */
const EXPECTED: Readonly<Partial<Record<number, Expected>>> = {
  [Type.U64]: BIGINT,
  [Type.I64]: BIGINT,
  [Type.Bool]: { what: 'true or false', is: (value) => typeof value === 'boolean' },
  [Type.Bytes]: BLOCK,
  [Type.Block]: BLOCK,
  [Type.BytesAt]: BLOCK,
  [Type.Points]: { what: 'an array', is: Array.isArray },
  [Type.Points3]: { what: 'an array', is: Array.isArray },
  [Type.Numbers64]: BIGINTS,
  [Type.Parted64]: BIGINTS,
  [Type.ArrayAt]: { what: 'an array', is: Array.isArray },
};

const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Bytes that each field takes in its struct, for the test that looks for bytes without a field. */
export function fieldSize(field: Field, structs: readonly Struct[]): number {
  switch (field.type) {
    case Type.U8:
    case Type.Bool:
      return 1;
    case Type.U16:
      return 2;
    case Type.U32:
    case Type.I32:
    case Type.Code:
      return 4;
    case Type.U64:
    case Type.I64:
      return 8;
    case Type.Text:
    case Type.Bytes:
    case Type.Block:
      return field.size;
    case Type.Numbers32:
      return 4 * field.size;
    case Type.Numbers64:
    case Type.Points:
      return 8 * field.size;
    case Type.Points3:
      return 12 * field.size;
    case Type.Parted64:
      return 8 * field.of; // and what stands elsewhere
    case Type.Struct:
    case Type.Member:
      return structs[field.of]!.size;
    default:
      return POINTER_SIZE;
  }
}

export class Layout {
  readonly structs: readonly Struct[];
  private readonly byName = new Map<string, Struct>();
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private readonly encoder = new TextEncoder();
  private cached: DataView;
  private unknownCount = 0;

  /** @param tables  addresses of parts of the table: iso_web_layout(), and iso_recording_layout() where that is */
  constructor(
    private readonly memory: WebAssembly.Memory,
    ...tables: (number | undefined)[]
  ) {
    this.cached = new DataView(memory.buffer);
    const structs: Struct[] = [];
    for (let at of tables) {
      for (; at && this.u32(at) !== 0; at += 4 * POINTER_SIZE) {
        structs.push(this.readStruct(at));
      }
    }
    this.structs = structs;
    for (const struct of structs) {
      this.byName.set(struct.name, struct);
    }
  }

  /** The memory, which has another buffer after it has grown. */
  get view(): DataView {
    if (this.cached.buffer !== this.memory.buffer) {
      this.cached = new DataView(this.memory.buffer);
    }
    return this.cached;
  }

  bytes(at: number, size: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, size);
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  /** The text at an address, which ends with a zero or after `size` bytes. */
  text(at: number, size = Infinity): string {
    const all = new Uint8Array(this.memory.buffer, at);
    let end = 0;
    while (end < size && all[end] !== 0) {
      ++end;
    }
    return this.decoder.decode(all.subarray(0, end));
  }

  struct(name: string): Struct {
    const struct = this.byName.get(name);
    if (!struct) {
      throw new Error(`the module has no struct ${name}`);
    }
    return struct;
  }

  private readStruct(at: number): Struct {
    const name = this.text(this.u32(at));
    const oneof = this.u32(at + 4);
    const fields: Field[] = [];
    for (let field = this.u32(at + 12); this.u32(field) !== 0; field += FIELD_SIZE) {
      const wireName = this.text(this.u32(field));
      fields.push({
        name: camelCase(wireName),
        wireName,
        type: this.view.getUint8(field + 4),
        countSize: this.view.getUint8(field + 5),
        of: this.view.getUint16(field + 6, true),
        offset: this.view.getUint16(field + 8, true),
        countOffset: this.view.getUint16(field + 10, true),
        size: this.u32(field + 12),
        when: this.u32(field + 16),
      });
    }
    return {
      name,
      oneof: oneof === 0 ? null : this.text(oneof),
      size: this.u32(at + 8),
      fields,
      isStrict: name === 'message_tick' || name === 'Command',
    };
  }

  // ---- from memory ------------------------------------------------------------------------------

  /** The struct at an address as an object. What it points to is copied. */
  read(struct: Struct, at: number): Plain {
    const plain: Plain = {};
    if (struct.oneof !== null) {
      const kind = this.view.getUint8(at);
      const member = struct.fields.find((field) => field.when === kind);
      if (!member) {
        throw new Error(`${struct.name} has no member ${kind}`);
      }
      plain[struct.oneof] = { case: member.name, value: this.read(this.structs[member.of]!, at + member.offset) };
      return plain;
    }
    for (const field of struct.fields) {
      if (this.isThere(field, at)) {
        plain[field.name] = this.readField(field, at);
      }
    }
    return plain;
  }

  private isThere(field: Field, at: number): boolean {
    return field.when === 0 || ((field.when >>> this.view.getUint8(at)) & 1) !== 0;
  }

  private count(field: Field, at: number): number {
    const where = at + field.countOffset;
    switch (field.countSize) {
      case 1:
        return this.view.getUint8(where);
      case 2:
        return this.view.getUint16(where, true);
      default:
        return this.view.getUint32(where, true);
    }
  }

  private setCount(field: Field, at: number, count: number): void {
    const where = at + field.countOffset;
    switch (field.countSize) {
      case 0:
        break;
      case 1:
        this.view.setUint8(where, count);
        break;
      case 2:
        this.view.setUint16(where, count, true);
        break;
      default:
        this.view.setUint32(where, count, true);
    }
  }

  private readField(field: Field, at: number): unknown {
    const view = this.view;
    const where = at + field.offset;
    switch (field.type) {
      case Type.U8:
        return view.getUint8(where);
      case Type.U16:
        return view.getUint16(where, true);
      case Type.U32:
      case Type.Address:
        return view.getUint32(where, true);
      case Type.U64:
        return view.getBigUint64(where, true);
      case Type.I32:
        return view.getInt32(where, true);
      case Type.I64:
        return view.getBigInt64(where, true);
      case Type.Bool:
        return view.getUint8(where) !== 0;
      case Type.Code:
        return -view.getInt32(where, true);
      case Type.Text:
        return this.text(where, field.size);
      case Type.Bytes:
        return this.readBytes(where, field.size);
      case Type.Block:
        return this.bytes(where, this.count(field, at)).slice();
      case Type.Numbers64:
      case Type.Parted64:
        return Array.from({ length: field.size }, (_, i) => view.getBigInt64(numberAt(field, at, i), true));
      case Type.Points:
      case Type.Points3:
        return Array.from({ length: coordinates(field) * this.count(field, at) }, (_, i) =>
          view.getInt32(where + 4 * i, true),
        );
      case Type.Struct:
        return field.countSize === 1 && this.count(field, at) === 0
          ? undefined
          : this.read(this.structs[field.of]!, where);
      default:
        return this.readPointed(field, at, view.getUint32(where, true));
    }
  }

  /** All zero is what the wire leaves out. */
  private readBytes(at: number, size: number): Uint8Array {
    const bytes = this.bytes(at, size).slice();
    return bytes.some((byte) => byte !== 0) ? bytes : new Uint8Array(0);
  }

  private readPointed(field: Field, at: number, target: number): unknown {
    if (field.type === Type.TextAt) {
      return target === 0 ? '' : this.text(target, field.size);
    }
    const count = target === 0 ? 0 : this.count(field, at);
    if (field.type === Type.BytesAt) {
      return this.bytes(target, count).slice();
    }
    const struct = this.structs[field.of]!;
    return Array.from({ length: count }, (_, i) => this.read(struct, target + i * struct.size));
  }

  // ---- into memory ------------------------------------------------------------------------------

  /**
   * Writes an object as the struct at an address; properties that are not there are zero. What the struct points to is
   * taken from the arena.
   * @throws IsostepError  a value does not fit, or something is missing or unknown that has to be known
   */
  write(struct: Struct, at: number, plain: Plain, arena: Arena): void {
    this.unknownCount = 0;
    this.writeStruct(struct, at, plain, arena, false);
  }

  /** Writes only the properties that are there, and leaves the other fields as they are. */
  update(struct: Struct, at: number, plain: Plain, arena: Arena): void {
    for (const field of struct.fields) {
      if (field.name in plain) {
        this.writeField(struct, field, at, plain[field.name], arena, false);
      }
    }
  }

  private writeStruct(struct: Struct, at: number, plain: Plain, arena: Arena, strict: boolean): void {
    const isStrict = strict || struct.isStrict;
    if (isStrict) {
      checkNames(struct, plain);
    }
    const unknown = plain['$unknown'] as unknown[] | undefined;
    if (unknown && unknown.length > 0) {
      this.unknownCount += unknown.length;
      if (isStrict) {
        throw new IsostepError(Status.MALFORMED, `${struct.name} has an unknown field`);
      }
      if (this.unknownCount > UNKNOWN_MAX) {
        throw new IsostepError(Status.DECODE_BUDGET, 'too many unknown fields');
      }
    }
    this.bytes(at, struct.size).fill(0);
    if (struct.oneof !== null) {
      this.writeMember(struct, at, plain, arena, isStrict, unknown !== undefined && unknown.length > 0);
      return;
    }
    for (const field of struct.fields) {
      this.writeField(struct, field, at, plain[field.name], arena, isStrict);
    }
  }

  private writeMember(
    struct: Struct, at: number, plain: Plain, arena: Arena, strict: boolean, hasUnknown: boolean,
  ): void {
    const chosen = plain[struct.oneof!] as { case?: string; value?: Plain } | undefined;
    if (!chosen || chosen.case === undefined) {
      throw new IsostepError(hasUnknown ? Status.UNSUPPORTED : Status.MALFORMED, `${struct.name} is of no known kind`);
    }
    const member = struct.fields.find((field) => field.name === chosen.case);
    if (!member) {
      throw new IsostepError(Status.BAD_ENUM, `${struct.name} has no kind ${chosen.case}`);
    }
    this.view.setUint8(at, member.when);
    this.writeStruct(this.structs[member.of]!, at + member.offset, chosen.value ?? {}, arena, strict);
  }

  private writeField(struct: Struct, field: Field, at: number, value: unknown, arena: Arena, strict: boolean): void {
    const where = at + field.offset;
    const name = `${struct.name}.${field.wireName}`;
    if (!this.isThere(field, at)) {
      if (!isEmpty(value)) {
        throw new IsostepError(Status.MALFORMED, `${name} does not belong to this kind`);
      }
      return;
    }
    if (field.type === Type.Struct) {
      this.writePart(field, at, value as Plain | undefined, arena, strict, name);
    } else if (value === undefined || value === null) {
      return;
    } else if (field.type <= Type.Code || field.type === Type.Address) {
      this.writeNumber(field, where, value, name);
    } else if (field.type === Type.ArrayAt) {
      this.writeArray(field, at, value as Plain[], arena, strict, name);
    } else if (field.type === Type.Text || field.type === Type.TextAt) {
      this.writeText(field, where, value as string, arena, name);
    } else if (field.type === Type.Numbers64 || field.type === Type.Parted64 || coordinates(field) > 0) {
      this.writeNumbers(field, at, value as (number | bigint)[], name);
    } else {
      this.writeBytes(field, at, value as Uint8Array, arena, name);
    }
  }

  private writePart(
    field: Field, at: number, value: Plain | undefined, arena: Arena, strict: boolean, name: string,
  ): void {
    if (value === undefined) {
      if (field.countSize === 0) {
        throw new IsostepError(Status.MALFORMED, `${name} is missing`);
      }
      return;
    }
    this.setCount(field, at, 1);
    this.writeStruct(this.structs[field.of]!, at + field.offset, value, arena, strict);
  }

  private writeNumber(field: Field, where: number, value: unknown, name: string): void {
    const view = this.view;
    const fits = (low: number, high: number): number => {
      const number = Number(value);
      if (!Number.isInteger(number) || number < low || number > high) {
        throw new IsostepError(Status.RANGE, `${name} is ${String(value)}: ${low} to ${high} is expected`);
      }
      return number;
    };
    switch (field.type) {
      case Type.U8:
        return view.setUint8(where, fits(0, 0xff));
      case Type.U16:
        return view.setUint16(where, fits(0, 0xffff), true);
      case Type.U32:
      case Type.Address:
        return view.setUint32(where, fits(0, 0xffffffff), true);
      case Type.U64:
        return view.setBigUint64(where, wide(value, 0n, (1n << 64n) - 1n, name), true);
      case Type.I32:
        return view.setInt32(where, fits(-0x80000000, 0x7fffffff), true);
      case Type.I64:
        return view.setBigInt64(where, wide(value, -(1n << 63n), (1n << 63n) - 1n, name), true);
      case Type.Bool:
        return view.setUint8(where, value ? 1 : 0);
      default:
        return view.setInt32(where, -fits(0, CODE_MAX), true);
    }
  }

  private writeText(field: Field, where: number, text: string, arena: Arena, name: string): void {
    if (/\p{Surrogate}|[\u0000-\u001f\u007f-\u009f]/u.test(text)) { // as iso__utf8_is_text
      throw new IsostepError(Status.MALFORMED, `${name} is no text, or has a control character`);
    }
    const encoded = this.encoder.encode(text);
    const capacity = field.type === Type.Text ? field.size - 1 : field.size;
    if (encoded.length > capacity) {
      throw new IsostepError(Status.RANGE, `${name} is longer than ${capacity} bytes`);
    }
    let target = where;
    if (field.type === Type.TextAt) {
      target = arena.take(encoded.length + 1);
      this.view.setUint32(where, target, true);
      this.view.setUint8(target + encoded.length, 0);
    }
    this.bytes(target, encoded.length).set(encoded);
  }

  private writeBytes(field: Field, at: number, bytes: Uint8Array, arena: Arena, name: string): void {
    const isWhole = field.type !== Type.Bytes || bytes.length === 0 || bytes.length === field.size;
    if (!isWhole || bytes.length > field.size) {
      throw new IsostepError(
        isWhole ? Status.RANGE : Status.MALFORMED, `${name} has ${bytes.length} bytes, not ${field.size}`,
      );
    }
    let target = at + field.offset;
    if (field.type === Type.BytesAt) {
      target = arena.take(bytes.length);
      this.view.setUint32(at + field.offset, target, true);
    }
    this.bytes(target, bytes.length).set(bytes);
    this.setCount(field, at, bytes.length);
  }

  private writeNumbers(field: Field, at: number, numbers: readonly (number | bigint)[], name: string): void {
    const isPoints = coordinates(field) > 0;
    const count = isPoints ? numbers.length / coordinates(field) : numbers.length;
    const fits = isPoints ? Number.isInteger(count) && count <= field.size : count === field.size;
    if (!fits) {
      throw new IsostepError(Status.MALFORMED, `${name} has ${numbers.length} numbers`);
    }
    numbers.forEach((number, i) => {
      const part = { ...field, type: isPoints ? Type.I32 : Type.I64 };
      this.writeNumber(part, isPoints ? at + field.offset + 4 * i : numberAt(field, at, i), number, name);
    });
    this.setCount(field, at, count);
  }

  private writeArray(
    field: Field, at: number, values: readonly Plain[], arena: Arena, strict: boolean, name: string,
  ): void {
    const struct = this.structs[field.of]!;
    if (values.length > field.size) {
      throw new IsostepError(Status.DECODE_BUDGET, `${name} has more than ${field.size} elements`);
    }
    const target = arena.take(values.length * struct.size);
    this.view.setUint32(at + field.offset, target, true);
    this.setCount(field, at, values.length);
    values.forEach((value, i) => this.writeStruct(struct, target + i * struct.size, value, arena, strict));
  }
}

/** Where number i of a field of 64-bit numbers stands, in the struct at an address. */
function numberAt(field: Field, at: number, i: number): number {
  const isApart = field.type === Type.Parted64 && i >= field.of;
  return isApart ? at + field.countOffset + 8 * (i - field.of) : at + field.offset + 8 * i;
}

/** How many numbers a point of this field has; 0 when it has no points. */
function coordinates(field: Field): number {
  return field.type === Type.Points ? 2 : field.type === Type.Points3 ? 3 : 0;
}

/**
 * In a command nothing may be silently left out: a misspelt name, a value of another type, an argument that is not
 * given.
 */
function checkNames(struct: Struct, plain: Plain): void {
  const kind = camelCase(struct.name.replace(/^command_/, ''));
  if (typeof plain !== 'object' || plain === null) {
    throw new IsostepError(Status.MALFORMED, `${kind} is ${String(plain)}: an object is expected`);
  }
  const names = struct.oneof === null ? struct.fields.map(({ name }) => name) : [struct.oneof];
  // $: of the protobuf library.
  const wrong = Object.keys(plain).find((name) => !name.startsWith('$') && !names.includes(name));
  if (wrong !== undefined) {
    throw new IsostepError(Status.MALFORMED, `${kind} has no field ${wrong}; it has ${names.join(', ')}`);
  }
  if (struct.oneof !== null) {
    const chosen = plain[struct.oneof] as { case?: string; value?: unknown } | undefined;
    if (chosen?.case !== undefined && (typeof chosen.value !== 'object' || chosen.value === null)) {
      throw new IsostepError(
        Status.MALFORMED,
        `${kind}.${chosen.case} has the value ${String(chosen.value)}: an object with its arguments is expected`,
      );
    }
    return;
  }
  for (const { name, type } of struct.fields) {
    const [value, expected] = [plain[name], EXPECTED[type]];
    if (value !== undefined && value !== null && expected !== undefined && !expected.is(value)) {
      throw new IsostepError(
        Status.MALFORMED, `${kind}.${name} is the ${typeof value} ${String(value)}: ${expected.what} is expected`,
      );
    }
  }
}

function wide(value: unknown, low: bigint, high: bigint, name: string): bigint {
  const number = typeof value === 'bigint' ? value : BigInt(value as number);
  if (number < low || number > high) {
    throw new IsostepError(Status.RANGE, `${name} is out of range`);
  }
  return number;
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === 0 || value === 0n || (Array.isArray(value) && value.length === 0)
  );
}
