// Prometheus's own file and its files of rules. It registers its ways of discovery by name: each is a key of its own.
import { structTypes } from './go-structs.mjs';

const OWN = 'github.com/prometheus/prometheus';
const NAME = /^func \(\*?(\w+)\) Name\(\) string \{\s+return "(\w+)"/gm;

export function prometheusTypes(prometheus, common, sigv4) {
  const sources = prometheus.list('discovery').filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
  const found = sources.flatMap((path) =>
    [...prometheus.read(path).matchAll(NAME)].map(([, type, name]) => [
      name === 'static' ? 'static_configs' : `${name}_sd_configs`,
      [`${OWN}/${path.replace(/\/[^/]*$/, '')}`, type],
    ]),
  );
  const discovered = Object.fromEntries(found);
  return structTypes(
    { prometheus: [`${OWN}/config`, 'Config'], rules: [`${OWN}/model/rulefmt`, 'RuleGroups'] },
    {
      [OWN]: { repository: prometheus },
      'github.com/prometheus/common': { repository: common },
      'github.com/prometheus/sigv4': { repository: sigv4 },
    },
    (path, name) => (path === `${OWN}/discovery` && name === 'Configs' ? discovered : undefined),
  );
}
