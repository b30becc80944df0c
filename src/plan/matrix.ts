// A stage's matrix: one cell for each combination of its axes' values, and the names that cells and steps go by.
import type { Stage } from '../config/context-map.ts';
import type { PlanStep } from './contract.ts';

export type Cell = Readonly<Record<string, string>>;

/** The cells of a stage, axes in the order written, the last varying fastest. A stage without matrix has one empty cell. */
export function cellsOf(stage: Pick<Stage, 'matrix'>): Cell[] {
  return Object.entries(stage.matrix).reduce<Cell[]>(
    (cells, [axis, values]) => cells.flatMap((cell) => values.map((value) => ({ ...cell, [axis]: value }))),
    [{}],
  );
}

/** `host=cp1,disk=a`, and empty for the cell of a stage without matrix: also the cell's folder name. */
export function cellKey(cell: Cell): string {
  return Object.entries(cell)
    .map(([axis, value]) => `${axis}=${value}`)
    .join(',');
}

/** `talos`, or `talos[host=cp1]`. */
export function stepNameOf(stage: string, cell: Cell): string {
  const key = cellKey(cell);
  return key === '' ? stage : `${stage}[${key}]`;
}

/** The names of a stage's steps; none of a stage that is not there. */
export function stepNames(name: string, stage: Pick<Stage, 'matrix'> | undefined): string[] {
  return stage ? cellsOf(stage).map((cell) => stepNameOf(name, cell)) : [];
}

/** Stage and cell key of a step's name. */
export function splitStepName(step: string): { stage: string; cell: string } {
  const [, stage = step, cell = ''] = /^([^[]+)(?:\[(.*)\])?$/.exec(step) ?? [];
  return { stage, cell };
}

/** The axis values of a cell's key. */
export const cellValues = (key: string): string[] =>
  key === '' ? [] : key.split(',').map((axis) => axis.slice(axis.indexOf('=') + 1));

const MAX_NAMES = 12;

/** What people call cells among those of their stage: `cp1 cp2`, or `host=cp1,disk=a` where there are several axes. */
export function cellNames(steps: readonly string[]): string {
  const names = steps.map((step) => splitStepName(step).cell.replace(/^[^,=]*=([^,]*)$/, '$1') || step);
  const more = names.length - MAX_NAMES;
  if (names.length > 1) names.sort(new Intl.Collator('en', { numeric: true }).compare);
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`and ${more} more`] : [])].join(' ');
}

/** What people call a step: `talos[host=cp1]`; its id when it is no stage. */
export function stepLabel(step: Pick<PlanStep, 'id' | 'payload'>): string {
  return typeof step.payload.step === 'string' ? step.payload.step : step.id;
}

/** The payload of a step that runs a stage, or a cell of it. */
export interface StagePayload {
  readonly stage: string;
  readonly step: string;
  readonly cell: Cell;
}

/** That of a step in a run of stages, all of whose steps have one. */
export const stagePayload = ({ payload }: Pick<PlanStep, 'payload'>): StagePayload =>
  payload as unknown as StagePayload;

/** Stage and step, as events name them. */
export function eventLabel(step: PlanStep): { stage?: string; step: string } {
  const { stage } = step.payload;
  return { ...(typeof stage === 'string' ? { stage } : {}), step: stepLabel(step) };
}
