// A client of a session: the loop that client-sample/lib/README.md describes, around the C library in the module.
import { readMessage, writeMessage } from './codec.js';
import { Draw, PackedBuffer, poseAt, type Packed, type Pose } from './display.js';
import {
  ActionKind, EVENT_NAMES, eventsOf, memberOf, slotOf, type Action, type ClientEvent, type ClientEvents, type EventName,
  type Member, type MemberStruct,
} from './events.js';
import { IsostepError, Status, type Plain, type Struct } from './layout.js';
import { Inbox } from './inbox.js';
import { decompress } from './zstd.js';
import { loadModule, Module, now, type ModuleSource, type Scratch } from './module.js';
import { checkOptions } from './options.js';
import { findSocketClass, Socket, type SocketClass } from './socket.js';
import { readToken, writeToken } from './token.js';

export interface ClientOptions {
  /** The server's socket: ws://HOST:PORT/v1/socket, or wss:// behind a proxy. */
  url: string | URL;
  /** Name of the session; "main" if not given. */
  session?: string;
  /** The member's name, at most 31 bytes; may be empty. */
  name?: string;
  role?: 'player' | 'spectator';
  /** Of a session that has one, at most 63 bytes. */
  password?: string;
  /** Steps the world and checks every root. False: sends inputs only. */
  verify?: boolean;
  /** Ticks that the predicted world may run ahead, 0 to 16; 16 if not given, 0: no prediction. */
  predictTicks?: number;
  /** Keeps poses of the last ticks, so that what is shown moves evenly; true if not given. */
  interpolate?: boolean;
  /** How early inputs should arrive [ticks], 1 to 60. */
  leadTicks?: number;
  /** How long a broken connection is tried again [ms]; 60,000 if not given, 0: the client ends with its connection. */
  reconnectMs?: number;
  /**
   * Goes on as the member of a client that is no more: its `token`. When the server knows no such member, joins as a
   * new one.
   */
  resume?: string;
  /** The module, or where it comes from; isostep.wasm beside this package's script if not given. */
  module?: Module | ModuleSource;
  /** The class of sockets; the platform's WebSocket, or that of the package ws, if not given. */
  webSocket?: SocketClass;
}

/** A command: its kind and arguments as in command.proto, numbers in the wire's units. */
export interface Command {
  readonly case: string;
  readonly value: Plain;
}

export interface Welcome {
  readonly session: string;
  readonly role: number;
  readonly tickRateHz: number;
  readonly controlLayout: string;
  /** 1 waiting, 2 running, 3 paused, 4 draining, 5 closed. */
  readonly state: number;
  /** 1 move, 2 drop, 3 strict. */
  readonly latePolicy: number;
  readonly game: string;
}

/** iso_client_stats: ticks and counts as numbers, the root as bigint. */
export interface Stats {
  readonly firstTick: number;
  readonly lastTick: number;
  readonly lastRoot: bigint;
  readonly rootsChecked: number;
  readonly desyncs: number;
  readonly rttNs: number;
  readonly rttMinNs: number;
  readonly marginQ8: number;
  readonly isMarginKnown: boolean;
  readonly serverTickQ8: number;
  readonly lastTarget: number;
  readonly inputsSent: number;
  readonly commandsSent: number;
  readonly commandsRefused: number;
  readonly commandsLost: number;
  readonly clockJumps: number;
  readonly holds: number;
  readonly predictedTick: number;
  readonly rollbacks: number;
  readonly resteps: number;
  readonly maxRollback: number;
  readonly rests: number;
  readonly unpredicted: number;
  readonly maxUnpredicted: number;
  readonly outcomesLeftOut: number;
  readonly resumes: number;
  readonly switches: number;
  readonly rewinds: number;
  readonly heals: number;
  readonly lateCount: number;
  readonly durableTick: number;
  readonly isDegraded: boolean;
  readonly syncTestCopies: number;
  /** Of messages, both ways. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

// iso_client_event_kind
const enum EventKind {
  Connected = 1,
  Message,
  Disconnected,
  Time,
  Decompressed,
  Leave,
}

const PHASE_ENDED = 6;
const MESSAGE_MEMORY = 1 << 20; // for the largest message: 512 commands
const NEVER = (1n << 64n) - 1n;
const PONG = 0x2a; // the first byte of an envelope with a Pong

type Listener<Name extends EventName> = (detail: ClientEvents[Name]) => void;

export class Client {
  /** The address of the iso_client. */
  readonly at: number;
  private readonly scratch: Scratch; // of the message at hand, and what it points to
  private readonly small: Scratch; // of arguments
  private readonly event: number;
  private readonly action: number;
  private readonly eventStruct: Struct;
  private readonly actionStruct: Struct;
  private readonly poseBuffer: PackedBuffer;
  private readonly drawBuffer: PackedBuffer;
  private readonly listeners = new Map<EventName, Set<Listener<never>>>();
  private socket: Socket | null = null;
  private spare: Socket | null = null; // that is tried beside one that is silent
  private timer: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private readonly queue: ClientEvent[] = [];
  private readonly inbox = new Inbox<Uint8Array | null>((bytes) => this.take(bytes)); // null: the connection broke
  private isTelling = false;
  private isActing = false;
  private isDestroyed = false;
  private bytesIn = 0;
  private bytesOut = 0;

  private constructor(
    readonly module: Module,
    private readonly socketClass: SocketClass,
    private readonly url: string,
    options: ClientOptions,
  ) {
    const { calls, layout } = module;
    this.scratch = module.scratch(MESSAGE_MEMORY);
    this.small = module.scratch(1 << 14);
    this.eventStruct = layout.struct('event');
    this.actionStruct = layout.struct('action');
    this.event = module.take(this.eventStruct.size);
    this.action = module.take(this.actionStruct.size);
    this.poseBuffer = new PackedBuffer(module, calls.iso_web_pose_words());
    this.drawBuffer = new PackedBuffer(module, calls.iso_web_item_words());
    this.at = this.create(options);
  }

  /**
   * Loads the module if need be and makes a client that is not connected yet: add listeners, then call start().
   * @throws TypeError  an option is not right
   */
  static async create(options: ClientOptions): Promise<Client> {
    if (CHECKS) {
      checkOptions(options);
    }
    const module = options.module instanceof Module ? options.module : await loadModule(options.module);
    const socketClass = options.webSocket ?? (await findSocketClass());
    return new Client(module, socketClass, String(options.url), options);
  }

  private create(options: ClientOptions): number {
    const { calls, layout } = this.module;
    const struct = layout.struct('config');
    const config = this.small.take(struct.size);
    calls.iso_web_config(config);
    const given = {
      session: options.session ?? 'main',
      name: options.name ?? '',
      password: options.password ?? '',
      role: options.role === 'spectator' ? 2 : 1,
      verify: options.verify ?? true,
      predictFrames: options.role === 'spectator' || options.verify === false ? 0 : (options.predictTicks ?? 16),
      interpolate: options.verify !== false && (options.interpolate ?? true),
      reconnectMs: options.reconnectMs ?? 60000,
      seed: crypto.getRandomValues(new BigUint64Array(1))[0],
      ...(options.leadTicks === undefined ? {} : { leadTicks: options.leadTicks }),
      ...(options.resume === undefined ? {} : { resume: readToken(options.resume) }),
    };
    layout.update(struct, config, given, this.small);
    const result = this.small.take(8);
    this.check(calls.iso_client_create(config, result), 'the client');
    return layout.u32(result);
  }

  /** Connects. */
  start(): void {
    this.open();
  }

  /**
   * Calls the listener with each event of that name.
   * @return a function that takes it away again
   * @throws Error  there is no such event
   */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    if (!Object.hasOwn(EVENT_NAMES, name)) {
      throw new Error(`there is no event ${name}; there are ${Object.keys(EVENT_NAMES).join(', ')}`);
    }
    const set = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, set);
    set.add(listener as Listener<never>);
    return () => set.delete(listener as Listener<never>);
  }

  /** Waits for the next event of a name. @throws IsostepError  the client ends before it */
  next<Name extends EventName>(name: Name): Promise<ClientEvents[Name]> {
    return new Promise((resolve, reject) => {
      const stop: (() => void)[] = [];
      const settle = (call: () => void) => {
        stop.forEach((off) => off());
        call();
      };
      stop.push(this.on(name, (detail) => settle(() => resolve(detail))));
      if (name !== 'ended') {
        stop.push(this.on('ended', (detail) => settle(() => reject(this.endError(detail)))));
      }
    });
  }

  /** What the server says, once, and what it would have taken. */
  private endError({ status, text, expected }: ClientEvents['ended']): IsostepError {
    if (text === '') {
      return this.module.error(status, 'the client has ended');
    }
    return new IsostepError(status, expected === '' ? text : `${text} (expected: ${expected})`);
  }

  // ---- playing ----------------------------------------------------------------------------------

  /** Sets the control block, in the layout that `welcome.controlLayout` names. It stays until it is set again. */
  setControl(block: Uint8Array): void {
    if (!(block instanceof Uint8Array)) {
      throw new TypeError('the control block is no Uint8Array; expected its bytes in one');
    }
    this.small.clear();
    this.check(
      this.module.calls.iso_client_set_control(this.at, this.module.put(block, this.small), block.length),
      'the control block',
    );
  }

  /** Sends a command. @return its sequence; @throws IsostepError  what iso_client_command returns */
  command(command: Command): number {
    this.small.clear();
    const at = this.module.putStruct('Command', { kind: command }, this.small);
    const sequence = this.small.take(8);
    this.check(this.module.calls.iso_client_command(this.at, at, sequence), `the command ${command.case}`);
    return Number(this.module.layout.view.getBigUint64(sequence, true));
  }

  /** Tells the server and ends. */
  async leave(): Promise<ClientEvents['ended']> {
    const ended = this.next('ended');
    if (this.phase === PHASE_ENDED) {
      throw new IsostepError(Status.CONNECTION, 'the client has ended');
    }
    this.give(EventKind.Leave);
    return ended;
  }

  /** Frees all memory; without leave() the connection just breaks. The client must not be used afterwards. */
  destroy(): void {
    if (this.isDestroyed) {
      return;
    }
    this.isDestroyed = true;
    this.inbox.clear();
    clearTimeout(this.timer);
    clearTimeout(this.retry);
    this.socket?.finish();
    this.spare?.finish();
    const { calls } = this.module;
    calls.iso_client_destroy(this.at);
    calls.iso_web_give(this.event, this.eventStruct.size);
    calls.iso_web_give(this.action, this.actionStruct.size);
    [this.poseBuffer, this.drawBuffer, this.scratch, this.small].forEach((memory) => memory.free());
  }

  // ---- reading ----------------------------------------------------------------------------------

  get phase(): number {
    return this.module.calls.iso_client_get_phase(this.at);
  }

  /** The last confirmed tick. */
  get tick(): number {
    return Number(this.module.calls.iso_client_tick(this.at));
  }

  /** The root of the confirmed world after `tick`; 0n without a world. */
  get root(): bigint {
    return BigInt.asUintN(64, this.module.calls.iso_client_root(this.at));
  }

  get slot(): number | undefined {
    return slotOf(this.module.calls.iso_client_slot(this.at) & 0xff);
  }

  /** The server's answer to the hello; undefined before it. */
  get welcome(): Welcome | undefined {
    const at = this.module.calls.iso_client_welcome(this.at);
    if (at === 0) {
      return undefined;
    }
    const { layout } = this.module;
    const plain = layout.read(layout.struct('message_welcome'), at) as unknown as Welcome & {
      fingerprint: { game: string };
    };
    const { session, role, tickRateHz, controlLayout, state, latePolicy, fingerprint } = plain;
    return { session, role, tickRateHz, controlLayout, state, latePolicy, game: fingerprint.game };
  }

  /**
   * What another client can resume with as this member when this one is gone, for as long as the server holds the slot.
   * Another one from each `welcome` on; undefined for a spectator. It is a secret: who has it can take the member over.
   */
  get token(): string | undefined {
    const at = this.module.calls.iso_client_welcome(this.at);
    const { layout } = this.module;
    return at === 0 ? undefined : writeToken(layout.read(layout.struct('message_welcome'), at));
  }

  get members(): Member[] {
    const { calls, layout } = this.module;
    this.small.clear();
    const countAt = this.small.take(4);
    const at = calls.iso_client_members(this.at, countAt);
    const struct = layout.struct('Member');
    return Array.from({ length: layout.u32(countAt) }, (_, i) =>
      memberOf(layout.read(struct, at + i * struct.size) as unknown as MemberStruct),
    );
  }

  get stats(): Stats {
    const { calls, layout } = this.module;
    this.small.clear();
    const struct = layout.struct('stats');
    const at = this.small.take(struct.size);
    calls.iso_client_get_stats(this.at, at);
    const plain = layout.read(struct, at);
    for (const [name, value] of Object.entries(plain)) {
      if (typeof value === 'bigint' && name !== 'lastRoot') {
        plain[name] = Number(value);
      }
    }
    return { ...plain, bytesIn: this.bytesIn, bytesOut: this.bytesOut } as unknown as Stats;
  }

  /** The body that this member controls, or 0n. */
  get playerBody(): bigint {
    this.small.clear();
    const at = this.small.take(8);
    this.module.calls.iso_client_player_body(at, this.at);
    return this.module.layout.view.getBigUint64(at, true);
  }

  /** The body that the member of a slot controls in the displayed world, or 0n. */
  playerBodyOf(slot: number): bigint {
    const { calls, layout } = this.module;
    const world = calls.iso_client_predicted_world(this.at);
    if (world === 0) {
      return 0n;
    }
    this.small.clear();
    const at = this.small.take(8);
    calls.iso_world_get_player_body(at, world, slot);
    return layout.view.getBigUint64(at, true);
  }

  /** Where that body is shown; undefined: there is none. */
  playerPoseOf(slot: number): Pose | undefined {
    this.small.clear();
    const { calls, layout } = this.module;
    const stride = calls.iso_web_pose_words();
    const at = this.small.take(4 * stride);
    const isThere = calls.iso_web_player_pose(this.at, now(), slot, at) !== 0;
    return isThere ? poseAt({ words: new Int32Array(layout.view.buffer, at, stride), count: 1, stride }, 0) : undefined;
  }

  /** The body that the scene calls so; undefined: there is none, or it is gone. */
  findBody(name: string): bigint | undefined {
    this.small.clear();
    const at = this.small.take(8);
    const status = this.module.calls.iso_client_find_body(this.at, this.module.putText(name, this.small), at);
    return status === 0 ? this.module.layout.view.getBigUint64(at, true) : undefined;
  }

  /** What the scene calls this body, or "". */
  bodyName(body: bigint): string {
    this.small.clear();
    const at = this.small.take(8);
    this.module.layout.view.setBigUint64(at, body, true);
    return this.module.layout.text(this.module.calls.iso_client_body_name(this.at, at));
  }

  /** The displayed tick and how far it is on the way to the next one, 0 to 1. */
  shown(): { tick: number; alpha: number } {
    this.small.clear();
    const at = this.small.take(8);
    const alpha = this.module.calls.iso_client_alpha(this.at, now(), at);
    return { tick: Number(this.module.layout.view.getBigUint64(at, true)), alpha: alpha / 65536 };
  }

  /**
   * The displayed poses of all bodies, packed (display.ts): interpolated between ticks, with corrections that glide.
   */
  posesPacked(): Packed {
    return this.poseBuffer.fill((at, capacity) => this.module.calls.iso_web_poses(this.at, now(), at, capacity));
  }

  /** The same as objects. */
  poses(): Pose[] {
    const packed = this.posesPacked();
    return Array.from({ length: packed.count }, (_, i) => poseAt(packed, i));
  }

  /** The items that show the world (isostep/draw.h), packed. @param what  bits of Draw */
  draw(what: number = Draw.ALL): Packed {
    return this.drawBuffer.fill((at, capacity) => this.module.calls.iso_web_draw(this.at, now(), what, at, capacity));
  }

  /**
   * How many messages have come and wait for the steps of those before. It stays at a few ticks' worth unless this
   * machine computes fewer ticks than the session has.
   */
  get backlog(): number {
    return this.inbox.length;
  }

  /** Flips a bit of the own world: a desync on purpose, which must be found and healed. */
  flip(): void {
    this.check(this.module.calls.iso_client_flip(this.at), 'the drill');
  }

  // ---- the loop ---------------------------------------------------------------------------------

  private check(status: number, what: string): void {
    if (status !== 0) {
      throw this.module.error(status, what);
    }
  }

  private open(): void {
    this.socket = this.dial();
  }

  /** Another socket, which takes the place of a silent one if the server answers there. */
  private tryBeside(): void {
    this.spare?.finish();
    this.spare = this.dial();
  }

  private dial(): Socket {
    const isSpare = (): boolean => socket === this.spare;
    const socket: Socket = new Socket(this.socketClass, this.url, {
      opened: () => this.give(EventKind.Connected, { isSpare: isSpare() }),
      received: (bytes) => (isSpare() ? this.take(bytes, true) : this.receive(bytes)),
      broken: () => {
        if (isSpare()) {
          this.spare = null;
          this.give(EventKind.Disconnected, { status: Status.CONNECTION, isSpare: true });
          return;
        }
        this.socket = null;
        this.inbox.push(null);
      },
    });
    return socket;
  }

  private endTry(): void {
    this.spare?.finish();
    this.spare = null;
  }

  private receive(bytes: Uint8Array): void {
    this.bytesIn += bytes.length;
    if (bytes[0] === PONG && this.inbox.length > 0) {
      this.take(bytes); // it measures the connection, not how long messages wait here
    } else {
      this.inbox.push(bytes);
    }
  }

  private take(bytes: Uint8Array | null, isSpare = false): void {
    if (bytes === null) {
      this.give(EventKind.Disconnected, { status: Status.CONNECTION });
      return;
    }
    let message: number;
    try {
      message = readMessage(this.module, bytes, this.scratch);
    } catch (error) {
      if (!(error instanceof IsostepError)) {
        throw error;
      }
      if (error.status !== Status.UNSUPPORTED) { // that is a kind of a later version
        if (isSpare) {
          this.endTry();
          this.give(EventKind.Disconnected, { status: error.status, isSpare });
        } else {
          this.drop(error.status);
        }
      }
      return;
    }
    this.give(EventKind.Message, { message, isSpare });
  }

  /** The stream is of no use any more, nor is what it has brought. */
  private close(): void {
    this.socket?.finish();
    this.socket = null;
    this.inbox.clear();
  }

  private drop(status: number): void {
    this.close();
    this.give(EventKind.Disconnected, { status });
  }

  /** Hands an event in and does what follows from it. */
  private give(kind: EventKind, fields: Plain = {}): void {
    if (this.isDestroyed || this.phase === PHASE_ENDED) {
      return;
    }
    const raw = this.handle(kind, fields);
    if (raw !== null) {
      this.giveSnapshot(raw);
    }
    this.setTimer();
    this.tell();
  }

  /** @return the DECOMPRESS among the actions */
  private handle(kind: EventKind, fields: Plain): Action | null {
    const { calls, layout } = this.module;
    layout.write(this.eventStruct, this.event, { kind, isSpare: false, ...fields }, this.small);
    calls.iso_client_handle(this.at, now(), this.event);
    let pending: Action | null = null;
    this.isActing = true;
    while (calls.iso_client_next_action(this.at, this.action) !== 0) {
      const action = layout.read(this.actionStruct, this.action) as unknown as Action;
      if (action.kind === ActionKind.Decompress) {
        pending = action;
      } else {
        this.act(action);
      }
    }
    this.isActing = false;
    return pending;
  }

  private act(action: Action): void {
    switch (action.kind) {
      case ActionKind.Send: {
        const bytes = writeMessage(this.module, action.message);
        this.bytesOut += bytes.length;
        (action.isSpare ? this.spare : this.socket)?.send(bytes);
        return;
      }
      case ActionKind.Close:
        this.close();
        return;
      case ActionKind.Try:
        this.tryBeside();
        return;
      case ActionKind.TryEnd:
        this.endTry();
        return;
      case ActionKind.Switch:
        this.close(); // what it had brought is of no use any more
        this.socket = this.spare;
        this.spare = null;
        return;
      case ActionKind.Reconnect:
        this.close();
        this.endTry();
        this.retry = setTimeout(() => this.open(), Number(action.delayNs) / 1e6);
        break;
      case ActionKind.Welcome: {
        const { session, tickRateHz, controlLayout } = this.welcome!;
        this.queue.push({ name: 'welcome', detail: { session, tickRateHz, controlLayout } });
        return;
      }
      default:
        break;
    }
    this.queue.push(...eventsOf(action));
  }

  /** The module has no zstd: the answer to DECOMPRESS comes from here. */
  private giveSnapshot(action: Action): void {
    const { layout, calls } = this.module;
    let at = 0;
    let status: number = Status.CORRUPT;
    const plain = decompress(layout.bytes(action.bytes, action.size), action.rawSize);
    if (plain !== null) {
      at = calls.iso_web_take(action.rawSize);
      status = at === 0 ? Status.MEMORY : Status.OK;
      layout.bytes(at, at === 0 ? 0 : plain.length).set(at === 0 ? [] : plain);
    }
    this.handle(EventKind.Decompressed, { status, bytes: at, size: at === 0 ? 0 : action.rawSize });
    calls.iso_web_give(at, action.rawSize);
  }

  private setTimer(): void {
    clearTimeout(this.timer);
    const deadline = BigInt.asUintN(64, this.module.calls.iso_client_next_deadline(this.at));
    if (deadline !== NEVER && this.phase !== PHASE_ENDED) {
      const delay = Math.max(0, Math.ceil(Number(deadline - now()) / 1e6));
      this.timer = setTimeout(() => this.give(EventKind.Time), delay);
    }
  }

  /** Calls the listeners, when all actions are taken: they may call anything. */
  private tell(): void {
    if (this.isTelling || this.isActing) {
      return;
    }
    this.isTelling = true;
    for (let event = this.queue.shift(); event && !this.isDestroyed; event = this.queue.shift()) {
      for (const listener of [...(this.listeners.get(event.name) ?? [])]) {
        try {
          listener(event.detail as never);
        } catch (error) {
          queueMicrotask(() => {
            throw error; // the listener's fault, not the session's
          });
        }
      }
    }
    this.isTelling = false;
  }
}

/**
 * Connects and waits until the client is a member, a new one or the one that it resumes as.
 * @throws IsostepError  the server refuses, or cannot be reached
 */
export async function connect(options: ClientOptions): Promise<Client> {
  const client = await Client.create(options);
  try {
    const joined = [client.next('joined'), client.next('resumed')];
    joined.forEach((one) => one.catch(() => undefined)); // the other one may fail when nobody waits any more
    client.start();
    await Promise.race(joined);
    return client;
  } catch (error) {
    client.destroy();
    throw error;
  }
}
