// Answers in careless words: taken where they fit exactly one place of what may be edited, else refused with all that is wrong.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { editsOf } from '../../src/fix/edits-of.ts';
import { filledForms } from '../../src/outbound/answer-format.ts';
import { editableOf, isMended, MISTAKES } from '../fixtures/mistakes.ts';
import { factsOfFix, LATER_STYLES, nextAnswer, STYLES } from '../fixtures/sloppy-answers.ts';
import { cases, fc } from '../sweep.ts';

const TALOS = 'machine:\n  tiem:\n    servers:\n      - time.cloudflare.com\n  kubelet:\n    image: kubelet:v1.31.0\n';
const WORKER = 'machine:\n  type: worker\n  kubelet:\n    image: kubelet:v1.31.0\n';
const FILES: Readonly<Record<string, string>> = {
  'config/talos/all.yaml': TALOS,
  'config/talos/worker.yaml': WORKER,
  'scripts/apply.sh': '#!/usr/bin/env bash\nset -e\nkubctl apply -f app.yaml\necho "done"\n',
  'ai/notes.yaml': 'notes:\n  secret: 1\n',
};
const EDITABLE = Object.keys(FILES).filter((path) => !path.startsWith('ai/'));

const edits = (answer: string) => editsOf(answer, (path) => FILES[path], { editable: EDITABLE });
const after = (answer: string): Record<string, string> | string => {
  const made = edits(answer);
  return made.ok ? Object.fromEntries(made.files.map((file) => [file.path, file.after])) : made.code;
};
const fence = (text: string, info = '') => `\`\`\`${info}\n${text}\n\`\`\`\n`;

const MENDED = { 'config/talos/all.yaml': TALOS.replace('tiem', 'time') };
const KUBECTL = { 'scripts/apply.sh': (FILES['scripts/apply.sh'] as string).replace('kubctl', 'kubectl') };

test('a path that is missing, shortened, elsewhere or inside prose is settled by the lines', () => {
  const hunk = '@@\n machine:\n-  tiem:\n+  time:\n     servers:\n';
  const diff = (path: string) => fence(`--- a/${path}\n+++ b/${path}\n${hunk}`, 'diff');
  for (const path of ['all.yaml', 'talos/all.yaml', 'homelab/config/talos/all.yaml', 'other/all.yaml']) {
    assert.equal(after(diff(path)), MENDED, path);
  }
  assert.equal(after(fence(hunk, 'diff')), MENDED);
  assert.equal(after(`In the file config/talos/all.yaml you have a typo:\n\n${fence(hunk, 'diff')}`), MENDED);
  for (const path of ['../all.yaml', '/etc/all.yaml', 'config//all.yaml', 'nothing.txt']) {
    assert.not.equal(after(diff(path)), MENDED, path);
  }
  assert.is(
    after(fence(`--- a/notes.yaml\n+++ b/notes.yaml\n@@\n-  secret: 1\n+  secret: 2\n`, 'diff')),
    'missing_file',
  );
});

test('the name of a file that may be edited is a path, though it has neither folder nor ending', () => {
  const recipe = 'deploy:\n\tkubctl apply -f app.yaml\n';
  const files: Record<string, string> = { Makefile: recipe, justfile: recipe, 'lab/Makefile': recipe };
  const mend = (answer: string, editable = Object.keys(files)) => {
    const made = editsOf(answer, (path) => files[path], { editable });
    return made.ok ? made.files.map(({ path }) => path).join() : made.code;
  };
  const hunk = '@@\n deploy:\n-\tkubctl apply -f app.yaml\n+\tkubectl apply -f app.yaml';
  const blocks = '<<<<<<< SEARCH\n\tkubctl apply -f app.yaml\n=======\n\tkubectl apply -f app.yaml\n>>>>>>> REPLACE\n';
  const whole = recipe.replace('kubctl', 'kubectl').trimEnd();
  for (const name of ['Makefile', 'justfile', 'lab/Makefile']) {
    for (const above of [name, `\`${name}\``, `**${name}**:`, `File: ${name}`]) {
      for (const change of [blocks, fence(blocks.trimEnd()), fence(hunk, 'diff'), fence(whole, 'make'), fence(whole)])
        assert.is(mend(`${above}\n\n${change}`), name, `${above}\n\n${change}`);
    }
    assert.is(mend(`sed -i 's/kubctl/kubectl/' ${name}\n`), name);
    if (name !== 'lab/Makefile') assert.is(mend(`lab/Makefile\n${blocks}\n${name}\n${blocks}`), `lab/Makefile,${name}`);
  }
  assert.is(mend(`makefile\n${blocks}`), 'ambiguous', 'another name');
  assert.is(mend(`The Makefile is wrong, and so may be the justfile.\n${blocks}`), 'ambiguous', 'prose');
  assert.is(mend(`Makefile\n${blocks}`, ['justfile']), 'justfile', 'it may not be edited');
  const ignored = '.gitignore';
  const list = editsOf(`${ignored}\n${fence('out\nMakefile')}`, (path) => ({ ...files, [ignored]: 'out\n' })[path], {
    editable: [...Object.keys(files), ignored],
  });
  assert.ok(list.ok && list.files.every(({ path, after: text }) => path === ignored && text === 'out\nMakefile\n'));
});

test('an old and a new text are taken in whatever form they are given', () => {
  const [old, now] = ['kubctl apply -f app.yaml', 'kubectl apply -f app.yaml'];
  const answers = [
    JSON.stringify({ path: 'scripts/apply.sh', old, new: now }),
    JSON.stringify({ edits: [{ file: 'apply.sh', search: old, replace: now }] }),
    `Here:\n${fence(JSON.stringify([{ old_string: old, new_string: now }]), 'json')}`,
    fence(`- path: scripts/apply.sh\n  before: ${old}\n  after: ${now}`, 'yaml'),
    `<change file="scripts/apply.sh"><search>${old}</search><replace>\n${now}\n</replace></change>`,
    `<del>${old}</del><ins>${now}</ins>`,
    `scripts/apply.sh\n<<<<<<< HEAD\n${old}\n=======\n${now}\n>>>>>>> fixed\n`,
    `Before:\n${fence(old)}\nAfter:\n${fence(now)}`,
    `The line now:\n${fence(old, 'bash')}\nand as it has to be:\n${fence(now, 'bash')}`,
    `Old: \`${old}\`\nNew: \`${now}\`\n`,
    `In scripts/apply.sh, change\n\n    ${old}\n\nto\n\n    ${now}\n\nThat is how it is spelt.\n`,
    'Replace `kubctl` with `kubectl`.',
    'Use `kubectl apply` instead of `kubctl apply`.',
    'The word "kubctl" should be "kubectl".',
    "sed -i 's/kubctl/kubectl/' scripts/apply.sh",
    fence("sed -i -E 's|^kub(ctl) |kube\\1 |' scripts/apply.sh", 'sh'),
    ':%s/kubctl/kubectl/g',
    '/kubctl/s//kubectl/\nw\nq\n',
    fence(`patch -p1 <<'EOF'\n--- a/scripts/apply.sh\n+++ b/scripts/apply.sh\n@@\n-${old}\n+${now}\nEOF`, 'sh'),
  ];
  for (const answer of answers) assert.equal(after(answer), KUBECTL, answer);
});

test('an excerpt changes what stands between the lines it shares with the file, in whatever column', () => {
  const excerpt = 'machine:\n  time:\n    servers:';
  for (const answer of [
    fence(excerpt),
    fence(`# config/talos/all.yaml\n${excerpt}`),
    `### all.yaml\n${fence(excerpt)}`,
  ]) {
    assert.equal(after(answer), MENDED, answer);
  }
  assert.equal(after(fence('  time:\n    servers:\n      - time.cloudflare.com', 'yaml')), MENDED);
  assert.equal(after(fence('time:\n  servers:\n    - time.cloudflare.com', 'yaml')), MENDED, 'dedented');
  assert.equal(after(fence('# ...\n  time:\n    servers:\n# ... rest unchanged', 'yaml')), MENDED);
});

test('one line that fits but for its indentation is taken; what it has beside it is indented alike', () => {
  const block = (old: string, now: string) =>
    `config/talos/all.yaml\n<<<<<<< SEARCH\n${old}\n=======\n${now}\n>>>>>>> REPLACE\n`;
  assert.equal(after(block('tiem:', 'time:')), MENDED);
  const flat = block('tiem:\nservers:', 'time:\nservers:');
  assert.equal(after(flat), MENDED);
});

test('a whole file may have another first or last line than before', () => {
  const before = 'bad\nsecond\n';
  for (const made of ['good\nsecond\n', 'bad\nlast\n', 'bad\nsecond\nthird\n']) {
    const done = editsOf(`x.txt\n${fence(made.trimEnd())}`, (path) => (path === 'x.txt' ? before : undefined));
    assert.equal(done.ok && done.files.map(({ after: text }) => text), [made], made);
  }
});

test('a whole file may end in more and other lines than before; one that only leaves its end out may not', () => {
  const lines = ['a: 1', 'b: 2', 'c: 3', 'd: 4', 'e: 5', 'f: 6', 'last: line of it'];
  const before = `${lines.join('\n')}\n`;
  const edited = (made: string) =>
    editsOf(`x.yaml\n${fence(made.trimEnd())}`, (path) => (path === 'x.yaml' ? before : undefined));
  const longer = before.replace('last: line of it', 'servers:\n  - 10.0.0.1\n  - 10.0.0.2');
  const done = edited(longer);
  assert.equal(done.ok && done.files.map(({ after: text }) => text), [longer]);
  for (const shorter of [
    before.replace('last: line of it\n', ''),
    before.replace('f: 6\nlast: line of it', 'zones: []'),
  ])
    assert.is(edited(shorter).ok, false, shorter);
});

test('quotes as printers set them are plain ones in a file that has no others', () => {
  const diff = fence('--- a/scripts/apply.sh\n+++ b/scripts/apply.sh\n@@\n-echo “done”\n+echo “all done”\n', 'diff');
  assert.equal(after(diff), { 'scripts/apply.sh': FILES['scripts/apply.sh']?.replace('done', 'all done') });
});

test('what fits two places, or two files, is refused with each of them', () => {
  const both = edits('Replace `v1.31.0` with `v1.31.1`.');
  assert.is(both.ok, false);
  if (both.ok) return;
  assert.is(both.code, 'ambiguous');
  assert.equal(
    both.places?.map(({ path, start, at }) => [path, start + at]),
    [
      ['config/talos/all.yaml', 6],
      ['config/talos/worker.yaml', 4],
    ],
  );
  assert.equal(after('In worker.yaml, replace `v1.31.0` with `v1.31.1`.'), {
    'config/talos/worker.yaml': WORKER.replace('1.31.0', '1.31.1'),
  });
});

test('two ways to mend it are refused; the same change said twice is made once', () => {
  const change = (now: string) => fence(`--- a/scripts/apply.sh\n+++ b/scripts/apply.sh\n@@\n-set -e\n+${now}`, 'diff');
  assert.is(after(`Option 1:\n${change('set -eu')}\nOption 2:\n${change('set -euo pipefail')}`), 'unreadable');
  assert.is(after(`${change('set -eu')}\nor:\n${change('set -euo pipefail')}`), 'unreadable');
  assert.is(after(change('set -eu') + change('set -euo pipefail')), 'ambiguous');
  assert.equal(after(`${change('set -eu')}\nIn short:\n${change('set -eu')}`), {
    'scripts/apply.sh': FILES['scripts/apply.sh']?.replace('set -e', 'set -eu'),
  });
});

test('swapped marks, and lines of another file, are said', () => {
  const reasons = (answer: string): string => {
    const made = edits(answer);
    return made.ok ? 'taken' : made.reasons.join('\n');
  };
  const swapped = fence(
    '--- a/scripts/apply.sh\n+++ b/scripts/apply.sh\n@@\n set -e\n-kubectl apply -f app.yaml\n+kubctl apply -f app.yaml\n',
    'diff',
  );
  assert.match(reasons(swapped), /^scripts\/apply\.sh: you swapped \+ and -, or the file is already as you want it/);
  const wrong = fence(
    '--- a/config/talos/worker.yaml\n+++ b/config/talos/worker.yaml\n@@\n-  tiem:\n+  time:\n',
    'diff',
  );
  assert.match(reasons(wrong), 'config/talos/worker.yaml does not have these lines; config/talos/all.yaml has them');
});

test('words are never taken for the text of a file', () => {
  for (const answer of [
    'I cannot fix this: ask a person.',
    'Note: the key is wrong.\nvalue: unknown',
    '```\nmake: it\nwork: now\n```\n',
    'In scripts/apply.sh, edit the lines\n\n    set -e\n    kubectl apply -f app.yaml\n    echo "done"\n',
  ]) {
    assert.type(after(answer), 'string', answer);
  }
  const one = editsOf('Set the version: 2.0', () => '1.0\n', { editable: ['VERSION'] });
  assert.is(one.ok, false);
});

test('right fixes in careless words are made at the right place or nowhere, and then as the refusal says', () => {
  const few = MISTAKES.filter((_, i) => i % cases(12, 1) === 0);
  const count = { right: 0, refused: 0, later: 0 };
  for (const mistake of few) {
    const facts = factsOfFix(mistake);
    const editable = editableOf(mistake);
    const result = (answer: string) => {
      const made = editsOf(answer, (path) => mistake.files[path], { editable });
      if (!made.ok) return { said: [...made.reasons, ...filledForms('diff', made.places ?? [])].join('\n') };
      const texts = Object.fromEntries(made.files.map((file) => [file.path, file.after]));
      assert.ok(isMended(mistake, texts), `${mistake.name}: ${answer}`);
      return undefined;
    };
    for (const style of Object.values({ ...STYLES, ...LATER_STYLES })) {
      const answer = style(facts);
      if (answer === undefined || /\d+ \| /.test(answer)) continue;
      const first = result(answer);
      count[first ? 'refused' : 'right']++;
      const next = first && nextAnswer(first.said, facts);
      if (next !== undefined && result(next) === undefined) count.later++;
    }
  }
  const all = count.right + count.refused;
  assert.ok(count.right >= all * 0.8, JSON.stringify(count));
  assert.ok(count.later >= count.refused * 0.8, JSON.stringify(count));
});

test('whatever fits in two places of what may be edited is refused', () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  const line = fc.tuple(word, word).map(([key, value]) => `${key}: ${value}`);
  const lines = fc.uniqueArray(line, { minLength: 3, maxLength: 6, selector: (text) => text.split(':')[0] });
  fc.assert(
    fc.property(lines, lines, fc.boolean(), fc.nat(), (part, other, inOneFile, n) => {
      fc.pre(part.every((text) => !other.some((one) => one.split(':')[0] === text.split(':')[0])));
      const at = n % part.length;
      const changed = part.map((text, i) => (i === at ? `${text.split(':')[0]}: changed` : text));
      const [a, b] = [part.join('\n'), other.join('\n')];
      const files: Record<string, string> = inOneFile
        ? { 'a.yaml': `one:\n${a}\ntwo:\n${a}\n`, 'b.yaml': `${b}\n` }
        : { 'a.yaml': `${a}\nend: 1\n`, 'b.yaml': `${a}\n${b}\n` };
      const answers = [
        fence(changed.join('\n')),
        fence(part.map((text, i) => (i === at ? `-${text}\n+${changed[i]}` : ` ${text}`)).join('\n'), 'diff'),
        JSON.stringify({ old: part[at], new: changed[at] }),
        `Replace \`${part[at]}\` with \`${changed[at]}\`.`,
        `s/${part[at]}/${changed[at]}/`,
        `<<<<<<< SEARCH\n${a}\n=======\n${changed.join('\n')}\n>>>>>>> REPLACE\n`,
        `Before:\n${fence(a)}\nAfter:\n${fence(changed.join('\n'))}`,
      ];
      for (const answer of answers) {
        const made = editsOf(answer, (path) => files[path], { editable: Object.keys(files) });
        assert.is(made.ok, false, answer);
      }
    }),
  );
});

test.run();
