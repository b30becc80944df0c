// `mendloop/testing`: servers on loopback for tests of plugins, an Ollama and a host of models as OpenAI and Anthropic have.
export * from './api-server.ts';
export type { ServedRequest } from './loopback.ts';
export * from './ollama-server.ts';
