// Which files a failure points at: each rule on a small repository of its own.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FailureContext } from '../../src/outbound/context.ts';
import { outOfReach } from '../../src/outbound/out-of-reach.ts';
import type { Evidence } from '../../src/repository/rank/clues.ts';
import { definitionLines } from '../../src/repository/rank/definitions.ts';
import { sourceFinder } from '../../src/repository/rank/made-by.ts';
import { openSearch } from '../../src/repository/rank/rank.ts';
import { factsOf, repositoryOf } from '../../src/repository/repository.ts';
import type { SourceFile } from '../../src/repository/tree.ts';
import { CONTEXT, promptOf } from './failure-context.ts';

const filesOf = (texts: Record<string, string>): SourceFile[] =>
  Object.entries(texts).map(([path, text]) => ({ path, text }));

const suspicion = (files: readonly SourceFile[], evidence: Evidence, tree = files.map(({ path }) => path)) => {
  const search = openSearch(evidence, tree);
  for (const file of files) search.read(file);
  const { places, ...more } = search.ranking();
  return { ranked: places, ...more };
};

const of = (texts: Record<string, string>, error: string, log: readonly string[] = [], command = 'run') =>
  suspicion(filesOf(texts), { error_lines: [error], log: [...log, error], command }, Object.keys(texts));

const first = (...args: Parameters<typeof of>) => of(...args).ranked[0]?.path;

test('a rendered file stands for its template, whatever folder it is rendered to', () => {
  for (const end of ['j2', 'tmpl', 'gotmpl', 'tpl']) {
    const texts = { 'values.yaml': 'a: 1\n', [`src/net/dns.conf.${end}`]: 'x\n', [`src/net/ntp.conf.${end}`]: 'x\n' };
    for (const where of ['build/net/dns.conf', '/tmp/render.x81/net/dns.conf', 'out/dns.conf']) {
      assert.is(first(texts, `${where}:1: bad directive`), `src/net/dns.conf.${end}`, where);
    }
  }
  const { rendered } = of({ 'src/dns.conf.j2': 'x\n' }, 'build/dns.conf:1: bad');
  assert.equal(rendered, [{ written: 'build/dns.conf', from: 'src/dns.conf.j2' }]);
});

test('who refers to a path that does not exist comes before all others, and what is there instead is listed', () => {
  const texts = {
    'apps/a/kustomization.yaml': 'resources:\n  - ./rout.yaml\n',
    'apps/a/route.yaml': 'kind: Route\n',
    'apps/b/kustomization.yaml': 'resources:\n  - ./route.yaml\n',
    'apps/b/route.yaml': 'kind: Route\n',
  };
  const found = of(
    texts,
    "accumulating from './rout.yaml': open /tmp/k-12/apps/a/rout.yaml: no such file or directory",
  );
  assert.is(found.ranked[0]?.path, 'apps/a/kustomization.yaml');
  assert.equal(found.ranked[0]?.named, [2]);
  assert.equal(found.missing[0], {
    path: 'apps/a/rout.yaml',
    folder: 'apps/a',
    listing: ['kustomization.yaml', 'route.yaml'],
    alike: ['apps/a/route.yaml', 'apps/b/route.yaml'],
  });
});

test('the one file that says the words of the error is shown with their line, but not before what they are about', () => {
  const steps =
    'sed "s/@NAME@/$1/" kubeconfig.tmpl > out/kubeconfig\ngrep -q "$1" out/kubeconfig || die "the kubeconfig has no endpoint"\n';
  const texts = { 'kubeconfig.tmpl': 'server: @NAMES@\n', 'lib/steps.sh': steps, 'lib/log.sh': 'die() { exit 1; }\n' };
  for (const before of ['error: ', './run.sh: line 3: ', '[ERROR] ', '']) {
    const { ranked } = of(texts, `${before}the kubeconfig has no endpoint`);
    const [template, said] = ranked;
    assert.equal([template?.path, said?.path, said?.named], ['kubeconfig.tmpl', 'lib/steps.sh', [2]], before);
    assert.ok((said?.score ?? 0) > (template?.score ?? 0) * 0.3, before);
  }
  const twice = of({ 'a.sh': steps, 'b.sh': steps }, 'error: the kubeconfig has no endpoint');
  assert.equal(
    twice.ranked.flatMap(({ named }) => named),
    [],
    'said in two files it points at neither',
  );
});

test('a file that the failing program reads is shown, where that is not one of many', () => {
  const templates = ['a', 'b', 'c', 'd'].map((name) => ({ path: `templates/${name}.j2`, text: '{{ email }}\n' }));
  const files = [...templates, { path: 'vars.yaml', text: 'mail: me@home.arpa\n' }];
  const error_lines = ["scripts/render.py: templates/a.j2 line 1: 'email' is undefined"];
  const failure = { class: 'config_error', error_lines, ended: 'exit code 1' };
  const shows = (program: string) => {
    const readable = [{ path: 'scripts/render.py', text: program }];
    const { text } = promptOf({ files, readable, failure, log: error_lines.join('\n') });
    return text.includes(': file vars.yaml,');
  };
  assert.is(shows('data = load("vars.yaml")\n'), true);
  assert.is(shows('data = load("data.yaml")\n'), false);
  assert.is(
    shows(
      'for path in "vars.yaml", "templates/a.j2", "templates/b.j2", "templates/c.j2", "templates/d.j2": load(path)\n',
    ),
    false,
  );
});

test("a linter's finding names its line by itself, and the words of a parser name no file", () => {
  const texts = {
    'roles/disks/tasks/main.yml': '- name: x\n  bad: y\n',
    'roles/dns/meta/main.yml': 'possible values: [present]\nmapping: {}\n',
  };
  const finding = '  2:6       error    syntax error: mapping values are not allowed here (syntax)';
  const evidence = { error_lines: [finding, 'in roles/disks/tasks/main.yml'], log: [], command: 'yamllint .' };
  const [culprit, other] = suspicion(filesOf(texts), evidence, Object.keys(texts)).ranked;
  assert.is(culprit?.path, 'roles/disks/tasks/main.yml');
  assert.equal(culprit?.named, [2]);
  assert.ok((other?.score ?? 0) < (culprit?.score ?? 0) * 0.3, `${other?.score} of ${culprit?.score}`);
});

test('a file that alone has the name that the error quotes comes before one that only reports it', () => {
  const texts = {
    'lib/load.py': 'zone = zones[host.zone]\n',
    'data/hosts.yaml': 'nas: { zone: garge }\nprinter: { zone: office }\n',
  };
  const log = ['  File "/srv/ai/worktree/lib/load.py", line 1, in load', '    zone = zones[host.zone]'];
  assert.is(first(texts, "KeyError: 'garge'", log), 'data/hosts.yaml');
});

test('the odd one out is suspected: nearly a name that is used elsewhere and that the error misses', () => {
  const texts = {
    'run.sh': 'use "$BACKUP_HOST"\n',
    'lib.sh': 'ping "$BACKUP_HOST"\n',
    'settings.sh': 'BACKUP_DIR=/b\nBACKUPHOST=nas\n',
  };
  const found = of(texts, 'settings: BACKUP_HOST is not set');
  assert.is(found.ranked[0]?.path, 'settings.sh');
  assert.equal(found.near[0]?.places[0], { like: 'BACKUPHOST', path: 'settings.sh', line: 2, count: 1 });
});

test('two hosts are not two spellings of one, and a name that is only another word is not near', () => {
  const { near } = of({ 'hosts.yaml': 'node1: {}\nnode2: {}\nnodal: {}\n' }, "host 'node3' is unknown");
  assert.equal(near, []);
});

test('a name that stands for itself counts before the same word inside a longer one', () => {
  const texts = {
    'base/deployment.yaml': 'name: paperless\nimage: ghcr.io/paperless-ngx/paperless-ngx:2.11\n',
    'home/memory.yaml': 'name: paperless-ngx\nmemory: 1Gi\n',
  };
  const error = 'no resource matches patch "Deployment.v1.apps/paperless-ngx.office"';
  assert.is(first(texts, error), 'home/memory.yaml');
  assert.ok(
    of(texts, error).near.some(({ name, places }) => name === 'paperless-ngx' && places[0]?.like === 'paperless'),
  );
});

test('on which hosts a playbook failed points at no file', () => {
  const texts = { 'inventory.yml': 'hosts: { edge1: {}, edge2: {} }\n', 'site.yml': 'roles: [proxy]\n' };
  const recap = 'edge1                      : ok=1    changed=1    unreachable=0    failed=1';
  const lines = ['on 2 hosts: edge1, edge2', recap];
  const { ranked } = suspicion(filesOf(texts), { error_lines: lines, log: lines, command: 'run' });
  assert.equal(ranked, []);
});

test('a line that the tool repeats from a file points at it', () => {
  const texts = { 'a.yaml': 'x: 1\nports: [80, 443\n', 'b.yaml': 'x: 1\n' };
  const error = 'yaml.parser.ParserError: while parsing a flow sequence';
  const evidence = {
    error_lines: [error],
    log: [error, '  in "<unicode string>"', '    ports: [80, 443'],
    command: 'run',
  };
  assert.is(suspicion(filesOf(texts), evidence).ranked[0]?.path, 'a.yaml');
});

test('a member in an expression of a template is a name of its own, and the words of a result are none', () => {
  const texts = {
    'roles/base/tasks/main.yml': '- debug:\n    msg: hi\n',
    'group_vars/all.yml': 'zones:\n  - name: lan\n    servers: [10.0.0.1]\n  - name: iot\n    upstream: 10.0.0.2\n',
    'roles/dns/templates/unbound.conf.j2': '{% for z in zones %}\n{{ z.servers | join }}\n{% endfor %}\n',
  };
  const error = `fatal: [a]: FAILED! => {"msg": "AnsibleUndefinedVariable: 'dict object' has no attribute 'servers'"}`;
  const { ranked } = of(texts, error);
  assert.equal(
    ranked.map(({ path, score }) => [path, score > 40]),
    [
      ['group_vars/all.yml', true],
      ['roles/dns/templates/unbound.conf.j2', true],
    ],
  );
  assert.is(first({ 'a.yaml': 'image: reg.servers/x\n', 'b.yaml': 'servers: x\n' }, error), 'b.yaml');
});

test('a folder that a script says is none is looked for', () => {
  const { missing } = of({ 'a.env': 'DIR=srv/backups\n', 'srv/backup/x': '' }, 'no folder srv/backups');
  assert.equal(missing[0], { path: 'srv/backups', folder: 'srv', listing: ['backup/'], alike: ['srv/backup'] });
});

test('paths inside the quoted script of sh -c, and in a command of several lines, are paths of the command', () => {
  const texts = { 'steps/one.sh': 'true\n', 'steps/two.sh': 'true\n' };
  const command = `sh -c 'set -e\n"$PWD"/steps/two.sh'`;
  const { ranked } = of(texts, 'it did not work', [], command);
  assert.equal(
    ranked.map(({ path, isRun }) => [path, isRun]),
    [['steps/two.sh', true]],
  );
});

test('a prompt shows five files at most, the likeliest last', () => {
  const files = Array.from({ length: 9 }, (_, i) => ({ path: `conf/f${i}.yaml`, text: `key${i}: 1\n` }));
  const failure = { class: 'unknown', ended: 'exit code 1', error_lines: ['conf/f7.yaml:1: bad'] };
  const { text } = promptOf({ files, failure, log: '' });
  assert.ok((text.match(/: file conf\//g)?.length ?? 0) <= 5);
  assert.match(text, /: file conf\/f7\.yaml, 1 line\]\n1 \| key7: 1\n\[end of data \S+\]\n\n# The failure\n/);
});

test('what may only be read is shown as such, and never as a file to change', () => {
  const readable = [{ path: 'inventory/hosts.yml', text: 'storage:\n  hosts: {}\n' }];
  const files = [{ path: 'site.yml', text: '- hosts: storages\n' }];
  const failure = {
    class: 'unknown',
    ended: 'exit code 1',
    error_lines: ["no group 'storages' in inventory/hosts.yml"],
  };
  const { text } = promptOf({ files, readable, failure, log: '' });
  assert.match(text, 'Names like storages: storage (inventory/hosts.yml line 1)');
  assert.match(text, /: only for reading, inventory\/hosts\.yml, 2 lines\]/);
  assert.not.match(text, /: file inventory/);
});

test('names of the same family as one that is not defined are told, and never offered as what was meant', () => {
  const files = [
    { path: 'roles/k3s/defaults/main.yml', text: 'k3s_version: v1.31\nk3s_token_file: /etc/k3s/token\n' },
    { path: 'roles/k3s/templates/agent.j2', text: 'ExecStart=k3s agent --token-file {{ k3s_token_path }}\n' },
  ];
  const failure = { class: 'unknown', ended: 'exit code 2', error_lines: ["'k3s_token_path' is undefined"] };
  const { text } = promptOf({ files, failure, log: '' });
  assert.match(text, 'Names like k3s_token_path: k3s_token_file (roles/k3s/defaults/main.yml line 2)');
  assert.not.match(text, /^\d+\. .*k3s_token_file/m);
  const twice = [
    { path: 'base/deploy.yaml', text: 'kind: Deployment\nname: jellyfin\n' },
    { path: 'home/patch.yaml', text: 'name: jellyfin-server\n' },
    { path: 'home/kustomization.yaml', text: 'target:\n  name: jellyfin-server\n' },
  ];
  const unmatched = { ...failure, error_lines: ['no matches for Id Deployment.v1.apps/jellyfin-server.[noNs]'] };
  assert.match(
    promptOf({ files: twice, failure: unmatched, log: '' }).text,
    'Names like jellyfin-server: jellyfin (base/deploy.yaml line 2)',
  );
});

test('names that the error has are noted, in a long line too; not those of warnings before it', () => {
  const text = 'a: $MEDIA_ROOT/books\nb: $MEDIA_DIR/films\nc: Caddyfile\n';
  const error = `cannot fill in ['config:/config', 'cache:/cache', '${'x'.repeat(90)}', '\${MEDIA_DIR:?set it}/films:ro'] in service "tv"`;
  const failure = { class: 'unknown', ended: 'exit code 1', error_lines: [error] };
  const log = `warning: 'caddyfile' is not formatted\n${error}\n`;
  const notes = promptOf({ files: [{ path: 'compose.yaml', text }], failure, log }).text.match(/^Names like .*$/gm);
  assert.equal(notes, ['Names like MEDIA_DIR: MEDIA_ROOT (compose.yaml line 1)']);
});

test('a single word is not of the family of a longer name, and a name that is defined needs none', () => {
  const files = [
    { path: 'ansible.cfg', text: 'inventory = hosts.yml\n' },
    { path: 'site.yml', text: 'a: "{{ inventory_hostname }}"\nnet_mtu: 1\nnet_name: x\nb: "{{ net_name }}"\n' },
  ];
  const failure = {
    class: 'unknown',
    ended: 'exit code 2',
    error_lines: ["'inventory_hostname' with 'net_name' failed"],
  };
  assert.not.match(promptOf({ files, failure, log: '' }).text, /^Names like /m);
});

test('a file that the error names and no fix may change is told as what a person has to look at', () => {
  const files = [{ path: 'site.yml', text: '- hosts: all\n' }];
  const failure = { class: 'unknown', ended: 'exit code 1', error_lines: ['inventory/hosts.yml:3: bad indentation'] };
  const { text } = promptOf({ files, failure, log: '', tree: ['site.yml', 'inventory/hosts.yml'] });
  assert.match(
    text,
    'The failure names inventory/hosts.yml, which no fix may change: if only that mends it, a person has to',
  );
});

const YAML_ERROR = 'yaml: line 3: did not find expected key';
const reach = (error: string, texts: Record<string, string>, more: Partial<FailureContext> = {}) =>
  outOfReach(
    {
      ...CONTEXT,
      failure: { class: 'yaml_parse_error', ended: 'exit code 1', error_lines: [error] },
      log: error,
      files: filesOf(texts),
      tree: [...Object.keys(texts), 'inventory/hosts.yml', 'inventory/more.yml', 'scripts/check.sh'],
      ...more,
    },
    (path) => !path.startsWith('inventory/more'),
  );

test('where only closed files are at fault, and nothing that is open is suspected or may lack a name, a failure is out of reach', () => {
  const failure = { class: 'config_error', ended: 'exit code 1' };
  const texts = { 'site.yml': '- hosts: all\n', 'roles/nfs/tasks/main.yml': '- debug:\n' };
  const error = `inventory/hosts.yml: ${YAML_ERROR}`;
  const allow = (paths: string, them = 'it') =>
    `; to let fixes change ${them}, add ${paths} to files of ${CONTEXT.stage.name} in ai/context_map.yaml, commit, then: mendloop reset ${CONTEXT.stage.name}`;
  const inHosts = `the error is in inventory/hosts.yml, which no fix may change${allow('"inventory/hosts.yml"')}`;
  assert.is(reach(error, texts), inHosts);
  assert.is(
    reach('', texts, { failure: { ...failure, error_lines: ['inventory/hosts.yml:3: port must be a number'] } }),
    inHosts,
  );
  assert.is(
    reach(`${error} beside inventory/more.yml`, texts),
    `the errors are in inventory/hosts.yml, inventory/more.yml, which no fix may change${allow('"inventory/hosts.yml"')}`,
  );
  const nothing = { stage: { ...CONTEXT.stage, files: [] } };
  assert.is(
    reach(error, {}, nothing),
    `${CONTEXT.stage.name} has no files that a fix may change${allow('"inventory/hosts.yml"')}`,
  );
  assert.match(reach('it broke', {}, nothing) as string, /; to have it mended, add some to files of /);
  for (const [line, more] of [
    [`site.yml: ${YAML_ERROR}`, {}],
    [`${error}, included from site.yml`, {}],
    [`scripts/check.sh: line 4: ${YAML_ERROR}`, {}],
    [YAML_ERROR, {}],
    ['', { failure: { ...failure, error_lines: ["inventory/hosts.yml:3: 'k3s_token' is undefined"] } }],
  ] as const)
    assert.is(reach(line, texts, more), undefined, line);
});

test('for what an error misses there is one line with all that is defined of its kind', async () => {
  const texts = {
    'apps/web/ingress.yaml':
      'kind: Ingress\nmetadata:\n  name: web\n  annotations:\n    cert-manager.io/cluster-issuer: le-prod\n',
    'infra/ca.yaml': 'kind: ClusterIssuer\nmetadata:\n  name: ca-issuer\n',
    'infra/le.yaml': 'kind: ClusterIssuer\nmetadata:\n  name: letsencrypt-issuer\n',
  };
  const { ranked, names } = of(texts, 'clusterissuer.cert-manager.io "le-prod" not found');
  const facts = factsOf(new Map(Object.entries(texts)));
  const lines = (error: string, of = names) =>
    definitionLines(of, [error], { files: facts.files, visible: repositoryOf(facts).visible }, [ranked[0]?.path ?? '']);
  assert.equal(lines('clusterissuer.cert-manager.io "le-prod" not found'), [
    'ClusterIssuers here: letsencrypt-issuer, ca-issuer',
  ]);
  assert.equal(lines('something "le-prod" not found'), [], 'a kind that nothing says');
  const defined = of(texts, 'ClusterIssuer "ca-issuer" not ready').names;
  assert.equal(lines('ClusterIssuer "ca-issuer" not ready', defined), [], 'a name that is defined');
});

test('what the lines of a likely place refer to belongs to it, from the place that the tool looks it up in', () => {
  const texts = {
    'roles/web/tasks/main.yml':
      '- name: Write it\n  ansible.builtin.template:\n    src: site.conf.j2\n    dest: /etc/x\n',
    'roles/web/templates/site.conf.j2': 'root {{ webroot }};\n',
    'roles/dns/templates/site.conf.j2': 'zone {{ zone }};\n',
    'site.yml': '- hosts: all\n',
  };
  const search = openSearch(
    { error_lines: ['TASK [web : Write it] failed'], log: [], command: 'run' },
    Object.keys(texts),
  );
  for (const file of filesOf(texts)) search.read(file);
  const [first] = filesOf(texts);
  const { places } = search.withLinks(search.ranking(), first ? [first] : []);
  assert.equal(
    places.filter(({ isRun }) => isRun).map(({ path, reasons }) => [path, reasons.at(-1)]),
    [['roles/web/templates/site.conf.j2', 'roles/web/tasks/main.yml refers to it']],
  );
});

test('however many files there are, and wherever the guilty one stands among them, it is ranked first', () => {
  const texts = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`apps/a${i}/app.yaml`, `name: a${i}\n`]));
  const error = 'zz/last.yaml:2: unknown field "replicsa"';
  const { ranked } = of({ ...texts, 'zz/last.yaml': 'a: 1\nreplicsa: 2\n' }, error);
  assert.equal([ranked[0]?.path, ranked[0]?.named], ['zz/last.yaml', [2]]);
});

test('what a needed stage made leads to what it is made from, open or closed', () => {
  const from = 'templates/kubernetes/apps/web/release.yaml.j2';
  const written = 'kubernetes/apps/web/release.yaml';
  const files = [from, 'templates/kubernetes/apps/dns/release.yaml.j2'];
  const makers = [{ stage: 'configure', files, wrote: [] }];
  const error = `${written}: ${YAML_ERROR}`;
  const failure = { class: 'yaml_parse_error', ended: 'exit code 1', error_lines: [error] };
  const tree = ['flux.sh', ...files];
  const open = filesOf({ 'flux.sh': 'flux build\n', [from]: 'kind: HelmRelease\n' });
  const { text } = promptOf({ files: open, failure, log: '', makers, tree });
  assert.match(text, `${written} was made by the stage configure from ${from}\n`);
  assert.match(
    text,
    new RegExp(`: file ${from}, 1 line\\]\n1 \\| kind: HelmRelease\n\\[end of data \\S+\\]\n\n# The failure`),
  );
  const closed = promptOf({ files: open.slice(0, 1), readable: open.slice(1), failure, log: '', makers, tree }).text;
  assert.match(
    closed,
    `${written} was made by the stage configure from ${from}, which no fix of this stage may change`,
  );
  assert.match(closed, `: only for reading, ${from}, 1 lines]`);
  assert.is(
    reach(error, { 'flux.sh': 'flux build\n' }, { makers, tree }),
    `the error is in ${written}, made by configure from ${from}, which no fix of this stage may change; to let fixes change it, add "${from}" to files of ${CONTEXT.stage.name} in ai/context_map.yaml, commit, then: mendloop reset ${CONTEXT.stage.name}`,
  );
});

test('a source is found for what a stage wrote into tracked files, in another folder too, and for nothing else', () => {
  const files = ['src/a/x.conf', 'src/b/x.conf', 'lib/y.yaml.tmpl', 'kubernetes/apps/web/z.yaml'];
  const tree = [...files, 'kubernetes/y.yaml', 'kubernetes/own.yaml', 'README.md'];
  const sourceOf = sourceFinder([{ stage: 'render', files, wrote: ['kubernetes/y.yaml'] }], tree);
  assert.equal(sourceOf('kubernetes/y.yaml'), { written: 'kubernetes/y.yaml', from: 'lib/y.yaml.tmpl', by: 'render' });
  assert.is(sourceOf('build/a/x.conf')?.from, 'src/a/x.conf');
  assert.is(sourceOf('/tmp/render.1/lib/y.yaml')?.from, 'lib/y.yaml.tmpl');
  for (const path of [
    'build/x.conf',
    'kubernetes/own.yaml',
    'kubernetes/aps/web/z.yaml',
    '/usr/lib/a/x.conf',
    'x.conf',
  ])
    assert.is(sourceOf(path), undefined, path);
});

test('a check that fails is not told as a file that a person has to change', () => {
  const error_lines = [
    'build/a.yaml is missing',
    '(the command succeeded; the check `tests/a.sh` failed (exit code 1))',
  ];
  const failure = { class: 'unknown', ended: 'exit code 1', error_lines };
  assert.not.match(promptOf({ failure, log: '', tree: ['tests/a.sh'] }).text, 'which no fix may change');
});

test('a command of several lines keeps its lines', () => {
  const stage = { name: 'vms', command: 'cd terraform\nterraform plan\n' };
  assert.match(promptOf({ stage }).text, /It runs:\n\n {4}cd terraform\n {4}terraform plan\n\nMend it/);
});

test.run();
