// Which targets, recipes, tasks and scripts become stages: what README, the default target or another's prerequisites lead to.
// Pure, but for what it asks its readers.

import { LATER_COMMANDS, RESERVED_STAGE_NAMES } from '../config/context-map.ts';
import { shellWord } from '../worktree/messages.ts';
import { destroysByName, destroysByPath } from './destroys.ts';
import { destroysByContent, draftOf, type Piece, type Readers, type Running, running, usesIn } from './draft.ts';
import { closureOf, definitions, type Entry, findRunners, type Runner, tidy } from './entries.ts';
import {
  baseName,
  type Draft,
  escapeRegExp,
  folderOf,
  freeName,
  isAside,
  type LeftOut,
  type Survey,
  unique,
} from './survey.ts';

export interface Proposed {
  readonly drafts: readonly Draft[];
  readonly left: readonly LeftOut[];
  /** Files that destroy. */
  readonly protect: readonly string[];
}

const VERBS =
  /^(?:bootstrap|install|setup|deploy|apply|up|provision|create|configure|generate|render|template|build|start|converge|launch|run|play)$/;
const NOUNS =
  /^(?:cluster|metal|infra|infrastructure|apps?|system|site|external|cloud|k3s|k8s|talos|flux|argocd|argo|vms?|machines?|nodes?|hosts?|platform|services?|stack|everything|all|gitops|post|hacks|playbook|network|storage|ingress|monitoring|obs|base|core|servers?|prereqs?|init|prepare)$/;
const LOOKS =
  /^(?:lint|tests?|checks?|validate|verify|fmt|format|diff|plan|preview|status|list|ls|show|get|logs?|help|version|info|print|describe|graph|stats|debug|doctor|bench|benchmark|scan|audit|dry|dryrun|default|smoke|health|ping|watch|top)$/;
const PERSON =
  /^(?:console|shell|ssh|exec|attach|edit|login|auth|forward|portforward|serve|dev|dashboard|open|connect|browse|tunnel|proxy|ui|k9s|repl|interactive|menu|browser|vnc|passwords?|credentials?|tokens?|kubeconfig)$/;
const DAILY =
  /^(?:upgrades?|updates?|bump|renovate|backups?|restore|snapshots?|rollback|drain|cordon|uncordon|reboot|restart|shutdown|poweroff|suspend|resume|migrate|failover|release|publish|push|tag|commit|docs?|changelog|hooks?|encrypt|decrypt|rotate|import|export|download|fetch|pull|unlock|lock|approve|rekey|new|add|force|recover|rescue|repair|hibernate|wake|rebuild|replace|refresh|vendor|deps|requirements|completion|annotate|label|archive|mount|iso|usb|gensecrets?|stress|sync|reconcile|resync)$/;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
/** Only the last part of a namespaced name says what it does. */
const hasVerb = (name: string): boolean =>
  wordsOf(name.split(/[: ]/).at(-1) as string).some((word) => VERBS.test(word));
const isUpName = (name: string): boolean =>
  hasVerb(name) || wordsOf(name.split(/[: ]/).at(-1) as string).some((word) => NOUNS.test(word));

/** Why something of this name is not for bringing the lab up; undefined when the name does not tell. */
export function otherPurpose(name: string): string | undefined {
  const words = wordsOf(name);
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (has(PERSON)) return 'it wants a person at a terminal, or does not end by itself';
  if (has(LOOKS)) return 'it looks, tests or formats: something for the stage check';
  return has(DAILY) ? 'it is no part of bringing the lab up' : undefined;
}

/** A valid stage name; `run-` is put before the name of a command. */
export function stageName(target: string): string {
  const plain = target
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 50);
  const name = plain === '' ? 'stage' : plain;
  return name === 'check' || RESERVED_STAGE_NAMES.includes(name) || LATER_COMMANDS.includes(name)
    ? `run-${name}`
    : name;
}

interface Lead {
  readonly runner: Runner;
  readonly entry: Entry;
  /** Lower comes first; why it is proposed. */
  readonly rank: number;
  readonly because: string;
  readonly isDefault?: boolean;
  /** The list that names it: its entries run in the order of the list. */
  readonly list?: string | undefined;
}

/** With at least this many leads from README or the default target, nothing else is proposed. */
const MIN_TOLD = 2;

export async function fromRunners(survey: Survey, readers: Readers): Promise<Proposed> {
  const runners = findRunners(survey);
  const leads = runners.flatMap((runner) => leadsOf(survey, runner));
  const led = new Map(leads.map((lead) => [lead.entry, lead]));
  const drafts: Draft[] = [];
  const left: LeftOut[] = [];
  const harmless: { entry: Entry; runner: Runner; run: Running }[] = [];
  for (const runner of runners) {
    for (const entry of runner.entries.values()) {
      if (entry.hidden || onlyPrints(entry) || (isAggregate(runner, entry) && !destroysByName(entry.target))) continue;
      const run = await running(closureOf(survey, runner, entry.target).map(pieceOf), readers, survey);
      const why = await reasonAgainst(entry, run, readers, survey);
      if (why !== undefined) left.push({ what: entry.command, why });
      else harmless.push({ entry, runner, run });
    }
  }
  const isUp = ({ run }: { run: Running }) => usesIn(run.all).length > 0;
  const isToldOf = harmless.filter((one) => led.has(one.entry) && isUp(one)).length >= MIN_TOLD;
  const wanted = harmless.filter((one) => {
    const [name, lead] = [one.entry.target, led.get(one.entry)];
    if (lead?.isDefault) return true;
    return lead ? isUp(one) || hasVerb(name) : !isToldOf && isUp(one) && isUpName(name);
  });
  const called = new Set(wanted.flatMap(({ runner, entry }) => closureOf(survey, runner, entry.target).slice(1)));
  const more = harmless.filter((one) => !wanted.includes(one) && called.has(one.entry) && isUp(one));
  const taken = wanted.length + more.length > 0 ? [...wanted, ...more] : harmless.filter(isUp);
  const rankOf = ({ entry }: { entry: Entry }) => led.get(entry)?.rank ?? 1e6;
  const names = new Map<Entry, string>();
  const lists = new Map<string, string>();
  const ordered = taken.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const { entry } of ordered) {
    const plain = stageName(entry.target);
    const longer = stageName(`${folderOf(entry.file).replaceAll('/', '-')}-${plain}`);
    names.set(entry, freeName([plain, longer], [...names.values()]));
  }
  for (const { entry, runner, run } of ordered) {
    const lead = led.get(entry);
    const list = lead?.list ?? '';
    const before = lists.get(list);
    if (list !== '') lists.set(list, names.get(entry) as string);
    const [, ...called] = closureOf(survey, runner, entry.target);
    const calls = called.flatMap((one) => names.get(one) ?? []);
    const definedIn = definitions(survey, runner.tool, [runner, entry, ...called]);
    drafts.push(
      draftOf(
        {
          name: names.get(entry) as string,
          command: entry.command,
          description: entry.about || `${entry.command}, from ${entry.file}`,
          why: [
            ...(entry.confirm ? ['It asks whether one is sure; --yes says so.'] : []),
            lead?.because ??
              `${entry.command} runs ${usesIn(run.all)
                .map(({ kind }) => kind.name)
                .join(', ')}.`,
          ],
          needs: unique([...calls, ...(before ? [before] : [])]),
        },
        { ...run, definedIn },
        survey,
        entry.tool,
      ),
    );
  }
  const rest = harmless.filter((one) => !taken.includes(one));
  left.push(
    ...rest.map(({ entry }) => ({
      what: entry.command,
      why: led.has(entry)
        ? 'nothing known in it brings anything up'
        : 'nothing leads to it: not the default target, not README, no known tool that brings something up',
    })),
  );
  return { drafts, left, protect: [] };
}

const pieceOf = ({ file, folder, recipe }: Entry): Piece => ({ folder: folder ?? folderOf(file), text: recipe });

/** Such as `help`. */
const onlyPrints = ({ recipe, calls }: Entry): boolean =>
  calls.length === 0 &&
  recipe.split('\n').every((line) => /^\s*(?:$|#|@?(?:echo|printf|cat|true|:)\b|(?:just|task)\s+-{1,2}l)/.test(line));

/** It only starts others. */
const isAggregate = (runner: Runner, { recipe, calls }: Entry): boolean =>
  calls.some((call) => runner.entries.get(call)?.hidden === false) &&
  recipe
    .split('\n')
    .every((line) =>
      /^\s*(?:$|#|@?(?:echo|printf|set|git status)\b|@?(?:make|just|task|npm run)\s+[\w.: -]+$)/.test(line),
    );

async function reasonAgainst(
  entry: Entry,
  run: Running,
  readers: Readers,
  survey: Survey,
): Promise<string | undefined> {
  const { target, parameters } = entry;
  if (destroysByName(target)) return 'its name says that it takes something away';
  const purpose = otherPurpose(target);
  if (purpose !== undefined) return purpose;
  if (parameters.length > 0) return `it asks for ${parameters.slice(0, 3).join(', ')}`;
  const placeholders = wordsInReadme(survey, entry);
  if (placeholders.length > 0 && placeholders.every(Boolean)) return `README gives it words: ${placeholders[0]}`;
  const asked = /\b(?:read\s+-[a-z]*p|gum\s+(?:confirm|input|choose)|select\s+\w+\s+in)\b/.exec(
    run.pieces.map((one) => one.text).join('\n'),
  );
  if (asked) return `it asks a person (${asked[0]})`;
  const why = await destroysByContent(run, readers, survey);
  return why === undefined ? undefined : `it would destroy: ${why}`;
}

/** What the default target starts, in its order; then what README names, in its order. */
function leadsOf(survey: Survey, runner: Runner): Lead[] {
  const first = runner.first === undefined ? undefined : runner.entries.get(runner.first);
  const byDefault: Lead[] = [];
  if (first && !onlyPrints(first)) {
    const calls = first.calls.filter((call) => runner.entries.has(call));
    const names = isAggregate(runner, first) ? calls : [first.target];
    const because = `${runner.tool} without a name runs it.`;
    for (const name of unique(names)) {
      const entry = runner.entries.get(name) as Entry;
      byDefault.push({ runner, entry, rank: byDefault.length, because, list: runner.file, isDefault: true });
    }
  }
  const blocks = [...survey.readme.matchAll(/^ *```.*\n[\s\S]*?^ *```/gm)].map(({ 0: text, index }) => [
    index,
    index + text.length,
  ]) as [number, number][];
  const named = [...runner.entries.values()].flatMap((entry): Lead[] => {
    const places = [...survey.readme.matchAll(mention(entry))].map(({ index }) => index);
    const blockAt = (at: number) => blocks.find(([from, to]) => from <= at && at < to);
    // Prefer a mention in a code block.
    const at = places.find(blockAt) ?? places[0];
    const list = at === undefined ? undefined : blockAt(at)?.[0].toString();
    return at === undefined ? [] : [{ runner, entry, rank: 1000 + at, because: `README says ${entry.command}.`, list }];
  });
  const reached = named.flatMap((lead) => {
    const calls = isAggregate(runner, lead.entry)
      ? lead.entry.calls.flatMap((call) => runner.entries.get(call) ?? [])
      : [];
    return [lead, ...calls.map((entry, i) => ({ ...lead, entry, rank: lead.rank + i / 100 }))];
  });
  const all = [...reached.toReversed(), ...byDefault.toReversed()];
  return [...new Map(all.map((lead) => [lead.entry, lead])).values()];
}

/** For each place where README names it: the `<placeholder>` behind it, or nothing. */
const wordsInReadme = ({ readme }: Survey, entry: Entry): string[] =>
  [...readme.matchAll(mention(entry))].map(
    ({ 0: text, index }) => /^[ \t]+(<[a-z][\w -]*>)/i.exec(readme.slice(index + text.length))?.[1] ?? '',
  );

function mention({ command, target, tool }: Entry): RegExp {
  const escaped = (text: string) => escapeRegExp(text).replace(/ /g, '(?: |::)');
  const short = tool === 'npm' ? `(?:npm|pnpm|yarn)(?: run)? ${target}` : `${tool} ${target}`;
  return new RegExp(`(?:^|[\`$>\\s])(?:${escaped(command)}|${escaped(short)})(?=$|[\`\\s])`, 'gm');
}

const SCRIPT_PLACE = /^(?:[^/]+|(?:scripts?|bin|hack|bootstrap|setup|tools|deploy|infra|cluster|k8s|ops)\/[^/]+)$/i;
const LIBRARY = /(?:^|[/_-])(?:lib|common|functions?|utils?|helpers?|env|vars|colou?rs|log(?:ging)?)(?:[._-]|$)/i;

/** Scripts that README names, or whose names say that they bring something up, and that no draft runs already. */
export async function fromScripts(survey: Survey, readers: Readers, before: readonly Draft[]): Promise<Proposed> {
  const drafts: Draft[] = [];
  const left: LeftOut[] = [];
  const protect: string[] = [];
  for (const [path, { mode }] of survey.files) {
    const text = isScript(path, mode) && !isAside(path) ? survey.text(path) : '';
    if (text === '') continue;
    const pieces = [{ folder: '.', text }];
    const command = `./${shellWord(path)}`;
    const isNamed = survey.readme.includes(path) || survey.readme.includes(`./${baseName(path)}`);
    const name = baseName(path).replace(/\.\w+$/, '');
    const isCandidate = SCRIPT_PLACE.test(path) && !LIBRARY.test(path) && (isNamed || isUpName(name));
    if (!isCandidate && !MAY_DESTROY.test(`${path}\n${text}`)) continue;
    const whyHarmful = destroysByPath(path)
      ? 'its name says that it takes something away'
      : await destroysByContent({ pieces, files: [] }, readers, survey);
    if (whyHarmful !== undefined) protect.push(path);
    if (!isCandidate || before.some(({ runs }) => runs.includes(path))) continue;
    const run = await running(pieces, readers, survey);
    const harm = whyHarmful ?? (await destroysByContent({ pieces: [], files: run.files }, readers, survey));
    const why =
      harm ??
      otherPurpose(baseName(path)) ??
      asksFor(text) ??
      (usesIn(run.all).length === 0 && !(isNamed && hasVerb(name))
        ? 'nothing known in it brings anything up'
        : undefined);
    if (why !== undefined) {
      left.push({ what: command, why });
      continue;
    }
    const about = tidy(/^#(?!!)\s*(\S.+)$/m.exec(text.split('\n').slice(0, 8).join('\n'))?.[1] ?? '');
    const because = isNamed ? `README names ${path}.` : `Its name says that it brings something up.`;
    drafts.push(
      draftOf(
        {
          name: stageName(baseName(path).replace(/\.\w+$/, '')),
          command: mode === '100755' ? command : `bash ${shellWord(path)}`,
          description: about || path,
          why: [because],
        },
        { ...run, files: [path, ...run.files] },
        survey,
      ),
    );
  }
  return { drafts, left, protect };
}

/** Only scripts that match are parsed for destructive commands. */
const MAY_DESTROY =
  /\brm\s+-|destroy|delete|wipe|mkfs|reset|purge|\bdd\s|uninstall|prune|\bzap\b|nuke|teardown|remove|clean|truncate|sgdisk|discard|\bdown\b|\bdrop\b|format|\bkill/i;

const isScript = (path: string, mode: string): boolean =>
  mode !== '120000' && (/\.(?:sh|bash)$/.test(path) || (mode === '100755' && !baseName(path).includes('.')));

/** Why it cannot run unattended: it prompts, or wants arguments. */
function asksFor(text: string): string | undefined {
  if (/^#!.*(?:python|node|ruby|perl|fish|zsh|nu)\b/.test(text)) return undefined;
  if (/\bread\s+(?:-\w+\s+)*-?\w*p\b|\bgum\s+(?:confirm|input|choose)\b|\bwhiptail\b|\bselect\s+\w+\s+in\b/.test(text))
    return 'it asks a person';
  const bare = text.replace(/^[^\n]*\(\)\s*\{[\s\S]*?^\}/gm, '');
  return /\$\{?1(?![\w:-])\}?|\$\{1:\?|\$#|\bgetopts\b/.test(bare) ? 'it wants words on its command line' : undefined;
}
