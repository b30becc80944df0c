// `mendloop/testing`: servers on loopback for tests of plugins, an Ollama, a host of models as OpenAI and Anthropic have, and ntfy.
export * from './api-server.ts';
export type { ServedRequest } from './loopback.ts';
export * from './ntfy-server.ts';
export * from './ollama-server.ts';
