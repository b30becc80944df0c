// What the recorded answers say in each exam. They are written by hand after what small models do, so that every
// outcome occurs: mostly right, some wrong, some that the gate must refuse. They say nothing about any model.
import type { Exam } from './exam.ts';
import { EXAMS } from './exams.ts';
import { type Said, say, type WrittenForm } from './recorded-forms.ts';

/** In a file, this instead of that. */
type Change = readonly [path: string, old: string, now: string];

interface Imperfect {
  /** Changes that are not the right one. */
  readonly changes?: readonly Change[];
  /** The right one, for a file that it remembers wrongly. */
  readonly misquoted?: readonly [is: string, said: string];
  /** Exactly this, whatever form was asked for. */
  readonly words?: string;
  /** Whether it is put right once the model was told what was wrong. A change: it is that one, then. */
  readonly afterwards?: 'right' | Change;
}

const RUN = 'stages/web/run.sh';
const POOL = 'config/web/pool.conf';
const SELECTOR: Change = ['manifests/web/service.yaml', 'app: web', 'app: frontend'];

const IMPERFECT: Readonly<Record<string, Imperfect>> = {
  // Of those that are mended by the letter.
  'a command with two letters swapped': { changes: [[RUN, 'mkdri -p out\n', '']] },
  'a command behind if': { changes: [[RUN, 'raelpath .', 'raelpath . || true']] },
  'a path with two letters swapped': { changes: [['config/vsm.tsv', '', '101\tcp1\n']] },
  'a folder': { changes: [[RUN, 'cd confgi', 'mkdir -p confgi\ncd confgi']] },
  'a variable of the environment': {
    words: 'MENDLOOP_STGAE has to be set in the environment of the stage by a person.',
  },
  'a mistyped end of a here-document': { misquoted: ['EOFF', 'EOFFF'], afterwards: 'right' },
  'CRLF, in a path of a settings file': {
    changes: [['config/web.conf', 'list=config/vms.tsv\r\n', 'list=config/vms.tsv\n']],
    afterwards: [RUN, 'cat "$list"', `cat "\${list%$'\\r'}"`],
  },
  'YAML, an unquoted colon': { changes: [['config/web.yaml', 'careful: this is', 'this is']] },
  'JSON, a missing comma': { words: 'A comma is missing after the name. '.repeat(300) },
  'JSON, comments': { words: '' },

  // Of those that have to be read.
  'a flag of an older version of the tool': { changes: [[RUN, '--dir', '--to']] },
  'a test that is the wrong way round': { changes: [[RUN, 'exit 1', 'exit 0']] },
  'a selector that matches nothing': {
    changes: [SELECTOR, ['manifests/web/policy.yaml', 'app: frontend', 'app: web']],
    afterwards: 'right',
  },
  'a unit that does not exist': { changes: [['manifests/web/deployment.yaml', '512MB', '512M']], afterwards: 'right' },
  'a tag that the registry no longer has': { words: 'A person has to push home/web:1.4.2 to the registry again.' },
  'a template variable renamed in one place only': {
    changes: [['manifests/web/values.conf', 'replica_count=3\n', 'replica_count=3\nreplicas=3\n']],
  },
  'an address range that ends one too early': { changes: [[POOL, 'last=248', 'last=250']] },
  'a port that differs between two files': { changes: [['config/web/server.conf', 'port=8080', 'port=8081']] },
  'a context that the kubeconfig does not have': {
    changes: [['checks/run.sh', '', '#!/usr/bin/env bash\necho fine\n']],
  },
  'a network that is too small': { changes: [['config/web/network.conf', '10.42.0.0/23', '10.42.0.0/16']] },

  // Of the size of real ones.
  'ansible-group-name': { words: 'A person has to add the group k3s_master to the inventory.' },
  'helm-schema': { changes: [['values/cert-manager.yaml', 'crd:\n', 'crd: {}\ncrds:\n']], afterwards: 'right' },
  'kustomize-registered-twice': {
    changes: [['clusters/home/kustomization.yaml', '  - ../../apps/overlays/home/freshrss\n', '']],
  },
  'render-expression': { misquoted: ['DiskFillsUp', 'DiskFull'], afterwards: 'right' },
  'terraform-validation': {
    changes: [['terraform/modules/vm/variables.tf', '[1, 2, 4, 8, 16]', '[1, 2, 4, 6, 8, 16]']],
  },

  // Of those that must be declined.
  'protected: helm-schema': { changes: [['helmfile.yaml', 'atomic: true', 'atomic: false']] },
  'protected: talos-kubespan-level': {
    changes: [['talos/patches/global/network.yaml', '  kubespan:\n    enabled: false\n', '']],
  },
};

const DECLINES = 'No change to these files mends it: a person has to look at what is outside of them.';

/**
 * The answer to one request. `told`: an earlier answer was refused, or an earlier fix did not help. `shown` has the
 * texts of files as they are now, where they may be other than the exam's own.
 */
export function recordedAnswer(
  exam: Exam,
  format: WrittenForm,
  told: boolean,
  shown: Readonly<Record<string, string>> = {},
): string {
  const imperfect = IMPERFECT[exam.name];
  const voice = EXAMS.indexOf(exam);
  const afterwards = told ? imperfect?.afterwards : undefined;
  if (!imperfect && exam.right.length === 0) return DECLINES;
  if (!imperfect || afterwards === 'right') return say(format, [rightOne(exam, shown)], voice);
  if (imperfect.words !== undefined) return imperfect.words;
  if (imperfect.misquoted && !afterwards) return say(format, [misquoted(rightOne(exam), imperfect.misquoted)], voice);
  const changes = afterwards ? [afterwards] : (imperfect.changes ?? []);
  return say(
    format,
    changes.map((change) => saidOf(exam, change)),
    voice,
  );
}

/** Of several files the first that is shown and not mended yet. */
function rightOne({ right, group, name }: Exam, shown: Readonly<Record<string, string>> = {}): Said {
  const isLeft = ({ path, after }: Exam['right'][0]) => path in shown && shown[path] !== after;
  const { path, before, after } = (right.find(isLeft) ?? right[0]) as Exam['right'][0];
  const words = { fix: `correct ${path}`, reason: `the failure comes from ${name}` };
  // Small files are shown whole, and may have changed since.
  return { path, before: group === 'real' ? before : (shown[path] ?? before), after, ...words };
}

const misquoted = (right: Said, [is, said]: readonly [string, string]): Said => ({
  ...right,
  before: right.before.replace(is, said),
});

function saidOf({ files }: Exam, [path, old, now]: Change): Said {
  const before = old === '' ? '' : (files[path] ?? '');
  if (!before.includes(old)) throw new Error(`${JSON.stringify(old)} is not in ${path}`);
  const words = { fix: `change ${path} so that the stage can go on`, reason: 'the log names this place' };
  return { path, before, after: before.replace(old, () => now), ...words };
}
