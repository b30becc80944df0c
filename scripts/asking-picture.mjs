#!/usr/bin/env node
// Draws docs/asking.webp: the page on a phone, of a real run in a scratch folder, in three moments. It fails at night, Apply is tapped
// and it turns green, and in the morning it is promoted. Needs Chromium: node scripts/asking-picture.mjs
import './typescript.mjs';

await import('./asking-picture.ts');
