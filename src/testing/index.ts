// Servers on loopback for tests of plugins: an Ollama, and a host of models as OpenAI and Anthropic have.
export {
  type ApiKind,
  type ApiReply,
  type ApiRequest,
  type ApiServer,
  type ApiServerOptions,
  startApiServer,
} from './api-server.ts';
export {
  type OllamaServer,
  type ServedModel,
  type ServedReply,
  type ServedRequest,
  type ServerOptions,
  startOllamaServer,
} from './ollama-server.ts';
