// What may stand in the options of a client: JavaScript would take a name that is spelled wrong for none.
import type { ClientOptions } from './client.js';

type Rule = readonly [expected: string, is: (value: unknown) => boolean];

const has = (type: string) => (value: unknown): boolean => typeof value === type;
const text: Rule = ['a text', has('string')];
const flag: Rule = ['true or false', has('boolean')];
const whole = (least: number, most: number): Rule => [
  `a whole number from ${least} to ${most}`,
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
];

const RULES: Readonly<Record<keyof ClientOptions, Rule>> = {
  url: ['the address of a socket', (value) => typeof value === 'string' || value instanceof URL],
  session: text,
  name: text,
  role: ['player or spectator', (value) => value === 'player' || value === 'spectator'],
  password: text,
  verify: flag,
  predictTicks: whole(0, 16),
  interpolate: flag,
  leadTicks: whole(1, 60),
  reconnectMs: whole(0, 2 ** 32 - 1),
  resume: text,
  module: [
    'a module, its address or its bytes', (value) => value !== null && ['string', 'object'].includes(typeof value),
  ],
  webSocket: ['a class', has('function')],
};

const shown = (value: unknown): string =>
  Array.isArray(value) ? 'an array' : value !== null && typeof value === 'object' ? 'an object' : String(value);

/** @throws TypeError  names the option and what was expected */
export function checkOptions(options: ClientOptions): void {
  for (const name of new Set(['url', ...Object.keys(options)])) {
    if (!Object.hasOwn(RULES, name)) {
      throw new TypeError(`there is no option ${name}; there are ${Object.keys(RULES).join(', ')}`);
    }
    const [expected, is] = RULES[name as keyof ClientOptions];
    const value = options[name as keyof ClientOptions];
    if (!is(value) && (value !== undefined || name === 'url')) {
      throw new TypeError(`the option ${name} is ${shown(value)}; expected ${expected}`);
    }
  }
}
