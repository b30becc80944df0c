// Faults with the words of the tools that met them, without running any: what is certain is mended as it was meant, all else is
// left alone, and why is said.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { REPAIRS } from '../../plugins/executors/known-fixes/repairs.ts';
import { factsOf, MISTAKES, type Mistake } from '../fixtures/mistakes.ts';
import { BROKEN_STAGES } from './broken-stages.ts';
import { judged, mistakesIn } from './mistakes.ts';

const apart = mistakesIn('apart');
const faults = [...mistakesIn('faults'), ...apart.filter(({ fix }) => fix.path !== '')];
const lookAlikes = [...mistakesIn('look-alikes'), ...apart.filter(({ fix }) => fix.path === '')];

test('what is wrong in a fault stands there once', () => {
  for (const { name, files, fix } of faults) assert.is(files[fix.path]?.split(fix.old).length, 2, name);
});

test('a fault that is left to a model is not mended wrongly either', async () => {
  const left = faults.filter(({ trivial }) => trivial === false);
  assert.ok(left.length > 0);
  for (const mistake of left) assert.not.match((await judged(mistake)).verdict, /^wrong/, mistake.name);
});

for (const mistake of faults.filter(({ trivial }) => trivial !== false)) {
  test(`${mistake.name}: mended`, async () => {
    const { verdict, proposal } = await judged(mistake);
    assert.is(verdict, 'mended', JSON.stringify(proposal));
  });
}

for (const mistake of lookAlikes) {
  test(`${mistake.name}: left alone`, async () => assert.is((await judged(mistake)).verdict, 'left alone'));
}

test('every repair mends at least one fault, of these, the recorded ones or the broken stages', async () => {
  const mends = async (name: string) => {
    const all = [...faults, ...MISTAKES];
    const answers = await Promise.all(all.map((mistake) => REPAIRS[name]?.(factsOf(mistake))));
    return answers.some((answer) => answer && 'files' in answer);
  };
  const used = new Set(BROKEN_STAGES.map(({ repair }) => repair));
  for (const name of Object.keys(REPAIRS)) assert.ok(used.has(name) || (await mends(name)), name);
});

test('a fault that is mended is not mended again', async () => {
  for (const mistake of faults) {
    const { proposal } = await judged(mistake);
    const files = { ...mistake.files, ...('files' in proposal ? proposal.files : {}) };
    assert.is((await judged({ ...mistake, files })).verdict, 'left alone', mistake.name);
  }
});

test('of the failures that the whole project is measured with none is mended wrongly, and every trivial one rightly', async () => {
  const verdicts = await Promise.all(MISTAKES.map(async (mistake) => (await judged(mistake)).verdict));
  assert.equal(
    verdicts.filter((verdict) => verdict.startsWith('wrong')),
    [],
  );
  const left = MISTAKES.filter(({ trivial }, i) => trivial && verdicts[i] !== 'mended');
  assert.equal(
    left.map(({ name }) => name),
    [],
  );
});

test('a fault is mended as well among 3,000 other files that its stage may change', async () => {
  const others = Array.from({ length: 3000 }, (_, i) => [`apps/app-${i}/values.yaml`, `image: app-${i}\nport: ${i}\n`]);
  const names = [
    'ansible, a handler',
    'compose, a network',
    'kustomize, a resource',
    'yaml, a bracket that nothing opens',
  ];
  for (const name of names) {
    const mistake = faults.find((one) => one.name === name) as Mistake;
    const files = { ...Object.fromEntries(others), ...mistake.files };
    const stage = { ...mistake.stage, files: ['**'] };
    assert.is((await judged({ ...mistake, files, stage })).verdict, 'mended', name);
  }
});

/** What tools say of a word that they do not know; here it is right, and the fault is elsewhere. */
const SENTENCES: readonly ((word: string) => string)[] = [
  (word) => `fatal: [a]: FAILED! => {"msg": "AnsibleUndefinedVariable: '${word}' is undefined"}`,
  (word) => `ERROR! couldn't resolve module/action '${word}'. This often indicates a misspelling`,
  (word) => `service "x" depends on undefined service "${word}": invalid compose project`,
  (word) => `envsubst error: variable substitution failed: variable not set (strict mode): "${word}"`,
  (word) => `error: strict decoding error: unknown field "spec.${word}"`,
  (word) => `error: no matches for kind "${word}" in version "v1"`,
  (word) => `make: *** No rule to make target '${word}', needed by 'all'.  Stop.`,
  (word) => `error: open ${word}: no such file or directory`,
];
const EVERY_NTH_WORD = 40;

test('a word that is right and stands once is left alone, whatever a tool says of it', async () => {
  const tools = new Map(MISTAKES.map((mistake) => [mistake.tool, mistake]));
  let asked = 0;
  for (const mistake of tools.values()) {
    const { path, old, new: right } = mistake.fix;
    const files = { ...mistake.files, [path]: (mistake.files[path] as string).replace(old, () => right) };
    const words = Object.values(files).flatMap((text) => text.match(/[A-Za-z_][\w./-]{2,}/g) ?? []);
    const once = words.filter((word) => words.indexOf(word) === words.lastIndexOf(word));
    for (const [i, word] of once.entries()) {
      if (i % EVERY_NTH_WORD !== 0) continue;
      const log = SENTENCES[asked++ % SENTENCES.length]?.(word) as string;
      assert.is((await judged({ ...mistake, files, log })).verdict, 'left alone', log);
    }
  }
  assert.ok(asked > 40, `${asked}`);
});

test('when a fault is recognised and nothing is certain, the reason names the words', async () => {
  const passOf = async (name: string) => {
    const { proposal } = await judged(lookAlikes.find((mistake) => mistake.name === name) as Mistake);
    return proposal;
  };
  assert.equal(await passOf('ansible, two variables are near'), {
    pass: '2 names are equally near to proxy_htp_port: proxy_http_port, proxy_htpp_port',
    unsure: true,
  });
  assert.equal(await passOf('ansible, a variable in a file that the stage may not change'), {
    pass: 'caddy_prot stands in shared/site.yml, which this stage may not change',
    unsure: true,
  });
});

test.run();
