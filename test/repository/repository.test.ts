import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Kind, Repository } from '../../src/repository/definition.ts';
import { factsOf, repositoryFromTexts, repositoryOf } from '../../src/repository/repository.ts';

type Texts = Record<string, string>;
const of = (texts: Texts): Repository => repositoryFromTexts(new Map(Object.entries(texts)));
const sorted = (names: ReadonlySet<string> | undefined) => names && [...names].sort();
/** Visible, possible and used names of a kind; 'unknown' where they are not known. */
const seen = (repository: Repository, kind: Kind, from: string, ofKind?: string) =>
  [repository.visible(kind, from, ofKind), repository.possible(kind, from, ofKind), repository.used(kind, from)].map(
    (names) => (names ? [...names].sort().join(' ') : 'unknown'),
  );

test('objects are seen from everywhere, by kind', () => {
  const manifest = (kind: string, name: string) =>
    `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\ndata:\n  k-${name}: x\n`;
  const repository = of({
    'a/1.yaml': manifest('Secret', 's'),
    'b/2.yaml': `${manifest('ConfigMap', 'c')}---\napiVersion: v1\nkind: Pod\nspec: {secretRef: {name: s}, configMapRef: {name: no}}\n`,
  });
  assert.equal(seen(repository, 'object', 'b/2.yaml', 'Secret'), ['s', 's', 'unknown']);
  assert.equal(seen(repository, 'object', 'x'), ['c s', 'c s', 'unknown']);
  const places = repository.places('object', 's').map(({ path, line, of }) => `${path}:${line} ${of}`);
  assert.equal(places, ['a/1.yaml:2 Secret']);
  const computed = of({ 'a.yaml': manifest('Secret', '"{{ x }}"'), 'b.yaml': manifest('ConfigMap', 'c') });
  assert.equal(seen(computed, 'object', 'x', 'ConfigMap'), ['c', 'c', 'unknown']);
  assert.equal(seen(computed, 'object', 'x', 'Secret'), ['', 'unknown', 'unknown']);
  assert.equal(computed.places('object', '*'), []);
});

test('compose: the files of a folder are one project, with what they include; others see what they include', () => {
  const service = (name: string, more = '') =>
    `${more}services:\n  ${name}:\n    image: x\n    depends_on: [u-${name}]\n`;
  const repository = of({
    'm/compose.yaml': service('a', 'include: [../lib/part.yaml]\n'),
    'm/docker-compose.extra.yml': service('b'),
    'm/stack.yaml': service('c'),
    'lib/part.yaml': service('p'),
    'n/compose.yaml': service('d'),
  });
  assert.equal(seen(repository, 'service', 'm/compose.yaml'), ['a b p', 'a b p', 'unknown']);
  assert.equal(seen(repository, 'service', 'm/stack.yaml'), ['c', 'a b c p', 'unknown']);
  assert.equal(seen(repository, 'service', 'n/compose.yaml'), ['d', 'd', 'unknown']);
  const missing = of({ 'compose.yaml': service('a', 'include: [gone.yaml]\n') });
  assert.equal(seen(missing, 'service', 'compose.yaml'), ['a', 'unknown', 'unknown']);
  const env = of({ 'compose.yaml': 'services:\n  a:\n    env_file: gone.env\n' });
  assert.equal(seen(env, 'service', 'compose.yaml'), ['a', 'a', 'unknown']);
});

test('Terraform: the same folder', () => {
  const repository = of({
    'a/x.tf': 'variable "one" {}\n',
    'a/y.tf': 'locals { b = var.two }\n',
    'a/m/z.tf': 'variable "three" {}\n',
  });
  assert.equal(seen(repository, 'terraform', 'a/y.tf'), ['local.b var.one', 'local.b var.one', 'unknown']);
});

test('shell: a script sees what it sources, and a library what all have that source it', () => {
  const repository = of({
    'bin/a.sh': 'source "$(dirname "$0")/../lib/common.sh"\nsource lib/log.sh\nA=1\necho $U',
    'bin/b.sh': '. ../lib/common.sh\nB=1\n',
    'lib/common.sh': 'C=$V\nsource lib/common.sh\nsource ../bin/b.sh\n',
    'lib/log.sh': 'L=1\n',
    'other.sh': 'O=1\n',
  });
  assert.equal(repository.visible('shell-variable', 'other.sh'), new Set(['O']));
  assert.equal(sorted(repository.visible('shell-variable', 'bin/a.sh')), ['A', 'B', 'C', 'L']);
  assert.equal(sorted(repository.visible('shell-variable', 'lib/log.sh')), ['A', 'B', 'C', 'L'], 'a.sh reads it');
  assert.equal(sorted(repository.possible('shell-variable', 'bin/b.sh')), ['A', 'B', 'C', 'L']);
});

test('shell: a name that two sourcers do not share is possible in the library, and not visible', () => {
  const texts: Texts = { 'a.sh': '. ./lib.sh\nA=1\nX=1\n', 'b.sh': '. ./lib.sh\nB=1\nX=1\n', 'lib.sh': 'C=1\necho $X' };
  assert.equal(seen(of(texts), 'shell-variable', 'lib.sh'), ['C', 'A B C X', 'X']);
  assert.equal(seen(of(texts), 'shell-variable', 'a.sh'), ['A C X', 'A C X', 'X']);
});

test('shell: a source that is not here, or that is computed, makes what is possible unknown', () => {
  assert.equal(seen(of({ 'a.sh': '. /etc/os-release\nA=1\n' }), 'shell-variable', 'a.sh'), ['A', 'unknown', 'unknown']);
  assert.equal(seen(of({ 'a.sh': '. "$X/b.sh"\n', 'c/b.sh': 'B=1\n' }), 'shell-variable', 'a.sh').slice(0, 2), [
    'B',
    'B',
  ]);
  const two = { 'a.sh': '. "$X/b.sh"\n', 'c/b.sh': 'B=1\n', 'd/b.sh': 'B=1\n' };
  assert.equal(seen(of(two), 'shell-variable', 'a.sh'), ['', 'unknown', 'unknown']);
  const texts = new Map([
    ['a.sh', 'for f in *; do . "$f"; done\n'],
    ['b.sh', 'B=1\n'],
  ]);
  const isRun = (path: string) =>
    repositoryOf(factsOf(texts, undefined, { executables: [path] })).possible('shell-variable', 'b.sh');
  assert.is(isRun('a.sh'), undefined, 'the loop may read it');
  assert.equal(isRun('b.sh'), new Set(['B']), 'it is started by itself');
  const tasks = { 'b.sh': 'B=1\n', 'roles/a/tasks/main.yml': '- include_vars: "{{ os }}.yml"\n' };
  assert.equal(of(tasks).possible('shell-variable', 'b.sh'), new Set(['B']), 'tasks read no script');
  assert.equal(seen(of({ 'a.sh': 'A=1\n"B=2"\neval x\n' }), 'shell-variable', 'a.sh'), ['A', 'unknown', '']);
});

test('shell: what any file exports is possible in each script, and what it exports may be used anywhere', () => {
  const repository = of({
    'a.sh': 'export A=1\n',
    'b.sh': 'B=1\necho $A "C=1"',
    '.env': 'E=1\n',
    'compose.yaml': 'services:\n  a:\n    image: $D\n',
  });
  assert.equal(seen(repository, 'shell-variable', 'b.sh'), ['B', 'A B C E', 'A']);
  assert.equal(seen(repository, 'shell-variable', 'a.sh'), ['A', 'A E', 'A D']);
});

test('env variables: files of the folder or above and those that are named; all where none can appear', () => {
  const texts = {
    'a/compose.yaml': 'services:\n  x:\n    env_file: ../env/x.env\n',
    'a/.env': 'A=1\n',
    '.env': 'R=1\n',
    'env/x.env': 'X=1\n',
    'b/.env': 'B=1\n',
  };
  assert.equal(seen(of(texts), 'env-variable', 'a/compose.yaml').slice(0, 2), ['A R X', 'A B R X']);
  assert.equal(seen(of({ ...texts, '.gitignore': '.env\n' }), 'env-variable', 'a/compose.yaml').slice(0, 2), [
    'A R X',
    'unknown',
  ]);
});

test('make and just: a file, what it includes, and what includes it; modules below their name', () => {
  const make = of({
    Makefile: 'include mk/*.mk\ninclude mk/a.mk\nx: y\n',
    'mk/a.mk': 'z:\nV = 1\n',
    'sub/Makefile': 'w:\n',
  });
  assert.equal(seen(make, 'target', 'mk/a.mk'), ['x z', 'unknown', 'unknown']);
  const env = of({ Makefile: '-include .env\nx: y\nV = 1\n' });
  assert.equal(seen(env, 'target', 'Makefile'), ['x', 'x', 'unknown']);
  assert.equal(seen(env, 'make-variable', 'Makefile'), ['V', 'unknown', 'unknown']);
  const just = of({
    justfile: "import 'a.just'\nmod b\nv := '1'\nx: b::z\n",
    'a.just': 'y:\n',
    'b/mod.just': 'z: zz\nzz:\nw := "1"\n',
  });
  assert.equal(seen(just, 'target', 'justfile'), ['b::z b::zz x y', 'b::z b::zz x y', 'unknown']);
  assert.equal(seen(just, 'target', 'a.just').slice(0, 1), ['b::z b::zz x y']);
  assert.equal(seen(just, 'target', 'b/mod.just').slice(0, 1), ['z zz']);
  assert.equal(sorted(just.visible('just-variable', 'justfile')), ['v']);
  assert.equal(sorted(just.possible('just-variable', 'justfile')), ['v', 'w']);
});

test('Taskfiles: included tasks below their name, and those of the outermost file behind a colon', () => {
  const file = (task: string, more = '') => `version: "3"\n${more}tasks:\n  ${task}: {}\n`;
  const repository = of({
    'Taskfile.yml': file('x', 'includes:\n  a: ./a\n'),
    'a/Taskfile.yaml': file('y', 'includes:\n  b: b.yml\n'),
    'a/b.yml': file('z'),
  });
  assert.equal(sorted(repository.visible('target', 'Taskfile.yml')), [':a:b:z', ':a:y', ':x', 'a:b:z', 'a:y', 'x']);
  assert.equal(sorted(repository.visible('target', 'a/b.yml')), [':a:b:z', ':a:y', ':x', 'z']);
});

test('handlers: of the role, or of the play and what it includes; all are possible', () => {
  const handler = (name: string) => `- name: ${name}\n  service: {}\n`;
  const repository = of({
    'roles/a/handlers/main.yml': handler('A'),
    'roles/b/handlers/main.yml': handler('B'),
    'roles/c/files/motd.txt': '',
    'site.yml': '- hosts: all\n  handlers:\n    - import_tasks: more/handlers/h.yml\n    - name: S\n  roles: [a]\n',
    'more/handlers/h.yml': handler('H'),
  });
  assert.equal(seen(repository, 'handler', 'roles/a/tasks/main.yml').slice(0, 2), ['A', 'A B H S']);
  assert.equal(seen(repository, 'handler', 'site.yml').slice(0, 2), ['H S', 'A B H S']);
  assert.equal(seen(repository, 'role', 'site.yml'), ['a b c', 'a b c', 'unknown']);
});

test('Ansible variables: the own file and role, all hosts, and groups that every host of the play is in', () => {
  const repository = of({
    'x/ansible.cfg': '',
    'x/group_vars/all.yml': 'a: 1\n',
    'y/playbooks/p.yml': '- hosts: web\n  vars: {b: 1}\n',
    'y/inventory/hosts': '[web]\nn1\n[nas]\nn2\n[lan:children]\nweb\nnas\n',
    'y/group_vars/nas.yml': 'of_nas: 1\n',
    'y/group_vars/lan.yml': 'of_lan: 1\n',
    'y/site.yml': '- hosts: web\n  roles: [a]\n- hosts: nas\n  roles: [b]\n',
    'y/roles/a/defaults/main.yml': 'c: 1\n',
    'y/roles/b/tasks/main.yml': '- ping:\n',
  });
  const all = 'a b c of_lan of_nas';
  assert.equal(seen(repository, 'ansible-variable', 'x/p.yml').slice(0, 2), ['a', all]);
  assert.equal(seen(repository, 'ansible-variable', 'y/playbooks/p.yml').slice(0, 2), ['b of_lan', all]);
  assert.equal(seen(repository, 'ansible-variable', 'y/roles/a/tasks/main.yml').slice(0, 2), ['c of_lan', all]);
  assert.equal(seen(repository, 'ansible-variable', 'y/roles/b/tasks/main.yml').slice(0, 2), ['of_lan of_nas', all]);
  assert.is(seen(repository, 'group', 'x')[0], 'all lan nas ungrouped web');
  assert.is(seen(repository, 'host', 'x')[0], 'localhost n1 n2');
});

test('Python: the file itself, and where it imports all Python files', () => {
  const repository = of({ 'a.py': 'import b\nx = 1\n', 'b.py': 'def y(): pass\n' });
  assert.equal(seen(repository, 'python-name', 'a.py').slice(0, 2), ['b x y', 'b x y']);
  assert.equal(sorted(repository.visible('python-name', 'b.py')), ['y']);
});

test('a file that was not read, and one that will come, make what is possible unknown for its kinds', () => {
  const big = { 'a/x.tf': 'variable "v" {}\n'.repeat(12_001), 'b/y.tf': 'variable "w" {}\n' };
  assert.equal(seen(of(big), 'terraform', 'a/z.tf'), ['', 'unknown', 'unknown']);
  assert.equal(seen(of(big), 'terraform', 'b/z.tf').slice(0, 2), ['var.w', 'var.w']);
  assert.equal(seen(of({ ...big, 's.sh': 'S=1\n' }), 'shell-variable', 's.sh').slice(0, 2), ['S', 'S']);
  const facts = factsOf(new Map([['b/y.tf', big['b/y.tf']]]), { carried: [], written: ['b/made.tf', 'out'] });
  assert.is(repositoryOf(facts).possible('terraform', 'b/y.tf'), undefined);
  assert.equal(repositoryOf(facts).possible('object', 'b/y.tf'), new Set());
  assert.is(repositoryOf({ ...facts, isPartial: true }).possible('object', 'x'), undefined);
});

test('links and folders are in the tree, and an include goes through a link', () => {
  const texts = new Map([
    ['a.sh', '. ./l.sh\n'],
    ['lib/b.sh', 'B=1\n'],
  ]);
  const repository = repositoryFromTexts(texts, new Map([['l.sh', 'lib/b.sh']]));
  assert.equal([repository.tree.linkTarget('l.sh'), repository.tree.isFolder('lib')], ['lib/b.sh', true]);
  assert.equal(repository.visible('shell-variable', 'a.sh'), new Set(['B']));
});

test('what may appear: ignored paths, carried and written ones, and all below them', () => {
  const facts = factsOf(new Map([['.gitignore', 'build/\n']]), {
    carried: ['secrets', './x.env'],
    written: ['out/', 'gen/*.json'],
  });
  const { mayAppear } = repositoryOf(facts);
  for (const path of ['build/a/b', 'build', 'secrets', 'secrets/a', 'x.env', 'out/a/b', 'gen/a.json'])
    assert.ok(mayAppear(path), path);
  for (const path of ['builds', 'a/secrets', 'gen/a.txt', 'src/a']) assert.not.ok(mayAppear(path), path);
});

test('facts go to a thread and come back', () => {
  const facts = factsOf(
    new Map([
      ['a.sh', 'A=1\n'],
      ['b.md', 'x'],
    ]),
  );
  const there = structuredClone(facts);
  assert.equal(there, facts);
  assert.equal(repositoryOf(there).visible('shell-variable', 'a.sh'), new Set(['A']));
});

test.run();
