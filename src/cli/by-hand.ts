// Commands that people type now and then, loaded together: each on its own would be dozens of small files in a package.
export * as abandon from './abandon.ts';
export * as backlog from './backlog.ts';
export * as cases from './cases.ts';
export * as cron from './cron.ts';
export * as demo from './demo.ts';
export * as doctor from './doctor.ts';
export * as explain from './explain.ts';
export * as fixes from './fixes.ts';
export * as gc from './gc.ts';
export * as init from './init.ts';
export * as promote from './promote.ts';
export * as reset from './reset.ts';
export * as rollback from './rollback.ts';
export * as runs from './runs.ts';
export * as safeMode from './safe-mode.ts';
export * as uninstall from './uninstall.ts';
export * as validate from './validate.ts';
