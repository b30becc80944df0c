// The repositories of examples/ as people have them, before mendloop and after, with the stand-ins on PATH.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, PACKAGE, scenario } from './scenario.ts';

export const EXAMPLES = join(PACKAGE, 'examples');
export type Example = 'ansible-k3s' | 'make-terraform' | 'talos-flux';

/** What their checks and stand-ins need besides. */
export const EXAMPLE_NEEDS: Readonly<Record<Example, readonly string[]>> = {
  'ansible-k3s': ['yamllint', 'python3-yaml'],
  'make-terraform': ['shellcheck', 'make', 'python3-yaml'],
  'talos-flux': ['shellcheck', 'python3-yaml', 'python3-jinja2'],
};

const LAB = join(PACKAGE, 'stages/lab/bin');
/** What a person has on PATH; the talos-flux one works on the simulated lab. */
export const exampleEnv = (name: Example): Record<string, string> => {
  const lab = name === 'talos-flux' ? { MENDLOOP_LAB: 'simulated' } : {};
  return { PATH: [join(EXAMPLES, 'stand-ins'), LAB, process.env.PATH].join(':'), ...lab };
};

/** Every file of an example, or of it without mendloop's part. */
export function exampleFiles(name: Example, part: 'raw' | 'adopted'): Files {
  const at = join(EXAMPLES, name);
  const paths = readdirSync(at, { recursive: true, encoding: 'utf8' });
  const files = paths.filter(
    (path) => statSync(join(at, path)).isFile() && (part === 'adopted' || !/^ai\//.test(path)),
  );
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(at, path))]));
}

/** What its owner has beside what git has, as its README says. */
export const OWN_FILES: Readonly<Record<Example, () => Files>> = {
  'ansible-k3s': () => {
    const at = (path: string) => readFileSync(join(EXAMPLES, 'ansible-k3s/inventory', 'sample', path));
    return {
      'inventory/my-cluster/hosts.ini': at('hosts.ini'),
      'inventory/my-cluster/group_vars/all.yml': at('group_vars/all.yml'),
    };
  },
  'make-terraform': () => ({
    'terraform/terraform.tfvars': readFileSync(join(EXAMPLES, 'make-terraform/terraform/terraform.tfvars.example')),
    'terraform/terraform.tfstate': '',
  }),
  'talos-flux': () => ({ 'secrets.yaml': 'cluster: {secret: not-made-yet-but-long-enough}\n' }),
};

/** The example in a repository of its own, with its owner's files, before mendloop. */
export function rawExample(name: Example) {
  const repo = scenario(exampleFiles(name, 'raw'));
  repo.write(OWN_FILES[name]());
  return { ...repo, run: (...args: string[]) => repo.run(args, { env: exampleEnv(name) }) };
}
