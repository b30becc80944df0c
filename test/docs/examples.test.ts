// The pages that tell how the repositories of examples/ were adopted, broken and mended: beside the other pages, for time's sake.
import { test } from 'uvu';
import { sessionTest } from './session-test.ts';

for (const name of ['ansible-k3s', 'make-terraform', 'talos-flux'] as const) sessionTest(name);

test.run();
