// The names of the stages and nothing else, for commands that only look and must start fast.
import { isMap, isScalar, parseDocument } from 'yaml';
import { MAX_BYTES } from './files.ts';
import { deepOffset } from './yaml-depth.ts';

/** In the map's order; empty when the text is no map with stages. Never throws, checks nothing else. */
export function stageNames(text: string): string[] {
  if (text.length > MAX_BYTES || deepOffset(text) !== undefined) return [];
  const stages = parseDocument(text).get('stages', true);
  return isMap(stages) ? stages.items.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : [])) : [];
}
