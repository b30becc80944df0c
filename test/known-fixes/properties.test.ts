// Whatever a file holds: what is sound is left alone, and a repair touches only the lines it is about.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { unixLineEnds } from '../../plugins/executors/known-fixes/crlf.ts';
import { isJson, mendedJson } from '../../plugins/executors/known-fixes/json.ts';
import { REPAIRS } from '../../plugins/executors/known-fixes/repairs.ts';
import { closed, unended, withEnd } from '../../plugins/executors/known-fixes/unended.ts';
import { mendedYaml, readYaml } from '../../plugins/executors/known-fixes/yaml.ts';
import { fc } from '../sweep.ts';
import { factsOf, HEAD, RUN } from './facts.ts';

const value = fc.jsonValue({ maxDepth: 3 });
const name = fc.stringMatching(/^[a-z]{2,6}$/);
const tidy = fc.dictionary(
  name,
  fc.oneof(name, fc.nat(999), fc.array(name, { maxLength: 3 }), fc.dictionary(name, name, { maxKeys: 3 })),
  { minKeys: 2, maxKeys: 5 },
);
const command = fc.constantFrom(
  'echo hi',
  'x=1',
  'if true; then :; fi',
  'cat <<EOF\nx\nEOF',
  'grep -q "a b" "$0"',
  "printf '%s' 'a'",
  '# note',
  '',
);
const script = fc.array(command, { maxLength: 8 }).map((lines) => `${HEAD}${lines.join('\n')}\n`);

/** Numbers of the lines that differ; all of them when there are more or fewer now. */
function changed(before: string, after: string): number[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return old.length === now.length ? old.flatMap((line, i) => (line === now[i] ? [] : [i + 1])) : [Number.NaN];
}

test('sound YAML is left alone', () => {
  fc.assert(fc.property(value, (data) => assert.is(mendedYaml(stringify(data), []), undefined)));
});

test('sound JSON is left alone', () => {
  fc.assert(
    fc.property(value, fc.nat(4), (data, space) => assert.is(mendedJson(JSON.stringify(data, null, space)), undefined)),
  );
});

test('a sound script is left alone by every repair, whatever shells may say of it', async () => {
  const said = fc.constantFrom(
    `${RUN}: line 3: $'\\r': command not found`,
    `${RUN}: line 3: syntax error: unexpected end of file`,
    `${RUN}: line 3: unexpected EOF while looking for matching \`"'`,
    `${RUN}: line 9: warning: here-document at line 3 delimited by end-of-file (wanted \`EOF')`,
    `${RUN}: 3: [[: not found`,
    `${RUN}: line 3: web: unbound variable`,
    `${RUN}: line 3: webb: command not found`,
    'cat: web/list: No such file or directory',
    'error: it failed',
  );
  await fc.assert(
    fc.asyncProperty(script, said, async (text, line) => {
      const facts = factsOf({ files: { [RUN]: text }, said: line, parses: () => true });
      for (const [name, repair] of Object.entries(REPAIRS)) assert.is(await repair(facts), undefined, name);
    }),
  );
});

test('nothing that a log may say makes a repair throw, or change a file that is not the stage’s', async () => {
  const pieces = fc.constantFrom(
    RUN,
    'config/web.yaml',
    ': line 3: ',
    ': 2: ',
    'command not found',
    "$'\\r'",
    'x',
    'No such file or directory',
    'yaml: line 2: ',
    'Permission denied',
    'unbound variable',
    '`"\'',
    '\n',
    ' ',
  );
  const line = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
  const files = fc.record({ [RUN]: fc.string(), 'config/web.yaml': fc.string(), 'config/web.json': fc.string() });
  await fc.assert(
    fc.asyncProperty(files, fc.array(line, { maxLength: 3 }), async (texts, said) => {
      const facts = factsOf({ files: texts, said, class: 'yaml_parse_error', parses: () => true });
      for (const repair of Object.values(REPAIRS)) {
        const answer = await repair(facts);
        const { files = {}, executable = [] } = answer && 'files' in answer ? answer : {};
        for (const path of [...Object.keys(files), ...executable]) assert.ok(path in texts);
      }
    }),
  );
});

test('a mended file is sound, and is not mended again', () => {
  const broken = fc.tuple(tidy, fc.nat(), fc.constantFrom('\t', ' ', '"', ': x: y z')).map(([data, n, noise]) => {
    const lines = stringify(data).split('\n');
    const at = n % lines.length;
    const line = lines[at] as string;
    lines[at] = noise === '"' ? line.replace(/: (\w)/, ': "$1') : noise.startsWith(':') ? line + noise : noise + line;
    return lines.join('\n');
  });
  fc.assert(
    fc.property(broken, (text) => {
      const mended = mendedYaml(text, []);
      if (!mended) return;
      assert.is(readYaml(mended.text).errors.length, 0);
      assert.is(mendedYaml(mended.text, []), undefined);
      assert.ok(changed(text, mended.text).length <= 1, `${text}\n${mended.text}`);
    }),
  );
});

test('one line out of place by a space comes back to where it was, or stays', () => {
  fc.assert(
    fc.property(tidy, fc.nat(), fc.boolean(), (data, n, deeper) => {
      const sound = stringify(data);
      const lines = sound.split('\n');
      const at = n % (lines.length - 1);
      lines[at] = deeper ? ` ${lines[at]}` : (lines[at] as string).replace(/^ /, '');
      const mended = mendedYaml(lines.join('\n'), [at + 1]);
      if (mended) assert.is(mended.text, sound);
    }),
  );
});

test('JSON with trailing commas means what it meant', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(value, { minLength: 1 }), tidy), (data) => {
      const text = JSON.stringify(data, null, 2).replace(/\n([}\]])$/, ',\n$1');
      const mended = mendedJson(text)?.text as string;
      assert.ok(isJson(mended));
      assert.is(JSON.stringify(JSON.parse(mended)), JSON.stringify(data));
    }),
  );
});

test('line ends are all that changes, and only once', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\r', '\n', ' ') }), (text) => {
      const mended = unixLineEnds(text.replace(/\r+\n/g, '\r\n'));
      assert.is(unixLineEnds(mended), mended);
      assert.is(mended.replaceAll('\r', ''), text.replaceAll('\r', ''));
    }),
  );
});

test('the end of a here-document and the end of a quote are one line each', () => {
  fc.assert(
    fc.property(script, fc.constantFrom('  EOF', 'EOFF', 'EOF '), (before, end) => {
      const sound = before.includes('<<EOF') ? `${HEAD}true\n` : before;
      const text = `${sound}cat <<EOF\nx\n${end}\ntrue\n`;
      const open = unended(text);
      const mended = open && withEnd(text, open.opened, open.end);
      assert.equal(changed(text, mended as string), [text.split('\n').length - 2]);
      const quoted = closed(`${sound}echo "a b\n`, '"', 99);
      if (quoted !== undefined) assert.is(changed(`${sound}echo "a b\n`, quoted).length, 1);
    }),
  );
});

test.run();
