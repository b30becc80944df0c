import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatPath, formatProblem, inOrder, type Problem } from '../../src/config/problem.ts';

const at = (line: number, column: number, message = 'm'): Problem => ({ file: 'f', line, column, path: '', message });

test('a problem prints as file, position, path and message', () => {
  assert.is(
    formatProblem({ file: 'a.yaml', line: 12, column: 5, path: 'x.y', message: 'unknown key' }),
    'a.yaml:12:5: x.y: unknown key',
  );
  assert.is(formatProblem(at(1, 1, 'empty')), 'f:1:1: empty');
});

test('a path prints list indices in brackets and quotes what is not a plain word', () => {
  assert.is(formatPath(['stages', 'a-b', 'verify', 0, 'has']), 'stages.a-b.verify[0].has');
  assert.is(formatPath(['a.b', '']), '"a.b".""');
});

test('problems are sorted by position and said once', () => {
  assert.equal(inOrder([at(2, 1), at(1, 9), at(1, 2), at(2, 1)]), [at(1, 2), at(1, 9), at(2, 1)]);
});

test.run();
