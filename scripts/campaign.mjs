#!/usr/bin/env node
// The fault campaign (test/campaign/main.ts): `npm run campaign -- --sample 50`. What has passed is remembered.
import './typescript.mjs';

await import('../test/campaign/main.ts');
