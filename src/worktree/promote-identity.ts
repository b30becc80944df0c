// Who accepts: the owner as git knows them. Everything else that we commit is mendloop's, so their name has to be asked for.
import { fail } from '../errors.ts';
import { fields, type Git } from '../io/git.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Options for a git command, before its name, that make its commit the owner's. Throws E_NO_IDENTITY when git knows none. */
export async function asOwner(git: Git, env: Env): Promise<string[]> {
  const options: string[] = [];
  for (const who of ['author', 'committer']) {
    for (const what of ['name', 'email']) {
      // What the environment says counts more than any option, so git finds it by itself.
      if (env[`GIT_${who}_${what}`.toUpperCase()]) continue;
      const told = (await owners(git, `${who}.${what}`)) ?? (await owners(git, `user.${what}`));
      const value = told ?? (what === 'email' ? env.EMAIL : undefined);
      if (!value) fail('E_NO_IDENTITY', {});
      options.push('-c', `${who}.${what}=${value}`);
    }
  }
  return options;
}

/** The last value that is not from our own command line. */
async function owners(git: Git, key: string): Promise<string | undefined> {
  const found = await git.attempt(['config', '--show-scope', '-z', '--get-all', key]);
  const parts = fields(found.stdout);
  const values = parts.filter((_, i) => i % 2 === 1 && parts[i - 1] !== 'command');
  return values.at(-1) || undefined;
}
