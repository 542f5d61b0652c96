// What another client needs to go on as the same member, as one short text: SLOT.GENERATION.UID.SECRET.
import { IsostepError, Status, type Plain } from './layout.js';

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @return undefined: a spectator's welcome, or one of a session that holds no slots */
export function writeToken({ role, slot, slotGeneration, uid, secret, holdMs }: Plain): string | undefined {
  return role !== 1 || holdMs === 0
    ? undefined
    : `${String(slot)}.${String(slotGeneration)}.${hex(uid as Uint8Array)}.${hex(secret as Uint8Array)}`;
}

/** @throws IsostepError MALFORMED */
export function readToken(token: string): Plain {
  const [, slot, slotGeneration, ...texts] =
    /^(\d{1,2})[.](\d{1,10})[.]([0-9a-f]{32})[.]([0-9a-f]{32})$/.exec(token) ?? [];
  if (slot === undefined) {
    throw new IsostepError(Status.MALFORMED, 'resume is no token of a client');
  }
  const [uid, secret] = texts.map((text) => Uint8Array.from(text.match(/../g)!, (byte) => parseInt(byte, 16)));
  return { slot: Number(slot), slotGeneration: Number(slotGeneration), uid, secret };
}
