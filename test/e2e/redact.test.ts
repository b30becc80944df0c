// A text through the filter, as a person would pipe it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cases } from '../sweep.ts';
import { runHere } from './here.ts';
import { contextMap, ENTRY, environment, folder, type RunOptions, scenario, startProcess } from './scenario.ts';

// Put together here, so that no scanner takes them for real.
const fake = (word: string): string => ['not', word, 'a1B2c3D4e5f6G7'].join('-');
const FORM = /SECRET_[a-z0-9]{8}_\d+_[a-z]+_END/g;
const outside = folder();
const redact = ({ stdin, env }: Pick<RunOptions, 'stdin' | 'env'>, args: string[] = []) =>
  runHere(['redact', ...args], outside, environment(env), { stdin });

const lab = () => {
  const home = scenario({
    'ai/context_map.yaml': contextMap({ a: 'true' }, { carry: ['.env', 'keys/'] }),
    'ai/loop.yaml': 'redact: ["rack-[0-9]+"]\n',
    '.gitignore': '.env\nkeys/\n',
  });
  home.write({ '.env': `CLUSTER=${fake('one')}\n`, 'keys/x.yaml': `password: ${fake('two')}\n` });
  return home;
};

test('carried files, the environment, the form of a secret and the own patterns are masked; the rest stays byte by byte', async () => {
  const stdin = `a ${fake('one')} b\r\n${Buffer.from(`x:${fake('two')}`).toString('base64')}\n${fake('env')} in rack-12\n\nghp_${'a1B2'.repeat(9)}\nübrig\nno end`;
  const done = await lab().run(['redact'], { stdin, env: { LAB_TOKEN: fake('env') } });
  assert.equal([done.exit, done.stderr], [0, '']);
  assert.is(done.stdout.replace(FORM, '*'), 'a * b\r\n*\n* in *\n\n*\nübrig\nno end');
});

test('outside of every repository the environment and the rules still hold; an empty text stays empty', async () => {
  const done = await redact({ stdin: `${fake('env')} password: ${fake('pw')}\n`, env: { LAB_TOKEN: fake('env') } });
  assert.equal([done.exit, done.stdout.replace(FORM, '*')], [0, '* password: *\n']);
  assert.equal(await redact({ stdin: '' }), { exit: 0, stdout: '', stderr: '' });
});

test('a text of many pieces goes through with every line at its place', async () => {
  const lines = Array.from(
    { length: cases(1_500, 40_000) },
    (_, i) => `line ${i} of a log that says nothing but that all is well${i % 1000 === 0 ? ` ${fake('env')}` : ''}`,
  );
  const done = await redact({ stdin: `${lines.join('\n')}\n`, env: { LAB_TOKEN: fake('env') } });
  assert.is(done.exit, 0);
  const out = done.stdout.replace(FORM, fake('env')).split('\n');
  assert.equal([out.length, out.join('\n') === `${lines.join('\n')}\n`], [lines.length + 1, true]);
});

test('it stops without a word when its reader goes away', async () => {
  const endless = `yes 'all is well' | '${process.execPath}' '${ENTRY}' redact | head -1; echo "\${PIPESTATUS[1]}"`;
  const command = ['bash', '-c', endless];
  assert.equal(await startProcess(command, { cwd: outside }).done, { exit: 0, stdout: 'all is well\n0\n', stderr: '' });
});

test('a carried file that does not parse lets nothing out', async () => {
  const home = lab();
  home.write({ 'keys/x.yaml': 'a: [b\nc' });
  assert.equal(await home.run(['redact'], { stdin: 'some text\n' }), {
    exit: 2,
    stdout: '',
    stderr: `error E_REDACT: nothing more is let out: the carried file keys/x.yaml does not parse, so its secrets are not known
  next:  mend keys/x.yaml, or take it out of carry in ai/context_map.yaml
`,
  });
});

test('a pattern that takes for ever lets nothing out', async () => {
  const home = lab();
  home.write({ 'ai/loop.yaml': 'redact: ["(x+)+y"]\n' });
  const done = await home.run(['redact'], { stdin: `${'x'.repeat(60)}\n` });
  assert.equal(done, {
    exit: 2,
    stdout: '',
    stderr: `error E_REDACT: nothing more is let out: a pattern under redact took longer than 1000 ms: (x+)+y
  next:  make it simpler in ai/loop.yaml: no repetition inside of a repetition
`,
  });
});

test('a configuration that is not sound lets nothing out', async () => {
  const home = lab();
  home.write({ 'ai/loop.yaml': 'redact: ["("]\n' });
  const done = await home.run(['redact'], { stdin: 'some text\n' });
  assert.equal([done.exit, done.stdout], [2, '']);
  assert.match(done.stderr, /^error E_CONFIG: ai\/loop\.yaml has a problem\n/);
});

test('words, and a terminal instead of a text, are refused', async () => {
  const next = '  next:  … | mendloop redact, or: mendloop redact <log\n';
  assert.equal(await redact({ stdin: '' }, ['log']), {
    exit: 2,
    stdout: '',
    stderr: `error E_USAGE: redact reads stdin and nothing else\n${next}`,
  });
});

test.run();
