// Removals that are for the owner to decide: GitOps deletes from the cluster what leaves the files.
import type { Edit } from '../edit.ts';
import type { ChangedLines } from './changed-lines.ts';
import { isRecord } from './data.ts';
import type { Change, FileFacts } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import type { Tree } from './rules.ts';

const MAX_NET_LINES = 20;
const YAML = /\.ya?ml$/i;

/** What `file` loses that a fix should not take away. */
export function removalFindings(
  file: Edit & Pick<Change, 'old' | 'now'>,
  changed: ChangedLines,
  tree: Tree,
): Finding[] {
  const { path, before, after } = file;
  if (before === null) return [];
  const finding = (code: 'removes_much' | 'removes_resource', why: string) => asks(code, path, undefined, why);
  if (before.trim() !== '' && after.trim() === '') return [finding('removes_much', 'nothing would be left in it')];
  const isYaml = YAML.test(path);
  const lost = isYaml ? documents(before) - documents(after) : 0;
  const left = isYaml && lost <= 0 ? leftDocuments(file) : [];
  const gone = `${lost === 1 ? 'a YAML document' : `${lost} YAML documents`} would be gone`;
  const entries = isYaml ? lostEntries(path, before, after, tree) : [];
  const net = changed.before.length - changed.after.length;
  const much = `${net} lines fewer than before; at most ${MAX_NET_LINES}: change only what is wrong`;
  return [
    ...(lost > 0 ? [finding('removes_resource', gone)] : []),
    ...(left.length > 0 ? [finding('removes_resource', `would stand nowhere any more: ${left.join(', ')}`)] : []),
    ...(entries.length > 0
      ? [finding('removes_resource', `no longer among its resources: ${entries.join(', ')}`)]
      : []),
    ...(net > MAX_NET_LINES ? [finding('removes_much', much)] : []),
    ...(file.rewritten ? lostComments(before, after).map((why) => finding('removes_much', why)) : []),
  ];
}

/** What keeps data, or what others stand in: under another name it is another one. */
const KEEPS =
  /^(?:PersistentVolume(?:Claim)?|Namespace|CustomResourceDefinition|StatefulSet|HelmRelease|Kustomization|\w*Cluster|\w*Pool|\w*Volume\w*|Database|User|Bucket)$/;

/** What runs: by another name it is the same one, by another kind or elsewhere it is another. */
const RUNS = /^(?:Deployment|DaemonSet|CronJob)$/;

/** The documents that keep data and were called otherwise before, or that run and were of another kind or elsewhere. */
function leftDocuments({ old, now }: Pick<Change, 'old' | 'now'>): string[] {
  const names = ({ data }: FileFacts) =>
    (data?.documents ?? []).flatMap((document) => {
      if (
        !isRecord(document) ||
        !isRecord(document.metadata) ||
        ![KEEPS, RUNS].some((kinds) => kinds.test(String(document.kind)))
      )
        return [];
      const { name = '', namespace = '' } = document.metadata;
      return [{ kind: String(document.kind), name: String(name), namespace: String(namespace) }];
    });
  // One that names no namespace is put into one by whoever applies it.
  const isSame = (a: ReturnType<typeof names>[number], b: typeof a) =>
    a.kind === b.kind &&
    (a.name === b.name || RUNS.test(a.kind)) &&
    (a.namespace === b.namespace || a.namespace === '' || b.namespace === '');
  return names(old)
    .filter((document) => !names(now).some((other) => isSame(document, other)))
    .map(({ kind, namespace, name }) => [kind, namespace, name].filter(Boolean).join(' '));
}

const MAX_LOST_COMMENTS = 2;
const COMMENT = /^\s*(?:#(?!!)|\/\/|--(?!-)|;|<!--|\/?\*)\s*\S|\s#\s+\S/;

/** A whole file that was written anew easily loses what people wrote into it; a comment that only changed is not lost. */
function lostComments(before: string, after: string): string[] {
  const count = (text: string): number => text.split('\n').filter((line) => COMMENT.test(line)).length;
  const lost = count(before) - count(after);
  return lost > MAX_LOST_COMMENTS ? [`${lost} comments would be lost; keep them`] : [];
}

const isContent = (line: string): boolean =>
  line.trim() !== '' && !/^\s*#/.test(line) && !/^(?:---|\.\.\.|%)/.test(line);

/** How many documents of the text hold anything; a `---` in the first column always begins one. */
function documents(text: string): number {
  if (!text.includes('\n---')) return text.split(/\r?\n/).some(isContent) ? 1 : 0;
  return text.split(/^---(?=\s|$)/m).filter((part) => part.split(/\r?\n/).some(isContent)).length;
}

/** Entries of top-level resource lists that are gone: fewer than before, or exchanged though what they name is there. */
function lostEntries(path: string, before: string, after: string, tree: Tree): string[] {
  // Listed twice it is one resource: nothing leaves the cluster while one of the two stays.
  const old = [...new Set(resourceEntries(before))];
  const now = resourceEntries(after);
  const left = [...now];
  const gone = old.filter((entry) => {
    const at = left.findIndex((other) => sameEntry(entry, other));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  // Nothing in the cluster came from a name of nothing; where no entry is known, nobody can tell which ones are.
  const isFewer = now.length < old.length;
  const isTold = !isFewer || old.some((entry) => !REMOTE.test(entry) && namesSomething(path, entry, tree));
  return gone.filter((entry) => !isTold || (isFewer && REMOTE.test(entry)) || namesSomething(path, entry, tree));
}

const sameEntry = (a: string, b: string): boolean => plainEntry(a) === plainEntry(b);
/** Another version of the same remote entry is the same entry. */
const plainEntry = (entry: string): string =>
  entry
    .replace(/\?ref=.*$/, '')
    .replace(/\/v?\d+(?:\.\d+)+[^/]*(?=\/)/g, '/<version>')
    .replace(/^\.\//, '')
    .replace(/\/+$/, '');

const REMOTE =
  /^\w+:\/\/|^git::|^[\w.-]+@[\w.-]+:|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\/[^/]+\/[^/]|^[\w.-]+\.[a-z]+\/\S+\?ref=/;

function namesSomething(path: string, entry: string, tree: Tree): boolean {
  if (REMOTE.test(entry)) return true;
  const parts = path.split('/').slice(0, -1);
  for (const part of entry.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return tree.exists(parts.join('/')) || tree.isFolder(parts.join('/'));
}

const LISTS = /^(?:resources|bases|components)\s*:/m;

/** The items of every `resources:`, `bases:` and `components:` in the first column. */
function resourceEntries(text: string): string[] {
  if (!LISTS.test(text)) return [];
  const entries: string[] = [];
  let inside = false;
  for (const line of text.split(/\r?\n/)) {
    const [, flow] = /^(?:resources|bases|components)\s*:\s*(\[.*)?(?:#.*)?$/.exec(line) ?? [];
    if (/^(?:resources|bases|components)\s*:/.test(line)) {
      inside = true;
      const items = (flow ?? '').replace(/[[\]"']/g, '').split(',');
      entries.push(...items.map((item) => item.trim()).filter((item) => item !== ''));
    } else if (inside) {
      const item = /^\s*-\s+["']?([^"'#\s][^"'#]*?)["']?\s*(?:#.*)?$/.exec(line)?.[1];
      if (item !== undefined) entries.push(item);
      else if (/^[^\s#-]/.test(line) || line.startsWith('---')) inside = false;
    }
  }
  return entries;
}
