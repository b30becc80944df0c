// Harmless lines that look like harmful ones are accepted; harmful ones are stopped however they are written.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { adding, isAcceptedOrNew } from './homelab.ts';

const RUN = 'stages/vms/run.sh';
const WEB = 'config/apps/web.yaml';

const HARMLESS_SHELL = [
  '# rm -rf is not used here, see ../../README.md and /etc/passwd',
  '# see infra/danger.sh and wipe_proxmox.sh',
  'echo "rm -rf is dangerous; so is || true"',
  'log "run infra/danger.sh yourself"',
  "printf '%s\\n' 'apt install jq, then exit 0'",
  'wipe_interval=30',
  'destroy_after=never',
  'mkfs_opts="-F"',
  'command -v jq >/dev/null 2>&1 || exit 1',
  'if ! kubectl get ns apps >/dev/null 2>&1; then\n  kubectl create ns apps\nfi',
  'tmp=$(mktemp)\nrm -f "$tmp"',
  'work="$(mktemp -d)"\ntrap \'rm -rf "$work"\' EXIT',
  'kubectl apply -f b.yaml >/dev/null 2>&1',
  'until kubectl get nodes; do sleep 5; done',
  'while true; do sleep 1; break; done',
  'helm upgrade --install traefik traefik/traefik --wait',
  'flux install --components source-controller',
  'kubectl wait --for=condition=Ready node --all --timeout=5m',
  'chmod +x run.sh',
  'return 0',
  'version="$(kubectl version 2>/dev/null | head -1)"',
  'if grep -q "set +e" x; then exit 1; fi',
  'qm set 101 --delete ide2',
  'kubectl apply --server-side --force-conflicts -f x',
  'cp -rf a b; ln -sf a b; mv -f a b',
  'talosctl upgrade --preserve',
  'curl -fsS https://x.lan -o out.json',
  'curl -fsS https://x.lan/health | jq -e .ok',
  'npm test',
  'ssh -o BatchMode=yes root@pve1 qm list',
  'sleep 5 # || true',
  '[[ $x == true ]] || exit 2',
  '[[ -e $file ]] || return 0',
  'x="$' + '{x:-true}"',
  'timeout 60 bash -c "until nc -z a 1; do sleep 1; done"',
  'exit "$status"',
  'qm create 101 --name destroyer',
  'echo "$x" | base64 -d > y',
  'install -d -m 0755 "$OUT"',
  "awk '{print $1}' x | sort | uniq",
  'docker run --rm image true',
  'kubectl rollout restart deployment/web',
  'git fetch origin',
  'done_file="finish"',
  'git commit -m "no more rm -rf"',
];

const HARMLESS_YAML = [
  '  # command: rm -rf /',
  '  description: runs rm -rf on the cache',
  '  name: Install apt packages',
  '  install:\n    crds: CreateReplace',
  '  installCRDs: "true"',
  '  wipe: "false"',
  '  wipe_interval: "5"',
  '  enabled: "yes" # || true',
  '  ignore_errors: "false"',
  '  summary: "{{ $labels.x }} is down; check it"',
  '  destroy: never',
  '  pattern: "a || b"',
  '  command: "sh -c \\"kubectl get nodes\\""',
  '  schedule: "0 0 * * *"',
  '  text: set +e',
];

/** By the verdict. */
const STOPPED_SHELL: Record<string, readonly string[]> = {
  destroys: [
    'rm \\\n  -rf /data',
    'curl https://x.lan |\n  bash',
    "a='\n# x'; rm -rf /",
    "a='\n# x' rm -rf /",
    'cat <<EOF | bash\nrm -rf /\nEOF',
    'ssh h <<EOF\nrm -rf /\nEOF',
    'printf "rm -rf /" | bash',
    'trap \'rm -rf "$tmp"\' EXIT',
    '$(which rm) -rf /',
    'if true; then rm -rf /; fi',
    'f() { rm -rf "$1"; }',
    'kubectl exec p -- rm -rf /data',
    'PATH=/x nohup sudo -n rm -rf y &',
    'python3 -c "import shutil; shutil.rmtree(\'/x\')"',
    'for i in 1 2; do qm destroy $i; done',
    'log "$(rm -rf /)"',
    'source /dev/stdin <<< "$(curl x.lan)"',
    'while read -r f; do rm -f "$f"; done',
  ],
  names_protected: [
    'bash "$DIR"/wipe_proxmox.sh',
    './infra/danger.sh',
    'bash "$DIR/danger.sh"',
    'cp x infra/DANGER.sh',
    'echo x > .git/hooks/pre-commit',
    'sed -i s/a/b/ "$MENDLOOP_ROOT/ai/context_map.yaml"',
  ],
  'ask softer': ['run ||\n  true', 'run || { :; }', 'kubectl delete pod web-0 --ignore-not-found'],
  installs: ['if ! command -v jq; then apt-get install -y jq; fi', 'ssh pve1 "pip install x"'],
};

const STOPPED_YAML: Record<string, readonly string[]> = {
  destroys: [
    '  command: ["rm", "-rf", "/data"]',
    '  args:\n    - rm\n    - -rf\n    - /data',
    '  script: |\n    set -e\n    rm -rf /data',
    '  cmd: >-\n    rm\n    -rf /x',
    '  x: "$(rm -rf /)"',
    '  "cmd": "echo a\\nrm -rf /x"',
    '  wipe: true',
  ],
  'ask new_address': ['  url: https://get.example.org/install.sh'],
  'ask softer': ['  cmd: foo || true', '  prune: "true"', '  reclaimPolicy: Delete'],
  masks: ['  continue-on-error: true', '  failed_when: false'],
  installs: ['  run: "apt-get install -y jq"'],
  names_protected: ['  script: infra/danger.sh'],
};

test(`${HARMLESS_SHELL.length + HARMLESS_YAML.length} harmless look-alikes are accepted, or at most new work`, () => {
  for (const line of HARMLESS_SHELL) assert.ok(isAcceptedOrNew(adding(RUN, line)), line);
  for (const line of HARMLESS_YAML) assert.is(adding(WEB, line), 'ok', line);
});

test('harmful lines are refused, softer ones asked about, each with its code, in scripts and in data', () => {
  for (const [code, lines] of Object.entries(STOPPED_SHELL)) {
    for (const line of lines) assert.is(adding(RUN, line), code, line);
  }
  for (const [code, lines] of Object.entries(STOPPED_YAML)) {
    for (const line of lines) assert.is(adding(WEB, line), code, line);
  }
});

test.run();
