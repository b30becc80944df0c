import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { missingRequirements, missingTools, toolSource } from '../../src/stage/requires.ts';
import { folder, write } from '../environment.ts';
import { stageOf } from '../plan/builders.ts';

const root = folder();
write(root, { 'bin/have': '#!/bin/sh\n', 'config/a.yaml': '' });
chmodSync(join(root, 'bin/have'), 0o755);
const where = { root, path: join(root, 'bin'), env: { SET: 'x', EMPTY: '' } };

test('everything that is missing is named at once, with how to get it where that is known', () => {
  const stage = stageOf({
    requires: {
      env: ['SET', 'EMPTY', 'UNSET'],
      tools: ['have', 'talosctl', 'mytool'],
      files: ['config/a.yaml', 'config/b.yaml', 'config/a.yaml/below'],
    },
  });
  assert.equal(missingRequirements(stage, where), [
    'environment variable EMPTY is not set',
    'environment variable UNSET is not set',
    'tool talosctl is not on PATH (https://www.talos.dev, "talosctl", or brew install siderolabs/tap/talosctl)',
    'tool mytool is not on PATH',
    'file config/b.yaml does not exist',
    'file config/a.yaml/below does not exist',
  ]);
});

test('nothing is missing when all is there, and a stage may require nothing', () => {
  const stage = stageOf({ requires: { env: ['SET'], tools: ['have'], files: ['config/a.yaml'] } });
  assert.equal(missingRequirements(stage, where), []);
  assert.equal(missingRequirements(stageOf(), where), []);
});

test('the tools that all stages lack are told once each', () => {
  const stages = [
    stageOf({ requires: { tools: ['jq', 'have'] } }),
    undefined,
    stageOf({ requires: { tools: ['jq', 'b'] } }),
  ];
  assert.equal(missingTools(stages, where.path), ['tool jq is not on PATH (apt install jq)', 'tool b is not on PATH']);
  assert.equal(missingTools([stageOf()], where.path), []);
});

test('a tool may have the name of something every object has', () => {
  assert.is(toolSource('constructor'), undefined);
  assert.type(toolSource('qm'), 'string');
});

test.run();
