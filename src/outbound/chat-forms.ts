// Marks with which hosts of models part the turns of a chat. In data they would end the question: they are broken before anything is
// sent, and put back in what is answered.
import type { MaskText } from './context.ts';

const FORM = String.raw`[|｜][^<>\n]{1,64}[|｜]>|/?\w{1,32}_of_turn>|/?INST\]|<?/?SYS>>`;
const WHOLE = new RegExp(`([<[])(?=${FORM})`, 'g');
const BROKEN = new RegExp(`([<[])~(?=${FORM})`, 'g');

/** The text without such marks: `<|end|>` becomes `<~|end|>`. Doing it again changes nothing. */
export const breakForms = (text: string): string => text.replace(WHOLE, '$1~');

export const putBackForms = (text: string): string => text.replace(BROKEN, '$1');

/** As a text is sent: its secrets masked by `mask`, and without marks of a chat. */
export const sendable = (text: string, mask: MaskText): string => breakForms(mask(text));
