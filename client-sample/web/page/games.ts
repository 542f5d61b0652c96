// What keys, stick, buttons and tools do in each game (isostep/games.h). All of them take the control block
// "axes-buttons-8".
import type { ToolName } from './tools.js';

/** Shares of the axes, and buttons as bits. */
export type Effect = readonly [right: number, up: number, buttons: number];

export interface Controls {
  /** By the code of the key. */
  readonly keys: Readonly<Record<string, Effect>>;
  /** The axes that a stick on the screen has. */
  readonly stick: '' | 'x' | 'xy';
  /** Buttons on the screen, each for a key. */
  readonly buttons: readonly (readonly [label: string, code: string])[];
  /** What the game lets the pointer do. */
  readonly tools: readonly ToolName[];
  /** What is shown at first: all that moves, the whole world, or the own body at so many pixels for a metre. */
  readonly view?: 'world' | number;
  /** The axes are those of the world, so that what is up on the screen depends on the camera. Only in space. */
  readonly turns?: true;
  /** The camera stays behind the own body, whose front is along its x axis. Only in space. */
  readonly chases?: true;
  /** Keys, separated by spaces, and what they do. */
  readonly hints: readonly (readonly [keys: string, does: string])[];
}

const SIDES = { ArrowLeft: [-1, 0, 0], KeyA: [-1, 0, 0], ArrowRight: [1, 0, 0], KeyD: [1, 0, 0] } as const;
const UP = { ArrowUp: [0, 1, 0], KeyW: [0, 1, 0] } as const;
const DOWN = { ArrowDown: [0, -1, 0], KeyS: [0, -1, 0] } as const;
const FIRST = { Space: [0, 0, 1] } as const;
const SECOND = { KeyE: [0, 0, 2] } as const;

/** Nobody's controls: a spectator's, and those of a scene without a game. */
export const WATCHING: Controls = { keys: {}, stick: '', buttons: [], tools: [], hints: [] };

/** A game that this page does not know. */
const UNKNOWN: Controls = {
  keys: { ...SIDES, ...UP, ...DOWN, ...FIRST, ...SECOND, KeyQ: [0, 0, 4] },
  stick: 'xy',
  buttons: [['1', 'Space'], ['2', 'KeyE']],
  tools: ['hand', 'box', 'ball', 'plank', 'rod', 'delete'],
  hints: [['← → ↑ ↓', 'drive'], ['space E Q', 'buttons']],
};

const GAMES: Readonly<Record<string, Controls>> = {
  sandbox: {
    ...UNKNOWN,
    keys: { ...SIDES, ...UP, ...DOWN, ...FIRST },
    buttons: [['Jump', 'Space']],
    hints: [['← → ↑ ↓', 'drive'], ['space', 'jump'], ['R', 'begin anew'], ['1 – 6', 'tools']],
  },
  sandbox3: {
    keys: { ...SIDES, ...UP, ...DOWN, ...FIRST },
    stick: 'xy',
    buttons: [['Jump', 'Space']],
    tools: ['hand', 'look', 'box', 'ball', 'plank', 'delete'],
    turns: true,
    hints: [['← → ↑ ↓', 'drive'], ['space', 'jump'], ['R', 'begin anew'], ['1 – 6', 'tools']],
  },
  rally: {
    keys: { ...SIDES, ...UP, ...DOWN, ...FIRST },
    stick: 'xy',
    buttons: [['Brake', 'Space']],
    tools: [],
    chases: true,
    hints: [['← →', 'steer'], ['↑ ↓', 'drive'], ['space', 'brake'], ['R', 'begin anew']],
  },
  walker: {
    keys: { ...SIDES, ...FIRST, ArrowUp: FIRST.Space, KeyW: FIRST.Space },
    stick: 'x',
    buttons: [['Jump', 'Space']],
    tools: [],
    view: 80,
    hints: [['← →', 'walk'], ['space', 'jump'], ['R', 'begin anew']],
  },
  hound: {
    keys: { ...SIDES, ...DOWN },
    stick: 'xy',
    buttons: [],
    tools: [],
    view: 80,
    hints: [['← →', 'trot'], ['↓', 'crouch'], ['R', 'begin anew']],
  },
  pinball: {
    keys: { ArrowLeft: [0, 0, 1], ArrowRight: [0, 0, 2], Space: [0, 0, 3], KeyA: SIDES.KeyA, KeyD: SIDES.KeyD },
    stick: '',
    buttons: [['Left', 'ArrowLeft'], ['Right', 'ArrowRight']],
    tools: [],
    view: 'world',
    hints: [['← →', 'flippers'], ['space', 'both'], ['A D', 'nudge'], ['R', 'another ball']],
  },
  cloth: {
    keys: {},
    stick: '',
    buttons: [],
    tools: ['hand', 'cut'],
    hints: [['1', 'hold the cloth'], ['2', 'cut it'], ['R', 'begin anew']],
  },
};

/** @param layout  that the server names for the control block */
export function controlsOf(game: string, layout: string): Controls {
  return layout === 'axes-buttons-8' ? (Object.hasOwn(GAMES, game) ? GAMES[game]! : UNKNOWN) : WATCHING;
}
