// Exams of the size of real failures, from test/fixtures/mistakes: a dozen files and more, templates that are rendered,
// last lines that mislead, a mistake in two files, checks that fail while the command succeeds; some made long; and
// those that must be declined, because the file at fault is protected or the cause is not in the repository.
import { knownFixFor, MISTAKES, type Mistake, type Replacement } from '../../../test/fixtures/mistakes.ts';
import { withChanges } from './effect.ts';
import type { Exam, StandIn } from './exam.ts';
import { OUTSIDE } from './outside.ts';

/** Their tools are wherever the loop is, so that they run by themselves. */
const RUNS_ITSELF: readonly string[] = ['shell', 'make'];

/** More entries for the ends of files, all in order: the mistake is then one of hundreds of lines. */
const LONGER: Readonly<Record<string, { path: string; entry: (n: number) => string }>> = {
  'python-missing-key': { path: 'data/hosts.yaml', entry: host },
  'python-unknown-vlan': { path: 'data/hosts.yaml', entry: host },
  'python-yaml-scanner': { path: 'data/hosts.yaml', entry: host },
  'render-duplicate-app': { path: 'vars.yaml', entry: app },
};
const MORE_ENTRIES = 70;

function host(n: number): string {
  const byte = (n + 16).toString(16).padStart(2, '0');
  return `  sensor-${n}:\n    mac: "52:54:00:00:01:${byte}"\n    address: 10.60.1.${n}\n    vlan: iot\n    groups: [sensors]\n`;
}

function app(n: number): string {
  const lines = [`name: tool-${n}`, `port: ${9100 + n}`, 'group: tools', 'replicas: 1'];
  return `  - ${[...lines, `host: tool-${n}.home.example.net`, 'metrics: false'].join('\n    ')}\n`;
}

/** Those that nothing but the protected file can mend, and whose words do not say so. */
const PROTECTED: readonly string[] = [
  ...['flux-helm-env-is-number', 'helm-schema', 'kustomize-registered-twice'],
  ...['render-expression', 'talos-kubespan-level'],
];

/** The ways to mend it that are right: the first is the one that the set names. */
export const waysOf = ({ fix, also = [], instead = [] }: Mistake): Replacement[][] => [
  [fix, ...also],
  ...instead.map((one) => [one]),
];

function standInFor(mistake: Mistake, ways: StandIn['ways']): StandIn {
  const { files, log, exit_code, stage } = mistake;
  const checks = stage.verify as readonly unknown[];
  const makes = checks.flatMap((check) => (check as { nonempty?: string }).nonempty ?? []);
  return { command: String(stage.command), files, ways, log, exit_code, makes };
}

function examOf(mistake: Mistake, group: Exam['group'], name: string, ways: StandIn['ways']): Exam {
  const { files, stage, tool } = mistake;
  const [changes = []] = ways;
  const mended = withChanges(files, changes);
  const text = (path: string) => ({ path, before: files[path] ?? '', after: mended[path] ?? '' });
  const isRun = group === 'real' && RUNS_ITSELF.includes(tool);
  return {
    ...{ name, group, files, plain: [], protectedFiles: [] },
    stage: { command: stage.command, files: stage.files, verify: stage.verify },
    judge: isRun ? { mended } : { standIn: standInFor(mistake, ways) },
    right: changes.map(({ path }) => text(path)),
    isLeft: async () => group === 'declined' || !('files' in (await knownFixFor(mistake))),
  };
}

function lengthened(mistake: Mistake): Exam[] {
  const more = LONGER[mistake.name];
  if (!more) return [];
  const added = Array.from({ length: MORE_ENTRIES }, (_, n) => more.entry(n + 1)).join('');
  const files = { ...mistake.files, [more.path]: `${mistake.files[more.path]}${added}` };
  const lines = files[more.path]?.split('\n').length;
  return [examOf({ ...mistake, files }, 'real', `${mistake.name} in ${lines} lines`, waysOf(mistake))];
}

const named = (name: string): Mistake => {
  const mistake = MISTAKES.find((one) => one.name === name);
  if (!mistake) throw new Error(`there is no mistake ${name}`);
  return mistake;
};

/** In the order of their names, those of one tool together. */
export const REAL_EXAMS: readonly Exam[] = MISTAKES.flatMap((mistake) => [
  examOf(mistake, 'real', mistake.name, waysOf(mistake)),
  ...lengthened(mistake),
]);

export const DECLINED_EXAMS: readonly Exam[] = [
  ...OUTSIDE.map(({ name, of, log, exit_code }) => {
    const mistake = named(of);
    const files = withChanges(mistake.files, waysOf(mistake)[0] ?? []);
    return examOf({ ...mistake, files, log, exit_code }, 'declined', `nothing to mend: ${name}`, []);
  }),
  ...PROTECTED.map(named).map((mistake) => ({
    ...examOf(mistake, 'declined', `protected: ${mistake.name}`, []),
    protectedFiles: [mistake.culprit],
  })),
];
