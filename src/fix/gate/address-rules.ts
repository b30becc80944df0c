// Addresses that the repository does not know: wherever a change names a host, an account on a host of many or a registry, something
// may be fetched from there, sent there or run.
import { assignmentsOf } from '../shell/unwrap.ts';
import { type Address, addressesIn, addressNames, imageAddress, isPrivate, publicIps } from './addresses.ts';
import { Arguments } from './arguments.ts';
import type { Leaf } from './data.ts';
import type { Change, Fact } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import type { Knows } from './rules.ts';
import { shownWords } from './shown.ts';
import { isTalk } from './work.ts';

/** An address as it is named. `words`: where, for people. */
interface Mention {
  readonly addresses: readonly Address[];
  readonly line: number;
  readonly words: string;
}

export function addressFindings(change: Change, knows: Knows): Finding[] {
  const { path, before } = change;
  const isNew = (one: Address): boolean =>
    !isPrivate(one) &&
    // Of an account only the whole name counts; below a host's domain there are others.
    !addressNames(one).some((name) => knows(name) || (one.account === undefined && before?.includes(name)));
  const mentions = [...inCommands(change), ...inData(change), ...inLines(change)];
  const unknown = mentions.flatMap(({ addresses, line, words }): Finding[] => {
    const first = addresses.find(isNew);
    if (!first) return [];
    const name = first.account === undefined ? first.host : `${first.host}/${first.account}`;
    return [asks('new_address', path, line, `reaches ${name}, which nothing here uses yet`, words)];
  });
  return [...unknown, ...namedElsewhere(change)];
}

const named = (host: string | undefined): Address[] => (host === undefined ? [] : [{ host: host.toLowerCase() }]);

function inCommands({ added }: Change): Mention[] {
  // What is only said reaches nobody, unless another command or a file gets it.
  const isSaid = ({ program, redirects, around }: Fact) =>
    isTalk(program) && redirects.length === 0 && !around.some(({ kind }) => kind === 'piped');
  return added
    .filter((fact) => fact.role !== 'maybe' && !(isSaid(fact) && assignmentsOf(fact).length === 0))
    .map((fact) => {
      const given = assignmentsOf(fact).flatMap(({ values }) => values);
      const texts = [...fact.args, ...given].map(({ text }) => text).join(' ');
      const addresses = [...addressesIn(`${texts} ${bareHosts(fact).join(' ')}`), ...imagesIn(fact)];
      return { addresses, line: fact.line, words: shownWords(fact) };
    });
}

/** What curl and wget take for addresses without a scheme. */
const bareHosts = ({ program, args }: Fact): string[] =>
  /^(?:curl|wget)$/.test(program)
    ? new Arguments(args).operands
        .filter((word) => /^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(word) && !/\.(?:ya?ml|json|txt|sh|tgz|gz)$/.test(word))
        .map((word) => `https://${word}`)
    : [];

function imagesIn({ program, args }: Fact): Address[] {
  const given = new Arguments(args);
  if (/^(?:kubectl|k)$/.test(program))
    return [imageAddress(given.value(/^--image$/) ?? '')].flatMap((one) => one ?? []);
  if (!/^(?:docker|podman|nerdctl|crictl)$/.test(program) || !given.verb(/^(?:run|pull|create)$/, 2)) return [];
  const isImage = (word: string) => /^[\w.-]+(?::\d+)?(?:\/[\w.-]+)+(?:[:@]\S+)?$|^[a-z][\w.-]+:[\w.-]+$/.test(word);
  const image = given.operands.slice(1).find(isImage);
  return image === undefined ? [] : [imageAddress(image)].flatMap((one) => one ?? []);
}

const IMAGE_KEY = /^(?:image|imageName|newName|containerImage|baseImage|sandbox_image|pause_image)$|_image$/i;
/** A registry with an account there, under its name. */
const REGISTRY_VALUE = /^(?:\w*_)?(?:registry|repository|image_?repo)=(?:[\w-]+\.)+[a-z]{2,}\/[\w./-]+$/i;
/** The host of an image whose name only a template tells. */
const TEMPLATED_IMAGE = /^((?:[\w-]+\.)+[a-z]{2,})(?::\d+)?\/.*(?:\{\{|\$\{|\ue000)/i;
/** What ends a name on the internet, and no file. */
const TOP = '(?:com|net|org|info|dev|app|cloud|xyz|site|online|example|io)';
/** A value that is a host on the internet, and nothing else; endings of files are no countries. */
const HOST = new RegExp(
  `^((?:[a-z0-9-]+\\.){1,6}(?:${TOP}|(?!(?:sh|py|js|ts|tf|go|rs|pl|md|so|cc|gz|xz|db|j2)\\b)[a-z]{2}))(?::\\d+)?$`,
  'i',
);

/** Keys by which something is called, not reached. */
const OWN_NAME = /^(?:name|apiGroups?|group|(?:host|domain)(?:name)?s?|dnsNames|commonName|sni|fqdn)$/i;

function inData({ addedLeaves, now }: Change): Mention[] {
  return addedLeaves
    .filter(({ keys }) => keys.at(-1) !== '$schema')
    .map((leaf) => {
      const key = leaf.keys.at(-1) ?? '';
      const addresses = [
        ...addressesIn(sourceText(leaf)),
        ...imageIn(leaf),
        ...(now.language === 'hcl' && key === 'source' ? sourceAddress(leaf.value) : []),
        ...(OWN_NAME.test(key) ? [] : named(HOST.exec(leaf.value)?.[1])),
      ];
      return { addresses, line: leaf.line, words: `${key}: ${leaf.value}` };
    });
}

/** `${NAME:-text}` is `text` unless somebody says otherwise. */
const withDefaults = (value: string): string => value.replace(/\$\{\w+:?-([^${}]*)\}/g, '$1');

/** The value without its comments; npm takes `owner/repository` for one at GitHub. */
function sourceText({ keys, value }: Leaf): string {
  const isPackage = /ependencies$/.test(keys.at(-2) ?? '') && /^[\w-]+\/[\w.-]+(?:#\S*)?$/.test(value);
  return isPackage ? `github:${value}` : withDefaults(value).replace(/^\s*#.*$/gm, '');
}

function imageIn({ keys, value: written }: Leaf): Address[] {
  const key = keys.at(-1) ?? '';
  const value = withDefaults(written);
  const isImage =
    IMAGE_KEY.test(key) || (key === 'repository' && keys.includes('image')) || REGISTRY_VALUE.test(`${key}=${value}`);
  const image = isImage ? imageAddress(value) : undefined;
  return image ? [image] : named(isImage ? TEMPLATED_IMAGE.exec(value)?.[1] : undefined);
}

/** Where Terraform gets a module or provider. */
function sourceAddress(value: string): Address[] {
  if (/^[./]|:\/\/|^(?:hashicorp|terraform-aws-modules)\//.test(value)) return [];
  const [host = '', account = ''] = value.split('/');
  return [host.includes('.') ? { host, account } : { host: 'registry.terraform.io', account: host }];
}

/** A host with its port, in whatever language. */
const WITH_PORT = /(?:^|[\s"'=@(])((?:[a-z0-9-]+\.){1,6}[a-z]{2,}):\d{2,5}(?![\w.])/gi;
/** A variable that is a host on the internet. */
const SET_TO = new RegExp(
  `^\\s*(?:(?:export|ARG|ENV|readonly|local)\\s+)?[A-Z_][\\w.]*\\s*[:?+]?=\\s*["']?((?:[a-z0-9-]+\\.){1,6}${TOP})["']?\\s*$`,
  'i',
);
/** Numbers with three dots that are a version. */
const VERSION = /\b(?:tag|version|image)\b/i;

function inLines({ lines, now: { language } }: Change): Mention[] {
  return lines.added
    .filter(({ text }) => !/^\s*(?:#(?!\s*syntax\s*=)|\/\/)/.test(text))
    .map(({ text, number }) => ({
      addresses: [
        ...(VERSION.test(text) ? [] : publicIps(text).map((host) => ({ host }))),
        ...[...text.matchAll(WITH_PORT)].flatMap(([, host]) => named(host)),
        ...named(SET_TO.exec(text)?.[1]),
        // Of the others, data and commands are read as what they are.
        ...(/^(?:program|make|docker|settings|just)$/.test(language) ? addressesIn(text) : []),
        ...(language === 'docker' ? baseImages(text) : []),
      ],
      line: number,
      words: text.trim(),
    }));
}

/** What a Dockerfile builds upon, copies from, or is read by. */
function baseImages(text: string): Address[] {
  const [, words] = /^\s*(?:FROM\s+|COPY\s+--from=(?=\S*[/:])|#\s*syntax\s*=\s*)(.*)$/i.exec(text) ?? [];
  const image = words?.split(/\s+/).find((word) => !word.startsWith('--'));
  return image === undefined || image.includes('://') ? [] : [imageAddress(image)].flatMap((one) => one ?? []);
}

/** Commands that are told whom to reach by a file, or that serve whoever comes. */
function namedElsewhere({ path, added }: Change): Finding[] {
  const isElsewhere = ({ program, args }: Fact) =>
    (program === 'curl' && new Arguments(args).has('K', 'config')) ||
    (program === 'wget' && new Arguments(args).has('i', 'input-file')) ||
    (/^python[\d.]*$/.test(program) && new Arguments(args).any(/^(?:http\.server|SimpleHTTPServer)$/));
  return added
    .filter((fact) => fact.role === 'run' && isElsewhere(fact))
    .map((fact) =>
      asks('new_address', path, fact.line, 'reaches, or serves, whom only another file names', shownWords(fact)),
    );
}
