// Which files a command writes, by its redirections and its operands.
import { Arguments } from './arguments.ts';
import type { Fact } from './facts.ts';

const LAST = /^(?:cp|mv|install|ln|scp|rsync)$/;
const EVERY =
  /^(?:tee|touch|truncate|mkdir|chmod|chown|chgrp|sponge|patch|ex|ed|vi|vim|nano|setfacl|chattr|rm|unlink|shred)$/;
const IN_PLACE = /^(?:sed|perl|ruby|yq|awk|gawk|dasel|prettier|shfmt|crudini|augtool)$/;

/** Options that name the file a program writes. */
const OUTPUT: readonly (readonly [programs: RegExp, option: RegExp])[] = [
  [/^(?:openssl|age|gpg|sort|jq)$/, /^(?:-out|-o|--output)$/],
  [/^(?:curl|wget|aria2c)$/, /^(?:-[a-zA-Z]*[oOP]|--output|--output-document|--directory-prefix)$/],
  [/^find$/, /^-f(?:ls|print0?|printf)$/],
];

/** As written; what is only known at run time stands as `$NAME`. */
export function writtenPaths(fact: Fact): string[] {
  const { program, redirects } = fact;
  const args = new Arguments(fact.args);
  const sent = redirects.flatMap(({ operator, target }) =>
    /^(?:>|>>|>\||&>|&>>|<>)$/.test(operator) && target ? [target.text] : [],
  );
  return [...sent, ...byProgram(program, args)];
}

function byProgram(program: string, args: Arguments): string[] {
  if (LAST.test(program)) {
    const target = args.value(/^(?:-t|--target-directory)$/) ?? args.operands.at(-1) ?? '';
    // Into a folder a file goes under its own name.
    const inside = args.operands.slice(0, -1).map((word) => `${target.replace(/\/+$/, '')}/${word.split('/').at(-1)}`);
    const moved = program === 'mv' ? args.operands.slice(0, -1) : [];
    return target === '' ? [] : [target, ...inside, ...moved];
  }
  if (program === 'chmod' || program === 'chown' || program === 'chgrp')
    return args.operands.slice(args.words.some((word) => /^-[rwxXst]+$/.test(word)) ? 0 : 1);
  if (EVERY.test(program)) return [...args.operands];
  if (program === 'dd') return args.words.flatMap((word) => /^of=(.*)$/.exec(word)?.[1] ?? []);
  if (
    IN_PLACE.test(program) &&
    args.words.some((word) => /^(?:-[a-zA-Z]*i\S*|--in-place\S*|--inplace|-w|--write|--set)$/.test(word))
  )
    return args.operands.slice(program === 'shfmt' || program === 'prettier' ? 0 : 1);
  const option = OUTPUT.find(([programs]) => programs.test(program))?.[1];
  if (option) return [args.value(option) ?? ''].filter((path) => path !== '' && path !== '-' && !/:\/\//.test(path));
  if (/^(?:sed|[gm]?awk)$/.test(program))
    return args.words.flatMap((word) =>
      [...word.matchAll(/(?:^|[;{}\s/\d$])w\s+(\/\S+)|>>?\s*"([^"]+)"/g)].map(
        ([, file, quoted]) => file ?? quoted ?? '',
      ),
    );
  if (program === 'git' && args.verb(/^clone$/, 1)) return args.operands.slice(2);
  if (
    /^(?:tar|unzip|unxz|7z|cpio|bsdtar)$/.test(program) &&
    (args.has('xC', 'extract', 'directory') || program !== 'tar')
  )
    return [args.value(/^(?:-[a-zA-Z]*C|-d|--directory)$/) ?? ''].filter(Boolean);
  if (program === 'git' && args.verb(/^(?:checkout|restore|apply|am|mv|rm)$/, 2))
    return args.words.slice(1).flatMap((word) => word.split('='));
  return [];
}
