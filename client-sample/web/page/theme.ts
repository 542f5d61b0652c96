// Colours of the drawing, for dark and light. Those of the page around it are in style.css.
import { colour, type Colour } from './mesh.js';

export interface Theme {
  readonly background: string;
  readonly grid: Colour;
  readonly gridStrong: Colour;
  readonly ground: Colour;
  readonly groundEdge: Colour;
  readonly things: readonly Colour[]; // bodies that nobody owns, by their index
  readonly ink: Colour;
  readonly joint: Colour;
  readonly motor: Colour;
  readonly contact: Colour;
  readonly mark: Colour;
}

export const DARK: Theme = {
  background: '#10151c',
  grid: colour('#ffffff', 0.035),
  gridStrong: colour('#ffffff', 0.08),
  ground: colour('#2a3441'),
  groundEdge: colour('#51606f'),
  things: ['#86a3c4', '#c2a27e', '#8db69a', '#ab9cc4', '#7fb0b5'].map((hex) => colour(hex)),
  ink: colour('#f4f7fb'),
  joint: colour('#d9b26a'),
  motor: colour('#f08c5a'),
  contact: colour('#ff5d73'),
  mark: colour('#9fd0ff'),
};

export const LIGHT: Theme = {
  background: '#f5f3ee',
  grid: colour('#26313d', 0.05),
  gridStrong: colour('#26313d', 0.11),
  ground: colour('#cfcabf'),
  groundEdge: colour('#8c8678'),
  things: ['#55789c', '#a07c50', '#5b8a6b', '#7e6d9e', '#4c8389'].map((hex) => colour(hex)),
  ink: colour('#18222d'),
  joint: colour('#a06a12'),
  motor: colour('#c4501b'),
  contact: colour('#d2203c'),
  mark: colour('#1f5f99'),
};

/** Of members by their slot; told apart by people who confuse red and green, too. Legible on dark and on light. */
export const MEMBER_HEX = ['#e69f00', '#3b9fe0', '#16a37f', '#d86fb0', '#e0603a', '#8a7be8', '#b3a125', '#4fb8c9'];
const MEMBERS = MEMBER_HEX.map((hex) => colour(hex));
export const memberColour = (slot: number): Colour => MEMBERS[slot % MEMBERS.length]!;
export const memberHex = (slot: number): string => MEMBER_HEX[slot % MEMBER_HEX.length]!;
