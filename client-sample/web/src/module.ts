// The WebAssembly module: loading it, its memory, its functions.
import { IsostepError, Layout, Status, type Arena, type Plain } from './layout.js';

/** The functions that the module exports: those of wasm/exports.txt and of the C files there. Addresses are numbers. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  iso_web_layout(): number;
  iso_web_take(size: number): number;
  iso_web_give(at: number, size: number): void;
  iso_web_config(config: number): void;
  iso_web_poses(client: number, now: bigint, words: number, capacity: number): number;
  iso_web_draw(client: number, now: bigint, what: number, words: number, capacity: number): number;
  iso_web_player_pose(client: number, now: bigint, slot: number, words: number): number;
  iso_web_pose_words(): number;
  iso_web_item_words(): number;
  iso_client_create(config: number, client: number): number;
  iso_client_destroy(client: number): void;
  iso_client_handle(client: number, now: bigint, event: number): void;
  iso_client_next_action(client: number, action: number): number;
  iso_client_next_deadline(client: number): bigint;
  iso_client_set_control(client: number, bytes: number, size: number): number;
  iso_client_command(client: number, command: number, sequence: number): number;
  iso_client_get_phase(client: number): number;
  iso_client_welcome(client: number): number;
  iso_client_world(client: number): number;
  iso_client_predicted_world(client: number): number;
  iso_client_alpha(client: number, now: bigint, tick: number): number;
  iso_client_tick(client: number): bigint;
  iso_client_root(client: number): bigint;
  iso_client_slot(client: number): number;
  iso_client_members(client: number, count: number): number;
  iso_client_spectator_count(client: number): number;
  iso_client_find_body(client: number, name: number, body: number): number;
  iso_client_find_joint(client: number, name: number, joint: number): number;
  iso_client_body_name(client: number, body: number): number;
  iso_client_player_body(body: number, client: number): void;
  iso_client_get_stats(client: number, stats: number): void;
  iso_client_flip(client: number): number;
  iso_command_decode(bytes: number, size: number, command: number): number;
  iso_web_find_game(name: number): number;
  iso_message_check(message: number): number;
  iso_player_check(recording: number, own: number): number;
  iso_player_compare_create(a: number, b: number): number;
  iso_player_compare_destroy(comparison: number): void;
  iso_player_compare_field(comparison: number, index: number, texts: number): number;
  iso_player_compare_give(comparison: number, state: number): number;
  iso_player_compare_header(comparison: number, index: number): number;
  iso_player_compare_input(comparison: number, index: number, numbers: number): number;
  iso_player_compare_next(comparison: number, pieces: number): number;
  iso_player_compare_numbers(comparison: number, numbers: number): void;
  iso_player_compare_wanted(comparison: number): number;
  iso_player_compare_wanted_of(comparison: number): number;
  iso_player_differing(a: number, b: number, bodies: number, count: number): number;
  iso_player_draw(world: number, before: number, part: number, what: number, words: number, capacity: number): number;
  iso_player_keep_poses(world: number, poses: number): void;
  iso_player_poses_size(world: number): number;
  /** Not in a module without recordings. */
  iso_recording_layout?(): number;
  iso_recording_open(recording: number, bytes: number, size: bigint, mode: number, fault: number): number;
  iso_recording_next(recording: number, offset: number, frame: number): number;
  iso_recording_read_root(frame: number, tick: number): number;
  iso_recording_read_tick(frame: number, buffer: number, tick: number): number;
  iso_recording_read_event(frame: number, event: number): number;
  iso_recording_read_keyframe(frame: number, keyframe: number): number;
  iso_recording_find_keyframe(recording: number, tick: bigint, keyframe: number): void;
  iso_recording_read_stored(recording: number, keyframe: number, stored: number): number;
  iso_snapshot_read_def(bytes: number, size: number, def: number, tick: number): number;
  iso_snapshot_decode(world: number, bytes: number, size: number): number;
  iso_status_name(status: number): number;
  iso_status_text(status: number): number;
  iso_world_create(def: number, game: number, memory: number, size: number, world: number): number;
  iso_world_get_player_body(body: number, world: number, slot: number): void;
  iso_world_get_tick(world: number): bigint;
  iso_world_image_size(world: number): number;
  iso_world_restore(world: number, image: number, size: number): number;
  iso_world_root(world: number): bigint;
  iso_world_save(world: number, image: number, capacity: number): number;
  iso_world_size(def: number, game: number): number;
  iso_world_step(world: number, input: number): number;
  // Only in a module with worlds in space (wasm/exports3.txt).
  iso_web_poses3(client: number, now: bigint, words: number, capacity: number): number;
  iso_web_pose3_words(): number;
  iso_web_shapes3(world: number, words: number, capacity: number): number;
  iso_web_shape3_words(): number;
  iso_web_heights3(world: number, shape: number, words: number, capacity: number): number;
  iso_web_lines3(client: number, now: bigint, what: number, words: number, capacity: number): number;
  iso_web_line3_words(): number;
  iso_player_lines3(world: number, before: number, part: number, what: number, words: number, capacity: number): number;
  iso_player_poses3(world: number, before: number, part: number, words: number, capacity: number): number;
  iso_player_keep_poses3(world: number, poses: number): void;
  iso_player_poses3_size(world: number): number;
  iso_world_get_def(world: number): number;
  iso_shape3_get(world: number, shape: number, def: number, body: number): number;
}

/** Now, as the C library wants it: monotonic nanoseconds. */
export const now = (): bigint => BigInt(Math.round(performance.now() * 1e6));

/** Where the module comes from: its bytes, an address to fetch it from, a response, or the compiled module. */
export type ModuleSource = BufferSource | URL | string | Response | WebAssembly.Module;

/** A piece of the module's memory that structs are written into, from front to back, and then all over again. */
export class Scratch implements Arena {
  private used = 0;

  constructor(
    private readonly module: Module,
    private readonly at: number,
    private readonly size: number,
  ) {}

  clear(): void {
    this.used = 0;
  }

  take(size: number): number {
    const begin = (this.used + 15) & ~15;
    if (begin + size > this.size) {
      throw new IsostepError(Status.MEMORY, 'the message is larger than its memory');
    }
    this.used = begin + size;
    return this.at + begin;
  }

  free(): void {
    this.module.calls.iso_web_give(this.at, this.size);
  }
}

export class Module {
  readonly calls: Exports;
  readonly layout: Layout;

  constructor(instance: WebAssembly.Instance) {
    this.calls = instance.exports as unknown as Exports;
    this.layout = new Layout(this.calls.memory, this.calls.iso_web_layout(), this.calls.iso_recording_layout?.());
  }

  /** Memory of its own. @throws IsostepError MEMORY */
  take(size: number): number {
    const at = this.calls.iso_web_take(size);
    if (at === 0) {
      throw new IsostepError(Status.MEMORY, `${size} bytes cannot be had`);
    }
    return at;
  }

  scratch(size: number): Scratch {
    return new Scratch(this, this.take(size), size);
  }

  statusName(status: number): string {
    return this.layout.text(this.calls.iso_status_name(status));
  }

  /** An error for a status of the C side. */
  error(status: number, what: string): IsostepError {
    return new IsostepError(status, `${what}: ${this.layout.text(this.calls.iso_status_text(status))}`);
  }

  /** Copies bytes into an arena. @return their address */
  put(bytes: Uint8Array, arena: Arena): number {
    const at = arena.take(bytes.length);
    this.layout.bytes(at, bytes.length).set(bytes);
    return at;
  }

  /** Copies a text with a zero into an arena. @return its address */
  putText(text: string, arena: Arena): number {
    return this.put(new TextEncoder().encode(`${text}\0`), arena);
  }

  /** Writes a struct into an arena. @return its address */
  putStruct(name: string, plain: Plain, arena: Arena): number {
    const struct = this.layout.struct(name);
    const at = arena.take(struct.size);
    this.layout.write(struct, at, plain, arena);
    return at;
  }
}

const files = 'node:fs/promises'; // not for bundlers
const urls = 'node:url';

/**
 * A relative address is meant from where others would be: from the page or the Worker, and in Node from the working
 * directory.
 */
async function urlOf(source: string): Promise<URL> {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (base !== undefined || /^[a-z][a-z0-9+.-]+:/i.test(source)) {
    return new URL(source, base);
  }
  const { pathToFileURL } = (await import(/* @vite-ignore */ urls)) as { pathToFileURL(path: string): URL };
  return pathToFileURL(source);
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) {
    return source;
  }
  if (typeof source === 'string' || source instanceof URL) {
    const url = typeof source === 'string' ? await urlOf(source) : source;
    if (url.protocol === 'file:') {
      const { readFile } = (await import(/* @vite-ignore */ files)) as {
        readFile(url: URL): Promise<Uint8Array<ArrayBuffer>>;
      };
      return WebAssembly.compile(await readFile(url));
    }
    return WebAssembly.compileStreaming(fetch(url));
  }
  return source instanceof Response ? WebAssembly.compileStreaming(source) : WebAssembly.compile(source);
}

/**
 * Loads the module.
 * @param source  the file isostep.wasm that lies beside this package's script, if not given
 */
export async function loadModule(
  source: ModuleSource = new URL(/* @vite-ignore */ './isostep.wasm', import.meta.url),
): Promise<Module> {
  return new Module(await WebAssembly.instantiate(await compile(source), {}));
}
