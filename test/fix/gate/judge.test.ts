// The gate as a whole: which files may be changed and by how much, with which code it refuses, and how it says so.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { editDistance } from '../../../src/fix/gate/judge.ts';
import { editablePaths } from '../../../src/fix/gate/path-rules.ts';
import { edit, FILES, judge, judged, MANIFEST, RULES, rulesFor, SCRIPT, word } from './homelab.ts';

const RUN = 'stages/vms/run.sh';
const changed = SCRIPT.replace('a.yaml', 'b.yaml');

test('a small change of an allowed file is accepted', () => {
  assert.equal(judge([edit(RUN, changed)], RULES), { ok: true, shapes: [] });
  assert.is(judged('config/apps/web.yaml', MANIFEST.replace('a: b', 'a: c')), 'ok');
});

test('nothing, or nothing different, is no change', () => {
  assert.is(word(judge([], RULES)), 'no_change');
  assert.is(judged(RUN, SCRIPT), 'no_change');
});

test('files that may not be touched, each with its code', () => {
  const cases: [string, string][] = [
    ['README.md', 'outside'],
    ['stages/vms/verify.sh', 'protected'],
    ['infra/danger.sh', 'protected'],
    ['INFRA/Danger.sh', 'protected'],
    ['ai/context_map.yaml', 'protected'],
    ['config/carried/key', 'protected'],
    ['config/.env', 'protected'],
    ['config/x.sops.yaml', 'protected'],
    ['config/wipe_all.sh', 'protected'],
    ['config/../README.md', 'bad_path'],
    ['config/apps/link.yaml', 'bad_path'],
    ['config/out/passwd', 'bad_path'],
    ['config/apps', 'bad_path'],
    ['config/app.json/a.yaml', 'bad_path'],
    ['config/APPS/web.yaml', 'missing_file'],
    ['config/apps/WEB.yaml', 'bad_path'],
    ['config/new/a.yaml', 'missing_file'],
    ['stages/vms/run.sh/evil', 'outside'],
    ['stages/vms/new.sh', 'outside'],
    ['Stages/vms/run.sh', 'outside'],
  ];
  for (const [path, code] of cases) assert.is(judged(path, 'a: 1\n'), code, path);
});

test('equal texts are no line apart, and each other line counts', () => {
  assert.equal([editDistance('a\nb', 'a\nb', 9), editDistance('a', 'a\nb', 9), editDistance('a', 'b', 9)], [0, 1, 2]);
});

test('those of some paths that a fix may change', () => {
  const paths = ['stages/vms/run.sh', 'stages/vms/verify.sh', 'config/app.json', 'config/apps/link.yaml', 'README.md'];
  assert.equal(editablePaths(paths, RULES), ['stages/vms/run.sh', 'config/app.json']);
});

test('a reason names the line, in every kind of file', () => {
  const line = (path: string, text: string, old: string, now: string) => {
    const verdict = judge([edit(path, text.replace(old, now), text)], { ...rulesFor(path), unattended: 'repairs' });
    return (verdict.ok ? verdict.ask?.reasons[0] : verdict.reasons[0])?.split(': ')[0];
  };
  assert.is(line('a.toml', 'a = 1\n[env]\nB = "c"\n', 'B =', 'PATH ='), 'a.toml:3');
  assert.is(line('a.yaml', 'kind: A\nspec:\n  prune: false\n', 'false', 'true'), 'a.yaml:3');
  assert.is(line('a.yaml', 'a: 1\nb: |\n  c: 1\n  prune: false\n', 'false', 'true'), 'a.yaml:4');
  assert.is(line('a.yaml', 'a: &x true\nb: 1\n', 'b: 1', 'b: 1\nsuspend: *x'), 'a.yaml:3');
  assert.is(line('a.yml', '- hosts: all\n  tasks:\n    - name: A\n      ping:\n', 'ping:', 'reboot:'), 'a.yml:4');
  assert.is(line('a.tf', 'a {\n  inline = [\n    "log a",\n    "log b",\n  ]\n}\n', 'log b', 'log c'), 'a.tf:4');
  assert.is(line('a.conf', 'a = "b"\nrun = "log it"\n', 'log it', 'log all'), 'a.conf:2');
});

test('what runs unseen is as its owner says: nothing, repairs, or all that hides nothing', () => {
  const asked = (before: string, after: string) =>
    (['none', 'repairs', 'all'] as const).map((unattended) =>
      judged('config/tool.toml', after, { unattended }, before),
    );
  assert.equal(asked('a = 1\n', 'a  =  1\n'), ['ask every_change', 'ok', 'ok'], 'a repair');
  assert.equal(asked('a = "b"\n', 'a = "c"\n'), ['ask every_change', 'ask value', 'ok'], 'a decision');
  assert.equal(asked('a = 1\nb = 2\n', 'a = 1\n'), ['ask every_change', 'ask removed', 'ask removed'], 'what goes');
  assert.equal(asked('a = "b"\n', 'a = "https://b.example"\n'), ['ask every_change', 'ask address', 'ask address']);
});

test('what the owner protects stays protected where a stage lists it', () => {
  const allow = ['**'];
  for (const path of ['infra/danger.sh', 'ai/x', '.git/config', 'stages/vms/verify.sh', '.github/workflows/a.yml']) {
    assert.is(judged(path, 'x\n', { allow }), 'protected', path);
  }
});

test('a new file needs a pattern that covers it and a folder that is there', () => {
  assert.is(judged('config/apps/new.yaml', MANIFEST), 'ask new_file');
  assert.is(judged('config/new/new.yaml', MANIFEST), 'missing_file');
  assert.is(judged('stages/vms/other.sh', SCRIPT), 'outside');
});

test('a file whose name has brackets is allowed by that name', () => {
  const path = 'config/[a].yaml';
  assert.is(word(judge([edit(path, 'b: 1\n', 'a: 1\n')], rulesFor(path))), 'ok');
});

test('only a script that is there can be made executable, and that alone is a change', () => {
  const asked = (path: string, before: string | null, after: string) =>
    word(judge([{ path, before, after, executable: true }], RULES));
  assert.is(asked(RUN, SCRIPT, SCRIPT), 'ok');
  assert.is(asked('config/apps/web.yaml', MANIFEST, MANIFEST), 'unsupported');
  assert.is(asked('config/apps/new.sh', null, SCRIPT), 'unsupported');
});

test('too many files, too many lines, too large', () => {
  const two = [edit(RUN, changed), edit('config/apps/web.yaml', `${MANIFEST}  c: d\n`)];
  assert.is(word(judge(two, RULES)), 'too_many_files');
  assert.is(word(judge(two, { ...RULES, maxFiles: 2 })), 'ok');
  assert.is(
    word(judge([two[0] ?? edit('', ''), edit(RUN, `${SCRIPT}x\n`)], { ...RULES, maxFiles: 2 })),
    'bad_path',
    'one file twice',
  );
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `  k${i}: v\n`).join('');
  assert.is(judged('config/apps/web.yaml', MANIFEST + lines(100)), 'ok');
  assert.is(judged('config/apps/web.yaml', MANIFEST + lines(101)), 'too_many_lines');
  assert.is(judged('config/apps/web.yaml', `${MANIFEST}# ${'x'.repeat(1024 * 1024)}\n`), 'too_large');
  assert.is(judged('config/apps/web.yaml', `${MANIFEST}# ${'x'.repeat(4_001)}\n`), 'too_large');
});

test('a change counts by what someone has to read: removed and added lines, moved ones too', () => {
  const before = Array.from({ length: 60 }, (_, i) => `k${i}: v\n`);
  const text = before.join('');
  const back = [...before].reverse().join('');
  const rule = { ...RULES, maxLines: 50 };
  assert.is(word(judge([edit('config/apps/web.yaml', back, text)], rule)), 'too_many_lines');
  const moved = [...before.slice(1), ...before.slice(0, 1)].join('');
  assert.is(word(judge([edit('config/apps/web.yaml', moved, text)], { ...RULES, maxLines: 2 })), 'ok');
  assert.is(word(judge([edit('config/apps/web.yaml', moved, text)], { ...RULES, maxLines: 1 })), 'too_many_lines');
});

test('an encrypted file is refused by its content, whatever it is called', () => {
  const sops = 'a: ENC[AES256_GCM,data:x]\nsops:\n  mac: ENC[AES256_GCM,data:y]\n';
  assert.is(judged('config/apps/web.yaml', sops.replace('data:x', 'data:z'), {}, sops), 'protected');
  assert.is(judged('config/apps/web.yaml', sops), 'protected', 'nor made');
});

test('text that no eye sees as it is', () => {
  for (const hidden of ['\0', '\u001b[2K', '\u202e', '\u2066', '\u200b', 'a\rb', '\u0085']) {
    assert.is(judged(RUN, SCRIPT.replace('log done', `log ${hidden}done`)), 'unsafe_text', JSON.stringify(hidden));
  }
  assert.is(judged(RUN, SCRIPT.replace('log done', 'log schön🚀')), 'ok');
  const dos = SCRIPT.replaceAll('\n', '\r\n');
  assert.is(word(judge([edit(RUN, dos.replace('a.yaml', 'b.yaml'), dos)], RULES)), 'ok', 'a file with CRLF');
});

test('a refusal names every place of its family, with file, line, why and the line itself', () => {
  const after = SCRIPT.replace('log done', 'zpool destroy tank\nkubectl delete ns apps\nlog done');
  assert.equal(judge([edit(RUN, after)]), {
    ok: false,
    code: 'destroys',
    reasons: [
      'stages/vms/run.sh:10: destroys: zpool destroy tank',
      'stages/vms/run.sh:11: destroys: kubectl delete ns apps',
    ],
  });
  assert.equal(judge([edit('README.md', '# x\n'), edit('ai/x', '')], { ...RULES, maxFiles: 1 }), {
    ok: false,
    code: 'outside',
    reasons: [
      'README.md: only these may be changed: stages/vms/run.sh, config/',
      "ai/x: it is the loop's own files, which no fix may change",
    ],
  });
});

test('a path that hides something is shown escaped', () => {
  const verdict = judge([edit('config/a\u202eb', 'x\n')], RULES);
  assert.match(verdict.ok ? '' : (verdict.reasons[0] ?? ''), /^"config\/a/);
  assert.is(FILES['config/a\u202eb'], undefined);
});

test.run();
