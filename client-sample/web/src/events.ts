// What a client tells: the actions of isostep/client.h as events. Ticks and sequences are numbers (they are below
// 2^53), roots and handles are bigint, times milliseconds.
import { type Plain } from './layout.js';

/** Says whether an outcome is predicted, or has happened, or was predicted and does not happen. */
export type Mark = 'predicted' | 'confirmed' | 'withdrawn';

export type OutcomeKind =
  | 'result'
  | 'contactBegin'
  | 'contactEnd'
  | 'jointBreak'
  | 'sleep'
  | 'wake'
  | 'leftWorld'
  | 'removal'
  | 'emit'
  | 'jointSleep'
  | 'jointWake';

/** Something that a tick did. Every predicted one is confirmed or withdrawn later. */
export interface Outcome {
  readonly tick: number;
  readonly kind: OutcomeKind;
  readonly mark: Mark;
  /** `result`: the command's sequence; contacts: a shape; others: the body or joint; `emit`: the game's code. */
  readonly first: bigint;
  /** `result`: what was created, or 0; contacts: the other shape; joints: their tag; `emit`: the number of bytes. */
  readonly second: bigint;
  /** `result`: 0, or why the command was a no-op (isostep/status.h). */
  readonly status: number;
  /** `emit`: the event's bytes. */
  readonly bytes: Uint8Array;
}

export interface Member {
  readonly role: 'player' | 'spectator';
  readonly slot: number;
  readonly slotGeneration: number;
  readonly presence: 'here' | 'held' | 'gone';
  readonly name: string;
}

/** A sealed command of a tick with its result. */
export interface TickCommand {
  readonly slot: number;
  readonly sequence: number;
  /** Ticks by which it was moved because it was late. */
  readonly moved: number;
  /** {case, value}: the command's kind and arguments, as in command.proto. */
  readonly command: { readonly case: string; readonly value: Plain };
  /** 0, or why it was a no-op; undefined without a world. */
  readonly status: number | undefined;
  /** The handle of what it created, or 0. */
  readonly id: bigint;
}

/** The events of a client, by name. */
export interface ClientEvents {
  /** The server has accepted the client: `client.welcome`. */
  welcome: { session: string; tickRateHz: number; controlLayout: string };
  /** A member from `tick` on. A spectator has no slot. */
  joined: { tick: number; slot: number | undefined };
  /** The confirmed world is at `tick`. Once for each tick, unless it is withdrawn. */
  tick: { tick: number; commands: readonly TickCommand[] };
  /** The predicted world is at `tick`; its ticks from `firstTick` on are new or were predicted again. */
  predicted: { tick: number; firstTick: number; unpredicted: number };
  /** One of `predicted`'s outcomes. */
  outcome: Outcome;
  /** The server did not order a command (sequence 0: a whole message). */
  refused: { sequence: number; status: number; text: string };
  /** The result of a command will never be known. */
  lost: { sequence: number };
  /** For a client without a world: results of its own commands. */
  results: { tick: number; results: readonly { sequence: number; status: number; id: bigint }[] };
  /** The own state after `tick` is wrong. */
  desync: { tick: number; ours: bigint; theirs: bigint };
  /** What the server does about it. */
  desyncAnswer: { action: 'heal' | 'kick' | 'pause' | 'ignore' };
  /** The wrong world was replaced, at `tick`. Ticks from `firstTick` to `lastTick` are withdrawn, if there are any. */
  healed: { tick: number; firstTick: number; lastTick: number };
  /** The server has lost the ticks from `firstTick` to `lastTick`: they are withdrawn. */
  rewound: { tick: number; firstTick: number; lastTick: number; status: number };
  /** The connection broke; a new one is tried after `delayMs`. */
  reconnecting: { status: number; delayMs: number };
  /** The same member goes on from `tick`. */
  resumed: { tick: number; slot: number | undefined };
  /** The session's state or the late policy has changed: `client.welcome`. */
  state: { status: number };
  /** The list of members has changed: these entries, or all. */
  members: { members: readonly Member[]; isComplete: boolean };
  /**
   * Who runs the server says this to the people who play; what it announces happens after `deadlineMs`, 0: no such
   * time.
   */
  notice: { text: string; deadlineMs: number };
  /** The last event. Status 0: the user has left. */
  ended: { status: number; text: string; expected: string };
}

export type EventName = keyof ClientEvents;

/** All events: who listens to another name would never hear anything. */
export const EVENT_NAMES: Readonly<Record<EventName, true>> = {
  welcome: true, joined: true, tick: true, predicted: true, outcome: true, refused: true, lost: true, results: true,
  desync: true, desyncAnswer: true, healed: true, rewound: true, reconnecting: true, resumed: true, state: true,
  members: true, notice: true, ended: true,
};

/** An event with its name. */
export type ClientEvent = { [Name in EventName]: { name: Name; detail: ClientEvents[Name] } }[EventName];

const OUTCOME_KINDS: readonly OutcomeKind[] = [
  'result', 'contactBegin', 'contactEnd', 'jointBreak', 'sleep', 'wake', 'leftWorld', 'removal', 'emit', 'jointSleep',
  'jointWake',
];
const MARKS: readonly Mark[] = ['predicted', 'confirmed', 'withdrawn'];
const DESYNC_ACTIONS = ['heal', 'kick', 'pause', 'ignore'] as const;
const PRESENCES = ['here', 'held', 'gone'] as const;
const SLOT_NONE = 255;

/** The kinds of actions: iso_client_action_kind. */
export const enum ActionKind {
  Send = 1,
  Decompress,
  Close,
  Welcome,
  Joined,
  Tick,
  Refused,
  Desync,
  Ended,
  Predicted,
  Reconnect,
  Resumed,
  Rewound,
  Healed,
  State,
  SyncTest,
  Results,
  DesyncAnswer,
  Lost,
  Members,
  Notice,
  Try,
  TryEnd,
  Switch,
}

/** An iso_client_action as the layout reads it. */
export interface Action {
  readonly kind: number;
  readonly slot: number;
  readonly isSpare: boolean;
  readonly status: number;
  readonly message: number;
  readonly bytes: number;
  readonly size: number;
  readonly rawSize: number;
  readonly tick: bigint;
  readonly firstTick: bigint;
  readonly lastTick: bigint;
  readonly unpredicted: bigint;
  readonly delayNs: bigint;
  readonly commands: readonly {
    slot: number; sequence: bigint; moved: number;
    command: { kind: TickCommand['command'] };
  }[];
  readonly results: readonly { status: number; id: bigint }[];
  readonly ownResults: readonly { sequence: bigint; code: number; id: bigint }[];
  readonly outcomes: readonly {
    tick: bigint; first: bigint; second: bigint; status: number; kind: number; mark: number; bytes: Uint8Array;
  }[];
  readonly desyncAction: number;
  readonly members: readonly MemberStruct[];
  readonly isComplete: boolean;
  readonly sequence: bigint;
  readonly ours: bigint;
  readonly theirs: bigint;
  readonly deadlineMs: number;
  readonly text: string;
  readonly expected: string;
}

/** An iso_member as the layout reads it. */
export interface MemberStruct {
  readonly role: number;
  readonly slot: number;
  readonly slotGeneration: number;
  readonly presence: number;
  readonly name: string;
}

export function memberOf(member: MemberStruct): Member {
  return {
    ...member, role: member.role === 1 ? 'player' : 'spectator', presence: PRESENCES[member.presence - 1] ?? 'gone',
  };
}

export const slotOf = (slot: number): number | undefined => (slot === SLOT_NONE ? undefined : slot);

function tickEvent(action: Action): ClientEvents['tick'] {
  const commands = action.commands.map(({ slot, sequence, moved, command }, i) => ({
    slot,
    sequence: Number(sequence),
    moved,
    command: command.kind,
    status: action.results[i]?.status,
    id: action.results[i]?.id ?? 0n,
  }));
  return { tick: Number(action.tick), commands };
}

function predictedEvents(action: Action): ClientEvent[] {
  const outcomes = action.outcomes.map((outcome): ClientEvent => {
    const kind = OUTCOME_KINDS[outcome.kind - 1]!;
    const bytes = outcome.bytes.subarray(0, kind === 'emit' ? Number(outcome.second) : 0);
    return {
      name: 'outcome', detail: { ...outcome, tick: Number(outcome.tick), kind, mark: MARKS[outcome.mark - 1]!, bytes },
    };
  });
  const detail = {
    tick: Number(action.tick), firstTick: Number(action.firstTick), unpredicted: Number(action.unpredicted),
  };
  return [...outcomes, { name: 'predicted', detail }];
}

/** The events that an action tells; none for what the client does by itself. */
export function eventsOf(action: Action): ClientEvent[] {
  const tick = Number(action.tick);
  const ticks = { tick, firstTick: Number(action.firstTick), lastTick: Number(action.lastTick) };
  switch (action.kind) {
    case ActionKind.Joined:
      return [{ name: 'joined', detail: { tick, slot: slotOf(action.slot) } }];
    case ActionKind.Tick:
      return [{ name: 'tick', detail: tickEvent(action) }];
    case ActionKind.Predicted:
      return predictedEvents(action);
    case ActionKind.Refused:
      return [
        { name: 'refused', detail: { sequence: Number(action.sequence), status: action.status, text: action.text } },
      ];
    case ActionKind.Lost:
      return [{ name: 'lost', detail: { sequence: Number(action.sequence) } }];
    case ActionKind.Results:
      return [
        {
          name: 'results',
          detail: {
            tick, results: action.ownResults.map((r) => ({ sequence: Number(r.sequence), status: -r.code, id: r.id })),
          },
        },
      ];
    case ActionKind.Desync:
      return [{ name: 'desync', detail: { tick, ours: action.ours, theirs: action.theirs } }];
    case ActionKind.DesyncAnswer:
      return [{ name: 'desyncAnswer', detail: { action: DESYNC_ACTIONS[action.desyncAction - 1] ?? 'ignore' } }];
    case ActionKind.Healed:
      return [{ name: 'healed', detail: ticks }];
    case ActionKind.Rewound:
      return [{ name: 'rewound', detail: { ...ticks, status: action.status } }];
    case ActionKind.Reconnect:
      return [{ name: 'reconnecting', detail: { status: action.status, delayMs: Number(action.delayNs) / 1e6 } }];
    case ActionKind.Resumed:
      return [{ name: 'resumed', detail: { tick, slot: slotOf(action.slot) } }];
    case ActionKind.State:
      return [{ name: 'state', detail: { status: action.status } }];
    case ActionKind.Members:
      return [{ name: 'members', detail: { members: action.members.map(memberOf), isComplete: action.isComplete } }];
    case ActionKind.Notice:
      return [{ name: 'notice', detail: { text: action.text, deadlineMs: action.deadlineMs } }];
    case ActionKind.Ended:
      return [{ name: 'ended', detail: { status: action.status, text: action.text, expected: action.expected } }];
    default:
      return [];
  }
}
