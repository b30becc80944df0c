// Data files with a fault that has one certain repair.
import type { BrokenStage } from './broken-stage.ts';

const HEAD = '#!/usr/bin/env bash\nset -euo pipefail\n';
const RUN = 'stages/web/run.sh';
const PYTHON = "python3 -c 'import sys, yaml; list(yaml.safe_load_all(open(sys.argv[1])))' config/web.yaml\n";

/** A stage whose script parses `config/web.yaml`, or `config/web.json`, with the program that is given. */
function data(
  fault: string,
  repair: string | null,
  program: string,
  sound: string,
  broken: string,
  more: Partial<BrokenStage> = {},
): BrokenStage {
  const path = repair === 'json' || program.includes('.json') ? 'config/web.json' : 'config/web.yaml';
  return {
    ...{ fault, repair, command: RUN, files: ['stages/web/', 'config/'] },
    sound: { [RUN]: HEAD + program, [path]: sound },
    broken: { [path]: broken },
    ...more,
  };
}

const WEB =
  'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: prod\n  labels:\n    app: web\nspec:\n  ports:\n    - name: http\n      port: 80\n    - name: https\n      port: 443\n';
const NOTE = 'name: web\nnote: careful: this is the front door of the house\nports:\n  - 80\n';
const quoted = NOTE.replace(
  'careful: this is the front door of the house',
  '"careful: this is the front door of the house"',
);

const PLAIN_JSON = '{\n  "name": "web",\n  "ports": [\n    80,\n    443\n  ]\n}\n';
const JQ = 'jq -e .name config/web.json\n';
const NODE = `node -e 'JSON.parse(require("fs").readFileSync("config/web.json", "utf8"))'\n`;
const PY_JSON = `python3 -m json.tool config/web.json\n`;

export const brokenData: readonly BrokenStage[] = [
  data('YAML, a tab', 'yaml', PYTHON, WEB, WEB.replace('  namespace', '\tnamespace')),
  data('YAML, tabs everywhere', 'yaml', PYTHON, 'a:\n  b:\n    c: 1\n  d: 2\n', 'a:\n\tb:\n\t\tc: 1\n\td: 2\n'),
  data('YAML, one space too many', 'yaml', PYTHON, WEB, WEB.replace('  namespace', '   namespace')),
  data('YAML, one space too few', 'yaml', PYTHON, WEB, WEB.replace('      port: 443', '     port: 443')),
  data('YAML, too deep between its siblings', 'yaml', PYTHON, WEB, WEB.replace('  namespace', '    namespace')),
  data('YAML, an unquoted colon', 'yaml', PYTHON, quoted, NOTE),
  data(
    'YAML, an unquoted # in a list',
    'yaml',
    PYTHON,
    'name: web\nargs: [--issue, "fix #12", now]\n',
    'name: web\nargs: [--issue, fix #12, now]\n',
  ),
  data(
    'YAML, an open quote',
    'yaml',
    PYTHON,
    'name: "web"\nimage: nginx\nports:\n  - 80\n',
    'name: "web\nimage: nginx\nports:\n  - 80\n',
  ),
  data(
    'YAML, an open quote before another one',
    'yaml',
    PYTHON,
    'name: "web"\nimage: "nginx"\nports:\n  - 80\n',
    'name: "web\nimage: "nginx"\nports:\n  - 80\n',
  ),
  data(
    'YAML, a key twice',
    'yaml',
    'kubectl apply -f config/web.yaml\n',
    WEB,
    WEB.replace('  namespace: prod\n', '  namespace: prod\n  namespace: prod\n'),
    {
      mended: { 'config/web.yaml': WEB },
      sound: {
        [RUN]: `${HEAD}node stages/web/parse.mjs config/web.yaml\n`,
        'stages/web/parse.mjs': `import { readFileSync } from 'node:fs';\nconst text = readFileSync(process.argv[2], 'utf8');\nconst keys = text.split('\\n').map((line) => /^(\\s*)([\\w]+):/.exec(line)?.[0]);\nconst at = keys.findIndex((key, i) => key && i > 0 && key === keys[i - 1]);\nif (at > 0) {\n  console.error(\`error: error parsing \${process.argv[2]}: error converting YAML to JSON: yaml: unmarshal errors:\\n  line \${at + 1}: key "\${keys[at].trim().slice(0, -1)}" already set in map\`);\n  process.exit(1);\n}\n`,
        'config/web.yaml': WEB,
      },
    },
  ),
  data(
    'YAML, in the second document',
    'yaml',
    PYTHON,
    `name: web\n---\n${WEB}`,
    `name: web\n---\n${WEB.replace('  namespace', '   namespace')}`,
  ),
  data('JSON, a trailing comma', 'json', JQ, PLAIN_JSON, PLAIN_JSON.replace('443', '443,')),
  data('JSON, a trailing comma, node', 'json', NODE, PLAIN_JSON, PLAIN_JSON.replace(']\n}', '],\n}')),
  data(
    'JSON, comments',
    'json',
    PY_JSON,
    PLAIN_JSON,
    PLAIN_JSON.replace('  "ports"', '  // where it listens\n  "ports"'),
  ),
  data('JSON, a missing comma', 'json', JQ, PLAIN_JSON, PLAIN_JSON.replace('"web",', '"web"')),
];
