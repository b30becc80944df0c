// Everything a run depends on, looked at one by one: for a person who wonders why it does not work, or whether it will.
import { join } from 'node:path';
import { MendError } from '../errors.ts';
import { diskFree, fileFacts, findTool, isWritable } from '../io/files.ts';
import { liveness } from '../io/identity.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { lockOwner } from '../io/lock.ts';
import { toolVersion } from '../io/tool-version.ts';
import type { RunPorts } from '../run/request.ts';
import { loadStages, openRun } from '../run/stage-store.ts';
import { baseOf, type Configuration, configurationAt } from '../stage/configuration.ts';
import { toolSource } from '../stage/requires.ts';
import { type Lab, stagePath } from '../stage/stage-env.ts';
import { ignoredBeside, uncarriedState, uncommitted } from '../worktree/read.ts';
import { pluginFindings } from './examine-plugins.ts';
import { secretFindings } from './examine-secrets.ts';

export interface Finding {
  level: 'ok' | 'note' | 'problem';
  what: string;
  next?: string;
}

const LOW_DISK_BYTES = 1024 ** 3;

/** Never throws for what it finds. Reads only. */
export async function examine(home: string, ports: Pick<RunPorts, 'env' | 'labTools'>, lab?: Lab): Promise<Finding[]> {
  const layout = layoutOf(home);
  const findings = [...(await programs()), ...places(layout), ...lockAndRun(layout)];
  try {
    const base = await baseOf(home);
    const config = await configurationAt(home, base.commit, base.name);
    findings.push({
      level: 'ok',
      what: `base ${base.name} at ${base.commit.slice(0, 12)}, fixes go to ${base.branch}`,
    });
    findings.push(...labFindings(config, lab ?? config.loop.lab, ports));
    findings.push(...(await fileFindings(home, config)), ...secretFindings(home, config, ports.env));
    findings.push(...(await pluginFindings(layout, base.commit, config.loop)));
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    findings.push({
      level: 'problem',
      what: [`${error.code} ${error.message}`, ...error.problems].join('\n'),
      next: error.next,
    });
  }
  return findings;
}

async function programs(): Promise<Finding[]> {
  const git = await toolVersion('git', '--version');
  const bash = await toolVersion('bash', '--version');
  return [
    { level: 'ok', what: `node ${process.version}` },
    git ? { level: 'ok', what: git } : { level: 'problem', what: 'git is not on PATH', next: 'apt install git' },
    bash ? { level: 'ok', what: bash } : { level: 'problem', what: 'bash is not on PATH', next: 'apt install bash' },
  ];
}

function places(layout: Layout): Finding[] {
  const there = fileFacts(layout.state) ? layout.state : layout.home;
  const free = diskFree(layout.home);
  const room = `${Math.round(free / 1024 ** 2)} MiB free on the disk of the state folder`;
  return [
    isWritable(there)
      ? { level: 'ok', what: 'ai/state can be written' }
      : { level: 'problem', what: `${there} cannot be written`, next: `ls -ld ${there}` },
    free < LOW_DISK_BYTES ? { level: 'problem', what: room, next: 'free some space' } : { level: 'ok', what: room },
  ];
}

function lockAndRun(layout: Layout): Finding[] {
  const owner = lockOwner(layout.lock);
  const open = openRun(loadStages(layout, { look: true }));
  const life = owner && liveness(owner);
  if (owner && life === 'alive')
    return [{ level: 'note', what: `a run is at work: pid ${owner.pid} since ${owner.since}` }];
  return [
    ...(owner && life === 'unknown'
      ? [
          {
            level: 'problem',
            what: `locked by pid ${owner.pid} on ${owner.host}`,
            next: 'mendloop abandon --unlock',
          } as const,
        ]
      : []),
    ...(open ? [{ level: 'note', what: `run ${open.run} was cut off; the next start finishes it` } as const] : []),
  ];
}

function labFindings({ map }: Configuration, lab: Lab, ports: Pick<RunPorts, 'env' | 'labTools'>): Finding[] {
  const path = stagePath({ inherited: ports.env, lab, labTools: ports.labTools });
  const tools = [...new Set(Object.values(map.stages).flatMap((stage) => stage.requires.tools))];
  const variables = [...new Set(Object.values(map.stages).flatMap((stage) => stage.requires.env))];
  return [
    lab === 'simulated'
      ? { level: 'note', what: 'the lab is simulated: stand-ins answer for the real tools' }
      : { level: 'ok', what: 'the lab is real' },
    ...tools.map((tool): Finding => {
      const found = findTool(tool, path);
      if (found) return { level: 'ok', what: `${tool}: ${found}` };
      return { level: 'problem', what: `${tool} is not on PATH`, next: toolSource(tool) ?? `install ${tool}` };
    }),
    ...variables
      .filter((name) => !ports.env[name])
      .map((name): Finding => ({ level: 'problem', what: `${name} is not set`, next: `export ${name}=…` })),
  ];
}

async function fileFindings(home: string, { map }: Configuration): Promise<Finding[]> {
  const folders = [...new Set(Object.values(map.stages).flatMap((stage) => stage.files.map(folderOf)))];
  const beside = (
    await ignoredBeside(
      home,
      folders.filter((f) => fileFacts(join(home, f))?.isFolder),
    )
  ).filter((path) => !map.carry.some((carried) => path === carried || path.startsWith(`${carried}/`)));
  const state = await uncarriedState(home, map.carry);
  const edits = await uncommitted(home);
  const missing = map.carry.filter((path) => !fileFacts(join(home, path)));
  return [
    ...state.map(
      (path): Finding => ({
        level: 'problem',
        what: `${path} is Terraform state that stages would not see`,
        next: `add it to carry in ai/context_map.yaml`,
      }),
    ),
    ...(beside.length > 0
      ? [
          {
            level: 'note',
            what: `ignored by git, so not in the worktree: ${beside.join(', ')}`,
            next: 'add what stages need to carry',
          } as const,
        ]
      : []),
    ...(missing.length > 0
      ? [{ level: 'note', what: `carry names what does not exist: ${missing.join(', ')}` } as const]
      : []),
    ...(edits.length > 0
      ? [{ level: 'note', what: `not committed, so not in a run: ${edits.join(', ')}` } as const]
      : []),
  ];
}

/** The part of a glob before its first wildcard, as a folder. */
function folderOf(glob: string): string {
  const parts = glob.split('/');
  const wild = parts.findIndex((part) => /[*?[{(!]/.test(part));
  return parts.slice(0, wild === -1 ? parts.length - 1 : wild).join('/') || '.';
}
