// A copy of the shipped stages and config, and a simulated lab of its own, in temporary folders.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folder } from '../environment.ts';

export const PACKAGE = resolve(import.meta.dirname, '../..');
export const STAGES = ['vms', 'talos', 'infra', 'apps', 'ingress', 'obs'];
const BIN = join(PACKAGE, 'stages/lab/bin');

export interface Result {
  code: number | null;
  out: string;
  err: string;
  ms: number;
}

export interface Lab {
  home: string;
  root: string;
  /** Runs a stand-in or any other command in the tree; never throws. */
  run(command: string, args?: readonly string[], env?: Record<string, string>): Result;
  /** The same without waiting, for commands that run side by side. */
  start(command: string, args?: readonly string[]): Promise<Result>;
  /** run.sh, then verify.sh when that succeeded. */
  stage(name: string, env?: Record<string, string>): Result;
  verify(name: string): Result;
  edit(path: string, change: (text: string) => string): void;
  /** Every file of the world with its content. */
  world(): Map<string, string>;
}

/** A lab without a single machine, or a copy of another lab's world and outputs. */
export function newLab(from?: Lab): Lab {
  const home = folder();
  const root = folder();
  for (const part of ['stages', 'config', 'infrastructure'])
    cpSync(join(PACKAGE, part), join(root, part), { recursive: true });
  if (from) cpSync(join(from.home, 'ai'), join(home, 'ai'), { recursive: true, preserveTimestamps: true });
  const outputs = join(home, 'ai/state/out');

  const environment = (stage: string, more: Record<string, string> = {}) => ({
    PATH: `${BIN}:${process.env.PATH}`,
    HOME: home,
    MENDLOOP_HOME: home,
    MENDLOOP_ROOT: root,
    MENDLOOP_STAGE: stage,
    MENDLOOP_OUT: join(outputs, stage),
    MENDLOOP_OUTPUTS: outputs,
    KUBECONFIG: join(outputs, 'talos/kubeconfig'),
    TALOSCONFIG: join(outputs, 'talos/talosconfig'),
    ...more,
  });

  const lab: Lab = {
    home,
    root,
    run(command, args = [], env) {
      const began = performance.now();
      const done = spawnSync(command, args, {
        cwd: root,
        env: environment('none', env),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      return { code: done.status, out: done.stdout, err: done.stderr, ms: performance.now() - began };
    },
    start(command, args = []) {
      return new Promise((done) => {
        const began = performance.now();
        const child = spawn(command, args, { cwd: root, env: environment('none'), stdio: ['ignore', 'pipe', 'pipe'] });
        let out = '';
        let err = '';
        child.stdout.on('data', (chunk) => (out += chunk));
        child.stderr.on('data', (chunk) => (err += chunk));
        child.on('close', (code) => done({ code, out, err, ms: performance.now() - began }));
      });
    },
    stage(name, env) {
      mkdirSync(join(outputs, name), { recursive: true });
      const result = lab.run(join(root, 'stages', name, 'run.sh'), [], { ...environment(name), ...env });
      return result.code === 0 ? lab.verify(name) : result;
    },
    verify: (name) => lab.run(join(root, 'stages', name, 'verify.sh'), [], environment(name)),
    edit(path, change) {
      const file = join(root, path);
      writeFileSync(file, change(readFileSync(file, 'utf8')));
    },
    world() {
      const state = join(home, 'ai/state/lab');
      const files = readdirSync(state, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(state, name)).isFile())
        .sort();
      return new Map(files.map((name) => [name, readFileSync(join(state, name), 'utf8')]));
    },
  };
  return lab;
}

/** What the stages made that have run, each with all before it. */
const snapshots: Lab[] = [];

/** A fresh copy of a lab in which the stages up to this one are green; they are run once per process. */
export function labAfter(last: string): Lab {
  const count = STAGES.indexOf(last) + 1;
  for (const name of STAGES.slice(snapshots.length, count)) {
    const lab = newLab(snapshots.at(-1));
    const result = lab.stage(name);
    if (result.code !== 0) throw new Error(`stage ${name} is not green:\n${result.out}${result.err}`);
    snapshots.push(lab);
  }
  return newLab(snapshots[count - 1]);
}

/** A fresh copy of a lab in which all stages are green. */
export const greenLab = (): Lab => labAfter('obs');
