// Everything that the pages show is so: commands are run and their output compared, configuration is validated, links lead
// somewhere, commands that are only mentioned exist. `npm run docs` brings the pages up to date.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { parseContextMap, parseLoopConfig } from '../../src/config/parse.ts';
import { formatProblem } from '../../src/config/problem.ts';
import { folder, PACKAGE, write } from '../e2e/scenario.ts';
import { needs } from '../needs.ts';
import { filesHere } from '../this-repository.ts';
import { type Block, blocksOf, commandsOf, isWritten, LANGUAGES, pathOf, readPage } from './pages.ts';
import { sessionTest } from './session-test.ts';
import { NOT_RUN, OTHER_PAGES, SESSIONS } from './sessions.ts';

const PAGES = [...Object.values(SESSIONS).flat(), ...OTHER_PAGES];
const blocks = PAGES.flatMap(blocksOf);
const where = ({ page, line }: Block) => `${page}:${line}`;

test('every page is checked, and every block of it is of a kind that is', () => {
  const tracked = filesHere('*.md');
  const pages = tracked.filter((path) => !/^(?:test|ai|examples)\/|^CHANGELOG\.md$/.test(path));
  assert.equal(pages.sort(), [...PAGES].sort());
  for (const block of blocks) {
    assert.ok(LANGUAGES.includes(block.language), `${where(block)}: ${block.language}`);
    assert.is(
      /^\$ /m.test(block.text),
      block.language === 'console',
      `${where(block)}: commands stand in console blocks`,
    );
    if (['js', 'ts'].includes(block.language))
      assert.ok(
        isWritten(block) || block.page === 'docs/plugins.md',
        'a session, or test/plugin/page.test.ts, loads these',
      );
  }
  const shown = blocks.filter(({ language }) => language === 'console').flatMap(commandsOf);
  for (const [command, reason] of Object.entries(NOT_RUN)) {
    assert.ok(reason && shown.some((each) => each.command === command), `no page has what is not run: ${command}`);
  }
});

for (const name of ['lab', 'small', 'program'] as const) sessionTest(name);

test('configuration on the pages, and what ships, is valid', () => {
  const readers = { 'ai/context_map.yaml': parseContextMap, 'ai/loop.yaml': parseLoopConfig };
  for (const block of blocks.filter(({ language }) => language === 'yaml')) {
    if (/^# yaml-language-server: .*\n$/.test(block.text)) continue;
    const path = pathOf(block) ?? '';
    assert.ok(path in readers, `${where(block)} names the file it is`);
    const parsed = readers[path as keyof typeof readers](block.text, path);
    assert.ok(parsed.ok, `${where(block)}: ${parsed.ok ? '' : parsed.problems.map(formatProblem).join('\n')}`);
  }
});

needs('yamllint')('YAML that we ship or show passes a linter with its default rules: people copy it', () => {
  const shown = blocks.filter(({ language }) => language === 'yaml');
  const files = Object.fromEntries(shown.map((block, index) => [`${index}.yaml`, block.text]));
  const shipped = ['ai/context_map.yaml', 'ai/loop.yaml'];
  for (const path of [...shipped, ...shipped.map((name) => `demo/${name}`)])
    files[path.replaceAll('/', '-')] = readPage(path);
  const dir = folder();
  write(dir, files);
  const linted = spawnSync('yamllint', ['--format', 'parsable', ...Object.keys(files)], { cwd: dir, encoding: 'utf8' });
  const named = linted.stdout?.replace(/^(\d+)\.yaml/gm, (_, index) => where(shown[index] as Block));
  assert.is(linted.status, 0, `${linted.error ?? ''}${named}`);
});

test('every link leads to a file, and to a heading where it names one', () => {
  for (const page of PAGES) {
    for (const [, target = ''] of prose(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https:/.test(target)) continue;
      const [path, heading] = target.split('#');
      const file = path ? join(dirname(page), path) : page;
      assert.ok(existsSync(join(PACKAGE, file)), `${page}: ${target}`);
      if (heading) assert.ok(headings(file).includes(heading), `${page}: ${target}; ${file} has ${headings(file)}`);
    }
  }
});

/** As links name them. */
const headings = (page: string) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

test('every command that a page mentions, there is, with these options', () => {
  const { scripts } = JSON.parse(readPage('package.json'));
  let count = 0;
  for (const page of PAGES) {
    const spans = [...prose(page).matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replace(/\s+/g, ' '));
    const lines = blocksOf(page).flatMap(({ language, text }) =>
      language === 'cron' ? [/mendloop.*/.exec(text)?.[0] ?? ''] : [],
    );
    for (const text of [...spans, ...lines]) {
      const [program, ...words] = text.split(' ');
      if (program === 'mendloop') assert.is(readArguments(words).fault, undefined, `${page}: ${text}`);
      if (program === 'npm' && words[0] === 'run') assert.ok(words[1] && words[1] in scripts, `${page}: ${text}`);
      const [script] = words.flatMap((word) => /\bscripts\/[\w./-]+$/.exec(word)?.[0] ?? []);
      if (program === 'node' && script) assert.ok(existsSync(join(PACKAGE, script)), `${page}: ${text}`);
      if (program === 'mendloop' || program === 'npm') count++;
    }
  }
  assert.ok(count > 60, `only ${count} were found`);
});

/** A page without its blocks. */
const prose = (page: string) => readPage(page).replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');

test.run();
