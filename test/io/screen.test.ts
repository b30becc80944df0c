import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openScreen } from '../../src/io/screen.ts';
import { shownBy } from './terminal.ts';

test('a row put in between, or taken out, leaves all others where they belong', () => {
  const frames = ['a\nb\nc\nd', 'a\nb\n  log\nc\nd', 'a\nB\n  log\n  log\nc\nd', 'a\nc\nd'];
  for (let last = 1; last <= frames.length; last++) {
    const shown = shownBy(() => {
      const screen = openScreen();
      for (const frame of frames.slice(0, last)) screen.draw(frame);
      screen.done();
    });
    assert.equal(shown, frames[last - 1]?.split('\n'));
  }
});

test('what is printed after a clear stands above the next drawing', () => {
  const shown = shownBy(() => {
    const screen = openScreen();
    screen.clear();
    screen.draw('a\nb');
    screen.clear();
    screen.clear();
    process.stdout.write('note\n');
    screen.draw('a\nb');
    screen.done();
    process.stdout.write('end\n');
  });
  assert.equal(shown, ['note', 'a', 'b', 'end']);
});

test.run();
