// What a cluster is told about resources that were there: more power over the host, other secrets, another source, out of a
// release, hardly ever looked at. The owner is asked.
import { distance } from 'fastest-levenshtein';
import { isRecord, type Leaf } from './data.ts';
import type { Change, FileFacts } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import { mentions } from './mentions.ts';

/** `failure`: what is known of it; the source that it names may be the wrong one. */
export function clusterFindings(change: Change, failure: string): Finding[] {
  const { path, addedLeaves } = change;
  const rules: readonly (readonly [(leaf: Leaf) => boolean, why: string])[] = [
    [isMorePower, 'gives a container more power over its host'],
    [isRareInterval, 'is hardly ever looked at any more'],
    [
      (leaf) => isOtherSource(leaf, change, failure),
      'reads from another source, so that what came from this one is removed',
    ],
    [(leaf) => isLeftOut(leaf, change), 'leaves out or renames what came from here, so that it is removed'],
    [(leaf) => isTakenOut(leaf, change), 'is no longer applied with the rest, so that what is there may be removed'],
    [(leaf) => isForeignSecret(leaf, change) && !isTold(leaf, change, failure), 'is given a secret of something else'],
    [(leaf) => isRuleOfFlux(leaf, change), 'changes how Flux deals with what it applies'],
  ];
  return addedLeaves.flatMap((leaf) => {
    const why = rules.find(([test]) => test(leaf))?.[1];
    return why === undefined ? [] : [asks('softer', path, leaf.line, why, `${leaf.keys.at(-1)}: ${leaf.value}`)];
  });
}

/** What a container may do unless it is told otherwise. */
const USUAL_CAPABILITY =
  /^(?:CAP_)?(?:AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|KILL|MKNOD|NET_BIND_SERVICE|NET_RAW|SETFCAP|SETGID|SETPCAP|SETUID|SYS_CHROOT)$/i;

function isMorePower({ keys, value }: Leaf): boolean {
  const [above, key = ''] = keys.slice(-2);
  if (key === 'cap_add' || (key === 'add' && above === 'capabilities')) return !USUAL_CAPABILITY.test(value);
  if (key === 'add' && /^(?:ALL|(?:CAP_)?SYS_ADMIN)$/i.test(value)) return true;
  if (/^(?:security_opt|type)$/.test(key) && (key !== 'type' || /^(?:seccomp|appArmor)Profile$/.test(above ?? '')))
    return /unconfined|label[:=]disable/i.test(value);
  return /^(?:privileged|hostPID|hostIPC|hostNetwork|allowPrivilegeEscalation)$/.test(key) && /^true$/i.test(value);
}

/** What is mended in resources of Flux: versions, names, sources, values and times; all of it has rules where it needs some. */
const ORDINARY_FLUX =
  /^spec\.(?:(?:values|valuesFrom|chart|chartRef|dependsOn|healthChecks|postBuild|decryption|secretRef|certSecretRef|sourceRef|eventSources|policy|layerSelector|commonMetadata|summary|eventMetadata)(?:\.|$)|ref\.(?:tag|semver|digest|commit|branch)$|(?:install|upgrade)\.(?:remediation\.retries|crds|createNamespace|cleanupOnFail)$|(?:interval|timeout|retryInterval|url|path|targetNamespace|releaseName|type|maxHistory|prune|suspend|wait|imageRepositoryRef)(?:\.|$))/;

/** The rest of their settings says what is deleted, forced, tested, patched or taken for healthy. */
const isRuleOfFlux = ({ keys }: Leaf, { old }: Change): boolean => {
  const documents = (old.data?.documents ?? []).filter(isRecord);
  const isFlux =
    documents.length > 0 && documents.every((one) => /\btoolkit\.fluxcd\.io\//.test(String(one.apiVersion)));
  return isFlux && keys[0] === 'spec' && !ORDINARY_FLUX.test(keys.join('.'));
};

const RARE_HOURS = 7 * 24;
const HOURS = { h: 1, m: 1 / 60, s: 1 / 3600 };

function isRareInterval({ keys, value }: Leaf): boolean {
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(h|m|s)/g)];
  const hours = parts.reduce((sum, [, number, unit]) => sum + Number(number) * HOURS[unit as keyof typeof HOURS], 0);
  return keys.join('.') === 'spec.interval' && hours > RARE_HOURS;
}

const kindsOf = ({ data }: FileFacts): string[] =>
  (data?.documents ?? []).flatMap((document) => (isRecord(document) ? [String(document.kind)] : []));

/** A name that was misspelled was none. */
const MAX_SLIPS = 2;

function isOtherSource({ keys, value }: Leaf, { goneLeaves, now }: Change, failure: string): boolean {
  const place = keys.join('.');
  if (!/^spec\.sourceRef\.(?:kind|name)$/.test(place) || !kindsOf(now).includes('Kustomization')) return false;
  const before = goneLeaves.find((leaf) => leaf.keys.join('.') === place)?.value;
  return before !== undefined && distance(before, value) > MAX_SLIPS && !mentions(failure, before);
}

/** What all names of a kustomization get, and a source that ignores all that is in it; in a file that was there. */
function isLeftOut({ keys, value }: Leaf, { before, now }: Change): boolean {
  const isAll = /^\/?\*+(?:\/\**)?\s*$/m.test(value) && !/^!/m.test(value);
  const isSource = kindsOf(now).some((kind) => /^(?:\w+Repository|Bucket)$/.test(kind));
  const place = keys.join('.');
  return before !== null && (/^name(?:Prefix|Suffix)$/.test(place) || (place === 'spec.ignore' && isAll && isSource));
}

const TAKES_OUT =
  /(?:^|\.)(?:helm\.sh\/hook|argocd\.argoproj\.io\/hook|config\.kubernetes\.io\/local-config|kustomize\.toolkit\.fluxcd\.io\/ssa)$/;

/** A hook is no part of its release; of a resource that is new it takes nothing away. */
function isTakenOut({ keys, value }: Leaf, { old, now }: Change): boolean {
  const isMark = (all: readonly string[]) => TAKES_OUT.test(all.slice(-4).join('.'));
  const count = ({ data }: FileFacts) => (data?.leaves ?? []).filter((leaf) => isMark(leaf.keys)).length;
  const isMerged = /^(?:merge|override|false)$/i.test(value);
  return isMark(keys) && !isMerged && count(now) > count(old) && kindsOf(now).length <= kindsOf(old).length;
}

/** Of a container: what it is given as its environment or files. */
const isSecretName = ({ keys }: Leaf): boolean =>
  keys.some((key) => /^(?:env|envFrom|volumes)$/.test(key)) &&
  /(?:^|\.)(?:secretRef\.name|secretKeyRef\.name|secret\.(?:secretName|name))$/.test(keys.slice(-2).join('.'));
const COMMON = /^(?:secrets?|creds?|credentials?|env|config|auth|token|key|admin|password|app|main|default)$/;
const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 2 && !COMMON.test(word));

/** The failure is about it, or about the one that stood there. */
const isTold = ({ value }: Leaf, { goneLeaves }: Change, failure: string): boolean =>
  [value, ...goneLeaves.filter(isSecretName).map((leaf) => leaf.value)].some((name) => mentions(failure, name));

/** Nothing in its name is of the workload, its file, or a secret that it was given before. */
function isForeignSecret(leaf: Leaf, { path, before, old, now }: Change): boolean {
  if (before === null || !isSecretName(leaf) || !/^[\w.-]+$/.test(leaf.value)) return false;
  const isName = ({ keys }: Leaf) => keys.join('.') === 'metadata.name';
  const given = [...(old.data?.leaves ?? []).filter(isSecretName), ...(now.data?.leaves ?? []).filter(isName)];
  const near = new Set(wordsOf([path, ...given.map(({ value }) => value)].join(' ')));
  const words = wordsOf(leaf.value);
  return words.length > 0 && !words.some((word) => near.has(word)) && !given.some(({ value }) => isSlip(value, leaf));
}

const isSlip = (before: string, { value }: Leaf): boolean => distance(before, value) <= MAX_SLIPS;
