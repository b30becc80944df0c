import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileNames } from '../../src/repository/definition.ts';
import { isRead, namesIn } from '../../src/repository/read-file.ts';
import { fc } from '../sweep.ts';
import { defined, included, used } from './names.ts';

const isUnread = ({ defines }: FileNames) => defines.some(({ name, kind }) => name === '*' && kind !== 'host');

test('Kubernetes: objects by kind, and what operators make Secrets of', () => {
  const text = [
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: &app web\n  labels: {name: no}\ndata:\n  a.conf: |\n    kind: Service\n    metadata:\n      name: no\n  B: 1',
    'apiVersion: v1\nkind: Secret\nmetadata: {name: web-secret}\nstringData: {token: x}\ndata:\n  key: y',
    'apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n  name: sealed\nspec:\n  encryptedData:\n    pw: x',
    'apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata:\n  name: ext\nspec:\n  target:\n    name: ext-secret\n    template:\n      data:\n        K: "{{ .x }}"',
    'apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata:\n  name: cert\nspec:\n  secretName: cert-tls',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: *app',
    'apiVersion: v1\nkind: Service\nmetadata:\n  name: "{{ .Release.Name }}-http"',
  ].join('\n---\n');
  assert.equal(defined('apps/web.yaml', text), [
    'object Certificate:cert',
    'object ConfigMap:web',
    'object Deployment:*',
    'object ExternalSecret:ext',
    'object SealedSecret:sealed',
    'object Secret:cert-tls',
    'object Secret:ext-secret',
    'object Secret:sealed',
    'object Secret:web-secret',
    'object Service:*',
  ]);
});

test('Kubernetes: generators define the object', () => {
  const text =
    'configMapGenerator:\n  - name: conf\n    files:\n      - app.yaml=./config/app.dev.yaml\n      - config/b.ini\n    literals: [X=1]\n' +
    'secretGenerator:\n  - name: s\n    envs: [.env]\npatches:\n  - target: {kind: Deployment, name: web}\n    path: p.yaml\n';
  assert.equal(defined('app/kustomization.yaml', text), ['object ConfigMap:conf', 'object Secret:s']);
});

const COMPOSE = `include:
  - other/compose.yaml
  - path: more.yaml
services:
  web:
    image: nginx:\${TAG:-1}
    extends: {file: base.yaml, service: common}
    env_file: [web.env]
    command: echo $$HOME $PORT
    depends_on:
      db: {condition: service_healthy}
    networks:
      back: {aliases: [x]}
    volumes:
      - data:/data
      - ./conf:/conf
      - type: volume
        source: cache
        target: /cache
    secrets: [pw]
    configs:
      - source: conf
        target: /conf
    links: ["db:database"]
    network_mode: service:vpn
  db: {depends_on: [web, cache], networks: [back, front]}
volumes: {data: , cache: {}}
networks:
  back:
    external: true
secrets:
  pw: {file: pw.txt}
configs: {conf: {file: c}}
`;

test('compose: what a project declares, what services use, and what it reads', () => {
  assert.equal(defined('compose.yaml', COMPOSE), [
    'compose-config conf',
    'compose-config pw',
    'network back',
    'network default',
    'service db',
    'service web',
    'volume cache',
    'volume data',
  ]);
  assert.equal(used('compose.yaml', COMPOSE), ['env-variable PORT', 'env-variable TAG']);
  assert.equal(included('compose.yaml', COMPOSE), ['other/compose.yaml', 'more.yaml', 'base.yaml', 'web.env']);
  assert.equal(defined('stack.yml', 'services:\n  a:\n    image: b\n', 'service'), ['service a']);
  assert.equal(
    defined('values.yaml', 'services:\n  a:\n    port: 1\n', 'service'),
    [],
    'no compose file by its name or its services',
  );
});

test('env files: names, also exported and of text that is quoted', () => {
  assert.equal(defined('.env', `A=1\nexport B="\${A}"\n# C=1\r\n\nD_1 = 2\n`, 'env-variable'), [
    'env-variable A',
    'env-variable B',
    'env-variable D_1',
  ]);
  assert.equal(used('x/prod.env', `B=$A\${C:-1}\n# $D\n`), ['env-variable A', 'env-variable C']);
});

const SCRIPT = `#!/usr/bin/env bash
set -euo pipefail # X=1
source "$(dirname "$0")/lib.sh"
. ./env.sh
A=1 B="two words" run --flag C=3
export D=4 E
local -r f="$(G=1 helper "$A")" g
readonly H
for i in 1 2; do j=$i; done
while read -r k l; do :; done < "$file"
arr=(m=1 n)
map[x]=1
function deploy { :; }
check() { return 0; }
if ! o=$(check "\${A:-$p}"); then q=1; fi
case "$r" in a|b) s=1 ;; esac
docker run \\
  T=1
awk '
  U=1
' file
cat <<EOF
V=1 $w
EOF
cat <<-'EOT'
	$no
	EOT
(( x += y ))
: "\${z:=1}"
printf -v pv '%s' 1
`;

test('shell: what a script binds, and nothing in quotes, arguments and here-documents', () => {
  const sure = (text: string) => defined('a.sh', text).filter((one) => !one.endsWith('?'));
  assert.equal(
    sure(SCRIPT),
    'env-variable D,env-variable E,shell-function check,shell-function deploy,'
      .split(',')
      .slice(0, -1)
      .concat('D E H arr i j k l map o pv q s x z'.split(' ').map((name) => `shell-variable ${name}`)),
  );
  const guessed = defined('a.sh', SCRIPT).filter((one) => one.endsWith('?'));
  assert.equal(
    guessed,
    'A B C G T U V X f g m'.split(' ').map((name) => `shell-variable ${name}?`),
  );
});

test('shell: uses wherever they are written; every word that may call a function; includes', () => {
  const variables = used('a.sh', SCRIPT, 'shell-variable').map((one) => one.slice('shell-variable '.length));
  assert.equal(variables, 'A file i no p r w x y z'.split(' '));
  const functions = used('bin/run', `#!/bin/sh\nmain() { :; }\nx=$(one) || two "$(three a)"; main\n`, 'shell-function');
  for (const name of ['main', 'one', 'two', 'three']) assert.ok(functions.includes(`shell-function ${name}`), name);
  assert.equal(used('a.sh', 'fn() { :; }\nfunction other { :; }\n', 'shell-function'), ['shell-function function']);
  assert.equal(included('a.sh', SCRIPT), ['$_dirname_$0_/lib.sh', './env.sh']);
  assert.equal(used('a.sh', `echo \${!ref}`), ['shell-function echo', 'shell-function ref', 'shell-variable *']);
  assert.equal(defined('a.sh', 'eval "$x"'), ['shell-function *', 'shell-variable *']);
  assert.equal(defined('a.sh', 'declare "$name=1"\nread -r "$y"'), ['shell-variable *']);
});

test('shell: quotes that nothing closes cost what they hold, and lines are counted on', () => {
  const line = (text: string, name: string) => namesIn('a.sh', text).defines.find((one) => one.name === name)?.line;
  assert.is(line("a='1\n2'\ncat <<X\n1\n2\nX\nb=1\n", 'b'), 7);
  assert.is(line('a=1 \\\n  b=2\nc=3\n', 'c'), 3);
  assert.ok(
    defined('a.sh', 'a="1\nb=2\n').includes('shell-variable b?') ||
      defined('a.sh', 'a="1\nb=2\n').includes('shell-variable b'),
  );
});

test('make: variables, targets, prerequisites, includes and what calls another target', () => {
  const text = `include common.mk
-include .env other.mk
A := 1
B ?= $(A)
export C = 3
define D
endef
.PHONY: all
all build: dep-one $(OBJ) | dir ## help
	@echo $(B) \${E} $$HOME $(shell ls) $(call fn,1)
	$(MAKE) -C x clean
%.o: %.c
	cc
deploy: F = 1
long: one \\
  two
$(BIN): x
ifeq ($(A),1)
endif
# no: x
export G
`;
  assert.equal(defined('Makefile', text), [
    'env-variable C',
    'env-variable G',
    'make-variable A',
    'make-variable B',
    'make-variable C',
    'make-variable D',
    'make-variable F?',
    'target make:%.o',
    'target make:*',
    'target make:all',
    'target make:build',
    'target make:long',
  ]);
  assert.equal(used('Makefile', text), [
    'make-variable A',
    'make-variable B',
    'make-variable BIN',
    'make-variable E',
    'make-variable MAKE',
    'make-variable OBJ',
    'make-variable fn',
  ]);
  assert.equal(included('x.mk', text), ['common.mk', '.env', 'other.mk']);
});

test('just: variables, recipes, parameters, aliases, imports, modules and what is inserted', () => {
  const text = `import 'lib.just'
mod talos
mod? k8s 'kubernetes/mod.just'
set shell := ["bash", "-c"]
a := "1"
export B := a + env("X")
alias d := deploy

[private]
@deploy host port="8:0" *flags: build (push host "x: y") && notify # c
    echo {{ host }} {{ upper(a) }} {{{{ no }}
    inner: x
build:
_check $node:
`;
  assert.equal(defined('.justfile', text), [
    'env-variable B',
    'env-variable node',
    'just-variable B',
    'just-variable a',
    'just-variable flags',
    'just-variable host',
    'just-variable node',
    'just-variable port',
    'target just:_check',
    'target just:build',
    'target just:d',
    'target just:deploy',
  ]);
  assert.equal(used('.justfile', text, 'just-variable'), ['just-variable a', 'just-variable host']);
  assert.equal(included('.justfile', text), ['lib.just', 'talos:: talos', 'k8s:: kubernetes/mod.just']);
});

test('Taskfiles: tasks, aliases, variables, and includes with the name before their tasks', () => {
  const text = `version: "3"
includes:
  a: ./a
  b: {taskfile: b.yml, flatten: true}
vars: {X: 1}
tasks:
  default:
    deps: [one, {task: "a:two"}]
    aliases: [d]
    vars:
      Y: "{{.X}}"
    requires: {vars: [Z]}
    cmds:
      - task: three
      - echo {{ .Y | default .W }} "{{.TASK}}"
      - for: {var: X, as: I}
        cmd: echo
`;
  assert.equal(defined('Taskfile.yml', text), [
    'target task:d',
    'target task:default',
    'task-variable I',
    'task-variable X',
    'task-variable Y',
    'task-variable Z',
  ]);
  assert.equal(used('Taskfile.yml', text), [
    'task-variable TASK',
    'task-variable W',
    'task-variable X',
    'task-variable Y',
  ]);
  assert.equal(included('Taskfile.yml', text), ['a: ./a', 'b.yml']);
});

test('Terraform: addresses of blocks and of locals', () => {
  const text = `variable "size" {}
variable region {
  default = "no.dot"
}
locals {
  one = { inner = 1 }
  two = [for a_b in var.list : a_b.name]
}
locals { three = 3 }
module "net" { source = "./net" }
data "aws_ami" "base" {}
/* resource "x_y" "no" {}
*/
resource "aws_instance" "web" {
  # var.comment
  ami  = data.aws_ami.base.id
  name = "x-\${var.size}-\${local.one}-aws_no.thing"
  for_each = aws_vpc.main.ids
  value = each.value.x_y.z
  user_data = <<-EOT
    echo \${module.net.id} aws_no.thing
    resource "a_b" "c" {
  EOT
  dynamic "ip_range" {
    content { x = ip_range.value }
  }
}
`;
  assert.equal(defined('a/main.tf', text), [
    'terraform aws_instance.web',
    'terraform data.aws_ami.base',
    'terraform local.one',
    'terraform local.three',
    'terraform local.two',
    'terraform module.net',
    'terraform var.region',
    'terraform var.size',
  ]);
  assert.ok(isUnread(namesIn('a/main.tf.json', '{}')));
});

test('Python: all that is bound, and neither texts nor comments', () => {
  const text = `import os.path as p, sys
from lib.tools import one, two as deux
"""doc = 1
"""
class Thing(Base):
    def run(self, a, *args, b: int = 1,
            c=None) -> None:
        self.size = a  # d = 1
        e, (f, g) = 1, (2, 3)
        h: int = 1
        i += 1
        for k, v in x.items(): pass
        with open(n) as handle: pass
        if (m := a) == 2: print(f"{q} {r!r}", sep="s")
        return lambda t, u=1: t
`;
  const names = defined('a.py', text).map((one) => one.slice('python-name '.length));
  assert.equal(names, 'Thing a args b c deux e f g h handle i k m one p run self size sys t u v'.split(' '));
  assert.equal(defined('a.py', 'from x import *'), ['python-name *']);
});

test('Ansible: variables of plays and tasks, handlers, roles and what conditions use', () => {
  const text = `- name: Play
  hosts: web:!db,node1
  vars: {a: 1}
  vars_files: [vars/x.yml]
  vars_prompt:
    - name: secret
  roles:
    - common
    - role: nginx
      port: 80
    - {role: db, tags: [x]}
  tasks:
    - name: Do
      ansible.builtin.set_fact:
        b: "{{ c | default(d.e) }}"
      register: out
      when: f is defined and g.x == "no" and 'y' in groups['db']
      notify: [Restart, Reload]
      loop: "{{ h }}"
      loop_control: {loop_var: row}
    - block:
        - ansible.builtin.include_role: {name: extra}
    - include_vars: "{{ os }}.yml"
    - add_host: {name: n2, groups: "made, more"}
  handlers:
    - name: Restart
      service: {name: no}
      listen: web changed
`;
  assert.equal(defined('site.yml', text), [
    'ansible-variable a',
    'ansible-variable b',
    'ansible-variable out',
    'ansible-variable port?',
    'ansible-variable row',
    'ansible-variable secret',
    'ansible-variable tags?',
    'group made',
    'group more',
    'handler Restart',
    'handler web changed',
    'host n2',
  ]);
  assert.equal(
    used('site.yml', text, 'ansible-variable').map((one) => one.slice('ansible-variable '.length)),
    'c d f g groups h os'.split(' '),
  );
  const hosts = (text: string) => used('site.yml', text, 'group').map((one) => one.slice('group '.length));
  const of = ['', 'common:', 'db:', 'extra:', 'nginx:'].flatMap((role) =>
    ['db', 'node1', 'web'].map((one) => role + one),
  );
  assert.equal(hosts(text), of.sort(), 'with each role');
  assert.equal(hosts('- hosts: "{{ x }}"\n  roles: [a]\n'), ['*', 'a:*'], 'in no group');
  assert.equal(included('site.yml', text), ['vars/x.yml', '$().yml']);
  assert.equal(defined('roles/a/defaults/main.yml', 'x: 1\ny:\n  z: 2\n'), [
    'ansible-variable x',
    'ansible-variable y',
  ]);
  assert.equal(defined('roles/a/handlers/main.yml', '- name: H\n  service: {name: s}\n'), ['handler H']);
  assert.equal(defined('requirements.yml', 'roles:\n  - name: far.away\n'), ['role far.away?']);
});

test('Ansible: inventories as ini and as YAML, with ranges, and of a plugin', () => {
  const ini = '[web]\nn1 ansible_host=1.2.3.4 # c\nn[2:9]\n[all:children]\nweb\n[web:vars]\nport = 80\n; no\n';
  const names = [
    'ansible-variable ansible_host',
    'ansible-variable port',
    'group all',
    'group all:web?',
    'group web',
    'host *',
    'host n1',
  ];
  for (const path of ['inventory/hosts', 'hosts', 'inventory.ini', 'inventories/prod/hosts.ini'])
    assert.equal(defined(path, ini), names, path);
  const yaml = 'all:\n  children:\n    web:\n      hosts:\n        n1: {port: 1}\n      vars:\n        x: 1\n';
  assert.equal(defined('inventory/hosts.yml', yaml), [
    'ansible-variable port',
    'ansible-variable x',
    'group all',
    'group all:web?',
    'group web',
    'host n1',
  ]);
  assert.equal(defined('inventory/aws.yml', 'plugin: aws_ec2\n', 'host'), ['host *']);
});

test('templates: variables that Jinja uses and sets, and what the file itself is', () => {
  const text = '{% for n in nodes | sort %}\nA={{ n.ip }} {{ lookup("env", x) }}\n{% endfor %}\n{% set y = z %}\n';
  assert.equal(defined('app.env.j2', text, 'env-variable', 'ansible-variable'), [
    'ansible-variable n?',
    'ansible-variable y',
    'env-variable A',
  ]);
  assert.equal(
    used('t/app.conf.j2', text, 'ansible-variable'),
    ['n', 'nodes', 'x', 'z'].map((one) => `ansible-variable ${one}`),
  );
});

test('what no reader knows defines nothing, and what exceeds a bound is marked as unread', () => {
  assert.equal(namesIn('README.md', 'A=1\n'), { defines: [], uses: [] });
  assert.equal(
    [isRead('a.md'), isRead('a.png'), isRead('a.conf.j2'), isRead('bin/tool'), isRead('x.yml')],
    [false, false, true, true, true],
  );
  assert.not.ok(isUnread(namesIn('a.sh', 'a=1\n'.repeat(11_000))));
  assert.ok(isUnread(namesIn('a.sh', 'a=1\n'.repeat(12_000))));
  assert.ok(isUnread(namesIn('a.yaml', `a: ${'x'.repeat(300_000)}`)));
  assert.ok(isUnread(namesIn('a.yaml', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'))));
  for (const path of PATHS) assert.equal(namesIn(path, '').defines, [], path);
});

test('a name that is defined twice is two places, and a use counts once', () => {
  const { defines, uses } = namesIn('a.sh', 'a=1\na=2\necho $a\necho $a\n');
  assert.equal(
    defines.flatMap(({ line, maybe }) => (maybe ? [] : line)),
    [1, 2],
  );
  assert.equal(
    uses.filter(({ kind }) => kind === 'shell-variable').map(({ line }) => line),
    [3],
  );
});

const PATHS = [
  'a.yaml',
  'compose.yaml',
  'Taskfile.yml',
  'roles/a/tasks/main.yml',
  'inventory/hosts',
  'kustomization.yaml',
  'a.sh',
  '.env',
  'Makefile',
  'justfile',
  'a.tf',
  'a.py',
  'x.j2',
  'bin/x',
];

test('no text makes a reader throw', () => {
  const pieces = fc.constantFrom(
    ...[
      '\n',
      '\r\n',
      '\t',
      ' ',
      '  ',
      '- ',
      ': ',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      '{{',
      '}}',
      '{%',
      '%}',
      '$(',
      '${',
      '|',
      '>',
      '&a',
      '*a',
      '#',
      '<<EOF',
      '\\',
      '=',
      'kind',
      'name',
      'metadata',
      '---\n',
      'data:',
      'services:',
      'resource "a" "b" {',
      'def f(',
      'import',
      '(',
      ')',
      '$',
      '`',
      '#!/bin/sh\n',
      '<<: *a',
      '🙂',
      '\0',
    ],
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 60 }).map((list) => list.join('')),
    fc.string({ maxLength: 200 }),
  );
  fc.assert(fc.property(fc.constantFrom(...PATHS), text, (path, given) => Array.isArray(namesIn(path, given).defines)));
});

test('what repeats without an end is read in linear time', () => {
  for (const piece of [
    '"',
    "'",
    '{{ ',
    '${',
    '$(',
    '<<A\n',
    '- ',
    'a: [',
    '{',
    'a=',
    'x ',
    '(',
    'a\\',
    '*',
    ':',
    '{% set ',
    'a, ',
    ' ',
    '\t',
    'x: ',
    '<<',
    'import a, ',
    '&a ',
  ]) {
    for (const path of PATHS) {
      const begin = performance.now();
      namesIn(path, `x${piece.repeat(10_000)}`);
      assert.ok(performance.now() - begin < 1500, `${path} of ${JSON.stringify(piece)}`);
    }
  }
});

test.run();
