// Tracked files that hold secrets, or give them out, by what configuration files say of them. No fix may touch them. Pure.
import { baseName, folderOf, inFolder, type Survey, unique } from './survey.ts';

const KEY = /(?:^|\/)(?:id_(?:rsa|ed25519|ecdsa)|[^/]*\.(?:key|pem|agekey|p12|pfx)|age\.key)$/;
const ENCRYPTED = /^\$ANSIBLE_VAULT;|"sops":\s*\{|^sops_mac=|^-----BEGIN [A-Z ]*PRIVATE KEY-----/m;
const isEncrypted = (text: string): boolean =>
  ENCRYPTED.test(text) || (/^sops:\s*$/m.test(text) && /^\s+(?:mac|lastmodified):/m.test(text));
const MANY = 6;

/** Paths, or one pattern where all files with one ending are guarded. */
export function guardedIn(survey: Survey): string[] {
  const { paths, text, files } = survey;
  const encrypted = paths.filter((path) => KEY.test(path) || isEncrypted(text(path)));
  const programs = paths
    .filter((path) => baseName(path) === 'ansible.cfg')
    .flatMap((path) =>
      [...text(path).matchAll(/^\s*vault_(?:password_file|identity_list)\s*=\s*(.+)$/gim)].flatMap(([, value = '']) =>
        value.split(',').map((one) => inFolder(folderOf(path), one.trim().replace(/^[^@]*@/, ''))),
      ),
    );
  const filtered = paths
    .filter((path) => baseName(path) === '.gitattributes')
    .flatMap((path) =>
      [...text(path).matchAll(/^(\S+)\s.*\bfilter=(?:git-crypt|crypt|transcrypt)\S*/gm)].map(([, name = '']) => {
        const plain = name.replace(/^\//, '');
        return inFolder(folderOf(path), plain.includes('/') ? plain : `**/${plain}`);
      }),
    );
  return unique([...asPatterns(encrypted, paths), ...programs.filter((path) => files.has(path)), ...filtered]);
}

function asPatterns(guarded: readonly string[], paths: readonly string[]): string[] {
  const endingOf = (path: string) => /\.[^.]+\.[^.]+$/.exec(baseName(path).slice(1))?.[0] ?? path;
  return unique(
    guarded.map((path) => {
      const alike = paths.filter((one) => endingOf(one) === endingOf(path));
      return alike.length >= MANY && alike.every((one) => guarded.includes(one)) ? `**/*${endingOf(path)}` : path;
    }),
  );
}
