// Files outside of git that stages will need: ignored ones in the checkout, and what drafts want. Only paths are written; files
// that may be plain settings are read, to see whether they have a secret in them. Pure.
import { isBelow } from '../worktree/carry.ts';
import { isTracked } from './command-line.ts';
import { baseName, type Draft, folderOf, type Survey } from './survey.ts';

export interface Carried {
  readonly path: string;
  readonly secret: boolean;
  readonly why: string;
}

const MADE_BY_TOOLS =
  /(?:^|\/)(?:node_modules|\.terraform|\.venv|venv|__pycache__|\.cache|\.task|\.idea|\.vscode|\.DS_Store|dist|build|target|tmp|\.tmp|\.pytest_cache|\.mypy_cache|\.ansible|\.direnv|result|clusterconfig|logs?|crash[^/]*\.log)(?:\/|$)|\.(?:log|pyc|swp|bak|tfplan|zip|tgz|iso|qcow2|img)$|example|sample|\.terraform\.lock/i;

/** Ignored files to carry, by path. `unsure`: not a secret if its text has no secret-like key. */
const TABLE: readonly (readonly [RegExp, 'secret' | 'unsure', string])[] = [
  [/(?:^|\/)\.env(?:\.[\w.-]+)?$|\.env$|(?:^|\/)\.secrets?$/, 'secret', 'variables that git does not hold'],
  [/\.tfstate$/, 'secret', 'Terraform state: without it everything would be made anew'],
  [/\.tfvars(?:\.json)?$/, 'secret', 'values for Terraform'],
  [
    /(?:^|\/)(?:kubeconfig[^/]*|[^/]*\.kubeconfig|kube_config[^/]*|talosconfig)$|(?:^|\/)\.kube\/?$/,
    'secret',
    'access to the cluster',
  ],
  [
    /(?:^|\/)(?:age\.key|[^/]*\.agekey|keys\.txt|[^/]*\.age|[^/]*\.key|[^/]*\.pem|id_(?:rsa|ed25519|ecdsa)|[^/]*vault[_-]?pass[^/]*|\.vault[^/]*|[^/]*deploy[_-]?key)$/,
    'secret',
    'a key',
  ],
  [
    /(?:^|\/)secrets?(?:\.\w+)?\/?$|(?:^|\/)[^/]*secrets?\.(?:ya?ml|json|toml)$/,
    'secret',
    'secrets that git does not hold',
  ],
  [
    /(?:^|\/)(?:inventory|inventories|hosts)(?:\.\w+)?\/?$|(?:^|\/)(?:group_vars|host_vars)\//,
    'unsure',
    'hosts and their settings',
  ],
  [
    /(?:^|\/)(?:config|cluster|nodes?|settings|vars|values|ansible)(?:\.\w+)?\.(?:ya?ml|toml|json|ini|cfg)$/,
    'unsure',
    'settings of yours',
  ],
];
const SECRET_KEY = /pass(?:word|wd)?|secret|token|credential|private|_key\b|api_?key|BEGIN [A-Z ]*KEY/i;
const SAMPLE_FOLDER = /(?:^|\/)(?:example|sample)s?$/;
const MAX_CARRIED = 16;

/** `peek`: the text of an ignored file; only searched for secret-like keys. */
export function carriedOf(
  survey: Survey,
  drafts: readonly Draft[],
  peek: (path: string) => string | undefined,
): Carried[] {
  /** The path when the table has it, with what is to be said of it. */
  const listed = (path: string, note = ''): Carried[] => {
    const row = MADE_BY_TOOLS.test(path) ? undefined : TABLE.find(([pattern]) => pattern.test(path));
    return row ? [{ path: path.replace(/\/$/, ''), secret: isSecret(path, row[1]), why: `${row[2]}${note}` }] : [];
  };
  const lying = survey.ignored.flatMap((path) => listed(path));
  const named = survey
    .text('.gitignore')
    .split('\n')
    .map((line) => line.trim().replace(/^\/+|\/+$/g, ''));
  // Where git ignores a whole folder, carry the folder: the variables of an inventory lie beside it.
  const folders = [...survey.ignored.filter((path) => path.endsWith('/')), ...named.map((path) => `${path}/`)];
  /** Tracked examples by the path of the thing itself. */
  const examples = new Map(
    survey.paths.map((path) => [path.replace(/[.-](?:example|sample)\b|\b(?:example|sample)[.-]/, ''), path]),
  );
  /** The tracked folder that its own would be a copy of. */
  const sampleFolder = (file: string): string | undefined =>
    survey.paths
      .filter((path) => baseName(path) === baseName(file) && SAMPLE_FOLDER.test(folderOf(path)))
      .map(folderOf)
      .find((folder) => folder !== folderOf(file) && folderOf(folder) === folderOf(folderOf(file)));
  const wanted = drafts.flatMap(({ wants, name }) =>
    wants.map((file): Carried => {
      const sample = sampleFolder(file);
      const path =
        folders.find(
          (folder) => folder !== '/' && file.startsWith(folder) && !isTracked(survey, folder.slice(0, -1)),
        ) ?? (sample ? `${folderOf(file)}/` : file);
      const row = TABLE.find(([pattern]) => pattern.test(file));
      const isThere = survey.exists(file);
      return {
        path: path.replace(/\/$/, ''),
        secret: isSecret(path, row?.[1] ?? 'unsure'),
        why: isThere
          ? `${row?.[2] ?? 'settings of yours'}, for the stage ${name}`
          : toBeMade(file, name, sample ?? examples.get(file)),
      };
    }),
  );
  const settings = survey.paths.filter((path) => /(?:^|\/)(?:\.envrc|\.?mise\.toml|config\.toml)$/.test(path));
  const ran = [...drafts.map(({ runs }) => runs), ...settings.map((path) => survey.text(path))].join('\n');
  const isExpected = (path: string) => /^[\w./-]+$/.test(path) && ran.includes(baseName(path)) && !isMadeBy(ran, path);
  const expected = named.filter(isExpected).flatMap((path) => listed(path, '; .gitignore names it'));
  // Ignored files of which git has an example.
  const exampled = [...examples].flatMap(([path, example]): Carried[] =>
    path !== example && named.includes(path)
      ? [{ path, secret: true, why: `${example} is an example of it; .gitignore names it` }]
      : [],
  );
  const all = [...new Map([...exampled, ...expected, ...lying, ...wanted].map((one) => [one.path, one])).values()];
  const free = all.filter(({ path }) => !isTracked(survey, path));
  return free
    .filter(({ path }) => !free.some((other) => other.path !== path && isBelow(path, other.path)))
    .slice(0, MAX_CARRIED);

  function isSecret(path: string, kind: 'secret' | 'unsure'): boolean {
    if (kind === 'secret' || path.endsWith('/')) return true;
    const text = peek(path);
    // A file that does not exist yet may get secrets.
    return text === undefined || SECRET_KEY.test(text);
  }
}

const toBeMade = (file: string, stage: string, example: string | undefined): string =>
  file.endsWith('.tfstate')
    ? `Terraform state: made in the worktree it would be lost with it, so before the first run of ${stage}: touch ${file}`
    : `the stage ${stage} wants it, and it is still to be made${example ? `; ${example} is an example of it` : ''}`;

/** Whether a command writes this file itself, so that it need not exist before. */
const isMadeBy = (text: string, path: string): boolean =>
  new RegExp(
    `(?:>|\\bkubeconfig|\\s-o|--output(?:-file)?)[ =]["']?(?:\\S*/)?${baseName(path).replaceAll('.', '\\.')}(?!\\S)`,
  ).test(text);
