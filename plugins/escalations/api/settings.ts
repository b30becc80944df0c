// The settings of `api`: which protocol, where, which model, and the name of the variable with the key.
import { z } from 'zod';
import { positiveDurationSchema } from '../../../src/config/duration.ts';
import { baseAddress } from '../../sending/address.ts';
import { variableName } from '../../sending/variable.ts';
import { anthropic } from './anthropic.ts';
import { openai } from './openai.ts';

export const PROTOCOLS = { openai, anthropic };

const price = z.number().min(0).max(10_000);

export const settings = z.strictObject({
  kind: z.enum(['openai', 'anthropic']).describe('How the host is spoken to'),
  base_url: baseAddress
    .optional()
    .describe(
      'Where the host is, when it is not the one that the protocol comes from; plain http only on this network',
    ),
  model: z.string().min(1).describe('The model that is asked'),
  key_env: variableName
    .nullable()
    .optional()
    .describe(
      'The environment variable that holds the key; null: none is sent. Default: OPENAI_API_KEY or ANTHROPIC_API_KEY',
    ),
  max_tokens: z.int().min(256).max(1_000_000).default(16_000).describe('Tokens of one answer, thoughts included'),
  timeout: positiveDurationSchema.prefault('240s').describe('How long one answer may take'),
  retries: z.int().min(0).max(5).default(2).describe('How often a host that is busy or failing is asked again'),
  price: z
    .strictObject({ input: price.describe('Of what is read'), output: price.describe('Of what is written') })
    .optional()
    .describe('Dollars for a million tokens, to tell what a call cost'),
});

export type Settings = z.output<typeof settings>;
