// Texts of data files that are commands: what runs them decides how they are judged.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readData } from '../../../src/fix/gate/data.ts';
import { judge, rulesFor, word } from './homelab.ts';

const PACKAGE = '{\n  "scripts": {\n    "lint": "tool lint"\n  }\n}\n';

/** The verdict on one more entry of a package's scripts. */
const addingScript = (path: string, script: string): string => {
  const after = PACKAGE.replace('"tool lint"', `"tool lint",\n    "deploy": "${script}"`);
  return word(judge([{ path, before: PACKAGE, after }], rulesFor(path)));
};

test('the scripts of a package are commands that run: a program that nothing uses yet is asked about', () => {
  for (const path of ['package.json', 'tools/web/package.json']) {
    assert.is(addingScript(path, 'frobnicate now'), 'ask new_program', path);
    assert.is(addingScript(path, 'tool deploy'), 'ask new_work', path);
    assert.is(addingScript(path, 'tool lint --strict'), 'ok', path);
    assert.is(addingScript(path, 'rm -rf /data'), 'destroys', path);
  }
});

test('what is called scripts in another file is a text: it is only stopped for what it would destroy', () => {
  assert.is(addingScript('config/menu.json', 'frobnicate now'), 'ok');
  assert.is(addingScript('config/menu.json', 'rm -rf /data'), 'destroys');
});

test('the line of a value is counted from the file’s first line, also where that is empty', () => {
  for (const above of ['', '\n', '\n# of the lab\n']) {
    const leaves = readData(`${above}[run]\ncommand = "tool lint"\n`, 'toml')?.leaves ?? [];
    assert.equal(
      leaves.map(({ keys, line }) => [keys.join('.'), line]),
      [['run.command', above.split('\n').length + 1]],
    );
  }
});

test.run();
