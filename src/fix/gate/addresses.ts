// Addresses in texts: hosts of URLs, and where images and charts come from, with the account there.

/** A place something is fetched from or sent to. `account`: whose, on a host of many. */
export interface Address {
  readonly host: string;
  readonly account?: string;
}

const URL_PATTERN =
  /\b(?!file:|unix:|local:)[a-z][a-z0-9+.-]{1,15}:\/\/(?:[^\s/@"'`]*@)?([^\s/:?#"'`)\]}>,;]+)(?::\d+)?(?:\/(?:repos\/)?([^\s/?#"'`)\]}>]+))?/gi;
const SHARED_HOST =
  /(?:^|\.)(?:github\.com|githubusercontent\.com|gitlab\.com|codeberg\.org|bitbucket\.org|ghcr\.io|docker\.io|quay\.io|gcr\.io|k8s\.gcr\.io|registry\.k8s\.io|mcr\.microsoft\.com|public\.ecr\.aws|lscr\.io|pkg\.dev|huggingface\.co|pastebin\.com|s3\.amazonaws\.com|github\.io|gitea\.com|sr\.ht|pages\.dev|workers\.dev|netlify\.app|vercel\.app|herokuapp\.com)$/i;
const SSH = /(?:^|[\s:=])[\w.-]+@([\w.-]+\.[a-z]{2,}):([\w.-]+)\//gi;

/** `github.com/owner/…` without a scheme, and `github:owner/…`. */
const SHORT =
  /(?:^|[\s"'=@]|git::)(?:((?:www\.)?(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org|ghcr\.io|quay\.io|docker\.io))\/|(github|gitlab|bitbucket):(?!\/))([\w.-]+)\/[\w.-]/gi;

/** Every address in `text`. */
export function addressesIn(text: string): Address[] {
  const urls = [...text.matchAll(URL_PATTERN)].map(([whole, host, account]) =>
    /^(?:s3|gs):/.test(whole) ? bucketAddress(host as string) : address(host as string, account),
  );
  const short = [...text.matchAll(SHORT)].map(([, host, site, account]) =>
    address(host ?? `${site}.${site === 'bitbucket' ? 'org' : 'com'}`, account),
  );
  const remote = [...text.matchAll(SSH)].map(([, host, account]) => address(host as string, account));
  return [...urls, ...remote, ...short];
}

/** A bucket is its owner's, on a host of many. */
const bucketAddress = (name: string): Address =>
  /[${\ue000]/.test(name) ? { host: name } : { host: 's3.amazonaws.com', account: name.toLowerCase() };

const address = (host: string, account: string | undefined): Address => {
  const plain = host.toLowerCase().replace(/\.$/, '');
  return SHARED_HOST.test(plain) && account !== undefined
    ? { host: plain, account: account.replace(/\.git$/, '').toLowerCase() }
    : { host: plain };
};

const IMAGE = /^(?:([\w.-]+\.[\w.-]+|localhost)(?::\d+)?\/)?((?:[\w.-]+\/)*)([\w.-]+)(?:[:@][\w.@:-]+)?$/;

/** Where an image reference points; undefined when it is none. */
export function imageAddress(reference: string): Address | undefined {
  const match = IMAGE.exec(reference.replace(/^(?:docker|oci):\/\//, '').trim());
  if (!match) return undefined;
  const [, host = 'docker.io', folders = '', name = ''] = match;
  const account = folders.split('/')[0] ?? '';
  return { host: host.toLowerCase(), account: (account === '' ? name : account).toLowerCase() };
}

const PRIVATE =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[?::1|\[?f[cd][0-9a-f]{2}:|0\.0\.0\.0)|(?:\.(?:local|lan|home|internal|intranet|home\.arpa|svc|cluster\.local|localdomain|test|invalid))$/i;

/** Not somebody else's: this machine, its network, its cluster, or known only when it runs. */
export const isPrivate = ({ host }: Address): boolean =>
  PRIVATE.test(host) || (!host.includes('.') && !host.includes(':')) || /[${\ue000]/.test(host);

/** One account has the same owner at all of these. */
const GITHUB = /^(?:github\.com|raw\.githubusercontent\.com|ghcr\.io|api\.github\.com)$/;
const GITHUB_NAMES = ['github.com/', 'github.com:', 'raw.githubusercontent.com/', 'ghcr.io/'];

/** Domains below which everybody gets a name. */
const RENTED =
  /(?:^|\.)(?:(?:co|com|net|org|gov|ac|edu)\.\w\w|\w*aws\w*\.com|cloudfront\.net|googleapis\.com|googleusercontent\.com|appspot\.com|web\.app|firebaseapp\.com|firebaseio\.com|windows\.net|azure\w*\.\w+|cloudapp\.net|duckdns\.org|ngrok\S*|trycloudflare\.com|r2\.dev|fly\.dev|onrender\.com|surge\.sh|dyndns\.\w+|no-ip\.\w+|ddns\.net|dynv6\.net|freeddns\.org|backblazeb2\.com|\w+spaces\.com|linodeobjects\.com|wasabisys\.com|railway\.app|glitch\.me|repl\.co|replit\.\w+|gitlab\.io|readthedocs\.io|wordpress\.com|blogspot\.com|ts\.net|nip\.io|sslip\.io|webhook\.site|oast\.\w+|requestbin\.\w+|pipedream\.net|beeceptor\.com|cloudns\.\w+|supabase\.co|deno\.dev|hf\.space|streamlit\.app|myshopify\.com|000webhostapp\.com|b-cdn\.net)$/i;

/** Domains of which everybody gets one, with all below it. */
const GIVEN =
  /[\w-]+\.(?:(?:co|com|net|org|gov|ac|edu)\.(?:uk|au|nz|za|jp|br|in)|duckdns\.org|ddns\.net|dynv6\.net|freeddns\.org|ts\.net)$/i;

/** The domain that a host is in: one who has it has the host, too. */
const domainOf = (host: string): string[] => {
  const given = GIVEN.exec(host)?.[0];
  if (given !== undefined) return given === host ? [] : [given];
  const domain = host.split('.').slice(-2).join('.');
  return host === domain || SHARED_HOST.test(host) || RENTED.test(host) || /^[\d.]+$/.test(host) ? [] : [domain];
};

/** How the repository would name it. */
export const addressNames = ({ host, account }: Address): string[] => {
  const pages = /^([\w-]+)\.github\.io$/.exec(host)?.[1];
  if (pages !== undefined) return [host, ...GITHUB_NAMES.map((name) => `${name}${pages}`)];
  if (account === undefined) return [host, ...domainOf(host)];
  if (host === 'registry.terraform.io') return [`${account}/`, `${host}/${account}`];
  if (host === 'docker.io') return [`${account}/`, `docker.io/${account}`, `image: ${account}`, account];
  if (GITHUB.test(host)) return [...GITHUB_NAMES.map((name) => `${name}${account}`), `${account}.github.io`];
  return [`${host}/${account}`, `${host}:${account}`];
};

const IP = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.-]|\/(?!32\b)\d)/g;
/** Resolvers that anybody may ask, and numbers that are no host. */
const NOBODYS =
  /^(?:1\.[01]\.[01]\.[0-3]|8\.8\.(?:8\.8|4\.4)|9\.9\.9\.\d+|149\.112\.112\.\d+|208\.67\.22[02]\.\d+|255\.|22[4-9]\.|23\d\.|0\.)/;

/** The hosts on the internet that are named by their number. */
export const publicIps = (text: string): string[] =>
  [...text.matchAll(IP)]
    .map(([ip]) => ip)
    .filter(
      (host) => host.split('.').every((part) => Number(part) < 256) && !NOBODYS.test(host) && !isPrivate({ host }),
    );
