// Data that keeps less than before: history for a shorter time, a volume only as long as its container, a protection not at all.
// The owner is asked.
import type { Change } from './facts.ts';
import { asks, type Finding } from './finding.ts';

export const keptLessFindings = (change: Change): Finding[] => [
  ...shortened(change),
  ...lostVolumes(change),
  ...lostProtection(change),
];

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 };
const BYTES = { k: 1e3, mb: 1e6, mi: 1e6, mib: 1e6, gb: 1e9, gi: 1e9, gib: 1e9, tb: 1e12, ti: 1e12, tib: 1e12 };
const UNITS: Readonly<Record<string, number>> = { ...SECONDS, ...BYTES };
/** `14d`, `1m0s`, `40GB` as a number; not a number where it is none. */
const amount = (value: string): number => {
  const parts = [...value.trim().matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/gi)];
  if (!/^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?\s*[a-z]+)+)$/i.test(value.trim())) return Number.NaN;
  return parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit.toLowerCase()] ?? 1), 0);
};
const KEPT = /retention|keep|history|max_?age|ttl|expir/i;
/** What was kept and is kept far shorter is soon gone. */
const shortened = ({ path, addedLeaves, goneLeaves }: Change): Finding[] =>
  addedLeaves
    .filter(({ keys, value }) => {
      const before = goneLeaves.find((leaf) => leaf.keys.join('.') === keys.join('.'));
      return KEPT.test(keys.at(-1) ?? '') && before !== undefined && amount(value) * 4 < amount(before.value);
    })
    .map(({ keys, value, line }) =>
      asks('softer', path, line, 'keeps far less than before', `${keys.at(-1)}: ${value}`),
    );

const KEPT_VOLUME =
  /\b(?:nfs|claimName|persistentVolumeClaim|existingClaim|hostPath|iscsi|cephfs|csi)\b|\btype:\s*(?:nfs|pvc)\b/;
const LOST_VOLUME = /\b(?:emptyDir|tmpfs|medium)\b/;
/** A volume that was kept becomes one that is lost with its container. */
function lostVolumes({ path, lines: { added, removed } }: Change): Finding[] {
  const lost = added.find(({ text }) => LOST_VOLUME.test(text));
  return lost && removed.some(({ text }) => KEPT_VOLUME.test(text))
    ? [asks('softer', path, lost.number, 'keeps nothing of what it is given', lost.text.trim())]
    : [];
}

const PROTECTS =
  /(?:^|\.)(?:verify|signature|networkPolicy|readOnlyRootFilesystem|runAsNonRoot|allowPrivilegeEscalation)(?:\.|$)/;
/** Settings that protected it, and that are gone. */
function lostProtection({ path, goneLeaves, now }: Change): Finding[] {
  const left = new Set((now.data?.leaves ?? []).map(({ keys }) => keys.join('.')));
  const lost = goneLeaves.find(({ keys }) => PROTECTS.test(keys.join('.')) && !left.has(keys.join('.')));
  return lost ? [asks('softer', path, undefined, 'loses a protection', lost.keys.join('.'))] : [];
}
