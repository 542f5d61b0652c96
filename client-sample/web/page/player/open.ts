// Opening a recording: what cannot be played is said, with its place.
import { IsostepError, Status } from '../../src/layout.js';
import { Recording, RecordingError } from '../../src/recording.js';
import type { Module } from '../../src/module.js';

export class Unplayable extends Error {
  constructor(
    readonly title: string,
    text: string,
  ) {
    super(text);
  }
}

const number = new Intl.NumberFormat('en');

interface Fingerprint {
  readonly simulationVersion: number;
  readonly schema: bigint;
  readonly arithmetic: bigint;
  readonly game: string;
  readonly gameVersion: number;
}

const hex = (value: bigint): string => value.toString(16).padStart(16, '0');
const said = (of: Fingerprint): string =>
  `simulation ${of.simulationVersion}, schema ${hex(of.schema)}, arithmetic ${hex(of.arithmetic)}` +
  (of.game ? `, game ${of.game} ${of.gameVersion}` : '');

/** Whether this page computes what was recorded. @throws Unplayable  it does not */
function checkVersion(recording: Recording): void {
  const { module, at, header } = recording;
  const { layout } = module;
  const struct = layout.struct('Fingerprint');
  const scratch = module.scratch(struct.size + 16);
  const own = scratch.take(struct.size);
  const status = module.calls.iso_player_check(at, own);
  const mine =
    status === 0 || module.statusName(status) === 'VERSION'
      ? (layout.read(struct, own) as unknown as Fingerprint)
      : null;
  scratch.free();
  if (status === 0) {
    return;
  }
  if (mine === null) {
    throw new Unplayable(
      'A game that this page does not know',
      `The recording is of the game “${header.game}”, whose rules this page does not have.`,
    );
  }
  const { fingerprint } = (layout.read(layout.struct('recording'), at) as { header: { fingerprint: Fingerprint } })
    .header;
  throw new Unplayable(
    'Recorded by another version',
    `Recorded with ${said(fingerprint)} (build ${header.build}). This page has ${said(mine)}.`,
  );
}

const place = ({ offset, tick, what }: RecordingError): string =>
  `at byte ${number.format(offset)}, after tick ${number.format(tick)}: ${what}`;

interface Opened {
  readonly recording: Recording;
  readonly warning: string;
}

function openFile(module: Module, bytes: Uint8Array): Opened {
  try {
    return { recording: Recording.open(module, bytes), warning: '' };
  } catch (error) {
    if (!(error instanceof RecordingError)) {
      throw error;
    }
    const name = module.statusName(error.status);
    if (name === 'VERSION') {
      throw new Unplayable(
        'This cannot be read', `It is no recording, or one of another version of the format (${place(error)}).`,
      );
    }
    try { // what is there before the fault
      const isTorn = name === 'TRUNCATED';
      const recording = Recording.open(module, bytes, isTorn ? 'torn' : 'salvage');
      const kind = isTorn ? 'The end is missing' : 'Damaged';
      return { recording, warning: `${kind} ${place(error)}. What comes before can be played.` };
    } catch {
      throw new Unplayable(
        'The recording is damaged', `It is damaged ${place(error)}. There is nothing before it that could be played.`,
      );
    }
  }
}

/** The module of the plane says whether the file needs the other one. */
async function openIn(load: (dimensions: number) => Promise<Module>, bytes: Uint8Array): Promise<Opened> {
  try {
    const opened = openFile(await load(2), bytes);
    if (opened.recording.header.dimensions === 2) {
      return opened;
    }
    opened.recording.close();
  } catch (error) {
    if (!(error instanceof IsostepError) || error.status !== Status.UNSUPPORTED) {
      throw error;
    }
  }
  return openFile(await load(3), bytes);
}

/**
 * @param load  gives the module that has worlds of so many dimensions
 * @throws Unplayable  it cannot be played, and why
 */
export async function openRecording(load: (dimensions: number) => Promise<Module>, bytes: Uint8Array): Promise<Opened> {
  try {
    const opened = await openIn(load, bytes);
    try {
      checkVersion(opened.recording);
    } catch (error) {
      opened.recording.close();
      throw error;
    }
    return opened;
  } catch (error) {
    throw error instanceof IsostepError ? new Unplayable('The recording cannot be played', error.message) : error;
  }
}
