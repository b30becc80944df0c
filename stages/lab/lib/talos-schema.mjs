// The keys of a Talos v1alpha1 machine configuration, as deep as stages are likely to write; `true` means any content.

const keys = (names, nested = {}) => ({
  ...Object.fromEntries(names.split(/\s+/).map((name) => [name, true])),
  ...nested,
});

const component = keys('image extraArgs extraVolumes env resources');
const machine = keys(
  `type token certSANs acceptedCAs controlPlane pods disks files env sysctls sysfs systemDiskEncryption udev logging kernel
   seccompProfiles baseRuntimeSpecOverrides nodeLabels nodeAnnotations nodeTaints`,
  {
    ca: keys('crt key'),
    kubelet: keys(
      `image clusterDNS extraArgs extraMounts extraConfig credentialProviderConfig defaultRuntimeSeccompProfileEnabled
       registerWithFQDN skipNodeRegistration disableManifestsDirectory`,
      { nodeIP: keys('validSubnets') },
    ),
    network: keys('hostname nameservers searchDomains extraHostEntries disableSearchDomain', {
      interfaces: [
        keys(
          'interface deviceSelector addresses routes bond bridge bridgePort vlans mtu dhcp ignore dummy dhcpOptions wireguard',
          {
            vip: keys('ip equinixMetal hcloud'),
          },
        ),
      ],
      kubespan: keys('enabled advertiseKubernetesNetworks allowDownPeerBypass harvestExtraEndpoints mtu filters'),
    }),
    install: keys('disk diskSelector extraKernelArgs image extensions wipe legacyBIOSSupport'),
    time: keys('disabled servers bootTimeout'),
    registries: keys('mirrors config'),
    features: keys(
      `rbac stableHostname kubernetesTalosAPIAccess apidCheckExtKeyUsage diskQuotaSupport hostDNS imageCache
       nodeAddressSortAlgorithm`,
      { kubePrism: keys('enabled port') },
    ),
  },
);
const cluster = keys(
  `id secret clusterName token aescbcEncryptionSecret secretboxEncryptionSecret acceptedCAs aggregatorCA serviceAccount
   extraManifests extraManifestHeaders inlineManifests adminKubeconfig allowSchedulingOnMasters
   allowSchedulingOnControlPlanes`,
  {
    ca: keys('crt key'),
    controlPlane: keys('endpoint localAPIServerPort'),
    network: keys('dnsDomain podSubnets serviceSubnets', { cni: keys('name urls flannel') }),
    apiServer: keys(
      'image extraArgs extraVolumes env certSANs disablePodSecurityPolicy admissionControl auditPolicy resources authorizationConfig',
    ),
    controllerManager: component,
    scheduler: { ...component, config: true },
    proxy: keys('disabled image mode extraArgs'),
    etcd: keys('image ca extraArgs subnet advertisedSubnets listenSubnets'),
    coreDNS: keys('disabled image'),
    discovery: keys('enabled registries'),
    externalCloudProvider: keys('enabled manifests'),
  },
);
const SCHEMA = keys('version debug persist', { machine, cluster });

function pick(schema, value) {
  if (schema === true || value === null || typeof value !== 'object') return undefined;
  if (Array.isArray(schema)) {
    const found = Array.isArray(value) ? value.map((item) => pick(schema[0], item)).filter(Boolean) : [];
    return found.length > 0 ? found : undefined;
  }
  const found = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = Object.hasOwn(schema, key) ? pick(schema[key], item) : item;
    if (inner !== undefined) found[key] = inner;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

/** The part of a configuration that Talos does not know, or undefined. */
export function unknownKeys(config) {
  return pick(SCHEMA, config);
}
