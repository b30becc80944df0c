// Words that tools know. Not complete: for a word that is missing here no fix is found.
const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Keys of tasks and plays. */
export const ANSIBLE_KEYWORDS = list(`
  action always any_errors_fatal args async become become_flags become_method become_user block changed_when
  check_mode collections connection debugger delay delegate_facts delegate_to diff environment fact_path failed_when
  force_handlers gather_facts gather_subset gather_timeout handlers hosts ignore_errors ignore_unreachable
  import_playbook import_role import_tasks include_role include_tasks include_vars listen local_action loop
  loop_control max_fail_percentage module_defaults name no_log notify order poll port post_tasks pre_tasks register
  remote_user rescue retries roles run_once serial strategy tags tasks throttle timeout until vars vars_files
  vars_prompt when with_dict with_fileglob with_first_found with_items with_nested with_sequence with_subelements
  with_together
`);

/** Keys of tasks that stand beside a module and are never one of its parameters. */
export const TASK_ONLY = list(`
  become become_user changed_when delegate_to failed_when ignore_errors loop loop_control no_log notify register
  retries run_once tags until when with_items
`);

/** Parameters that many modules have and no task does. */
export const MODULE_ONLY = list('content dest group mode msg owner path recurse remote_src repo src state validate');

export const ANSIBLE_MODULES = list(`
  add_host apt apt_key apt_repository assemble assert async_status blockinfile command copy cron deb822_repository
  debconf debug dnf dnf5 expect fail fetch file find gather_facts get_url getent git group group_by hostname
  import_playbook import_role import_tasks include_role include_tasks include_vars iptables known_hosts lineinfile
  meta mount_facts package package_facts pause ping pip raw reboot replace rpm_key script service service_facts
  set_fact set_stats setup shell slurp stat subversion systemd systemd_service sysvinit tempfile template unarchive
  uri user validate_argument_spec wait_for wait_for_connection yum yum_repository
`);

/** Variables that Ansible and Jinja define. */
export const MAGIC_VARIABLES = list(`
  ansible_check_mode ansible_connection ansible_date_time ansible_default_ipv4 ansible_distribution
  ansible_distribution_release ansible_distribution_version ansible_facts ansible_fqdn ansible_host ansible_hostname
  ansible_managed ansible_os_family ansible_play_hosts ansible_user group_names groups hostvars inventory_dir
  inventory_file inventory_hostname inventory_hostname_short item loop omit play_hosts playbook_dir range role_name
  role_path caller joiner cycler namespace lipsum
`);

/** Filters of Jinja and Ansible, functions of Go templates, Sprig and Helm. */
export const FILTERS = list(`
  abs attr b64decode b64encode basename batch bool capitalize center combine comment count d default dict2items
  dictsort difference dirname e escape expanduser extract fileglob filesizeformat first flatten float forceescape
  format from_json from_yaml from_yaml_all groupby hash human_readable human_to_bytes indent int intersect ipaddr ipv4
  ipv6 items items2dict join json_query last length list lower mandatory map max md5 min password_hash path_join
  pprint product quote random realpath regex_escape regex_findall regex_replace regex_search reject rejectattr relpath
  replace reverse round safe select selectattr sha1 shuffle slice sort splitext split string striptags strftime
  subelements sum symmetric_difference ternary title to_datetime to_json to_nice_json to_nice_yaml to_uuid to_yaml
  tojson trim truncate type_debug union unique upper urldecode urlencode urlize urlsplit win_basename wordcount
  wordwrap xmlattr zip zip_longest and append b64dec b64enc cat ceil coalesce contains dict div empty env eq exec fail
  fromJson fromYaml ge get gt has hasKey hasPrefix hasSuffix html include index initial keys kindIs le len lookup lt
  merge mul ne nindent not now omit or pick pluck print printf println quote readFile regexMatch regexReplaceAll
  required requiredEnv rest semver semverCompare set sha256sum squote splitList sub tpl toString toYaml trimAll
  trimPrefix trimSuffix trunc tuple typeOf until untitle values with without wrap
`);

export const KINDS = list(`
  Alertmanager Application ApplicationSet Bucket Certificate CertificateSigningRequest ClusterIssuer ClusterPolicy
  ClusterRole ClusterRoleBinding ClusterSecretStore Component ConfigMap ControllerRevision CronJob
  CustomResourceDefinition DaemonSet Deployment EndpointSlice Endpoints Event ExternalSecret Gateway GitRepository
  HTTPRoute HelmChart HelmRelease HelmRepository HorizontalPodAutoscaler ImagePolicy ImageRepository Ingress
  IngressClass IngressRoute Issuer Job Kustomization Lease LimitRange Middleware MutatingWebhookConfiguration
  Namespace NetworkPolicy Node OCIRepository PersistentVolume PersistentVolumeClaim Pod PodDisruptionBudget PodMonitor
  PriorityClass PrometheusRule ReplicaSet ResourceQuota Role RoleBinding Secret SecretStore Service ServiceAccount
  ServiceMonitor StatefulSet StorageClass ValidatingWebhookConfiguration VolumeSnapshot
`);

export const API_VERSIONS = list(`
  admissionregistration.k8s.io/v1 apiextensions.k8s.io/v1 apps/v1 autoscaling/v2 batch/v1 cert-manager.io/v1
  discovery.k8s.io/v1 gateway.networking.k8s.io/v1 helm.toolkit.fluxcd.io/v2 kustomize.config.k8s.io/v1beta1
  kustomize.toolkit.fluxcd.io/v1 monitoring.coreos.com/v1 networking.k8s.io/v1 policy/v1 rbac.authorization.k8s.io/v1
  scheduling.k8s.io/v1 source.toolkit.fluxcd.io/v1 storage.k8s.io/v1 traefik.io/v1alpha1 v1
`);

/** Keys of Kubernetes manifests by the mapping that they stand in; of other tools as one list each. */
export const FIELDS = {
  container: list(`
    args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resources
    securityContext startupProbe stdin terminationMessagePath tty volumeDevices volumeMounts workingDir
  `),
  pod: list(`
    activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks
    hostAliases hostIPC hostNetwork hostPID hostname imagePullSecrets initContainers nodeName nodeSelector
    priorityClassName restartPolicy runtimeClassName schedulerName securityContext serviceAccountName
    shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes
  `),
  workload: list(`
    minReadySeconds paused podManagementPolicy progressDeadlineSeconds replicas revisionHistoryLimit selector
    serviceName strategy template updateStrategy volumeClaimTemplates
  `),
  metadata: list('annotations creationTimestamp finalizers generateName labels name namespace ownerReferences'),
  kubernetes: list(`
    accessModes apiGroups apiVersion backend backoffLimit clusterIP concurrencyPolicy configMap configMapKeyRef
    configMapRef containerPort cpu data defaultMode effect emptyDir exec externalTrafficPolicy failedJobsHistoryLimit
    failureThreshold fieldPath fieldRef fsGroup host hostPath hostPort httpGet immutable ingressClassName
    initialDelaySeconds ipFamilies items jobTemplate key kind limits loadBalancerClass loadBalancerIP matchExpressions
    matchLabels maxReplicas maxSurge maxUnavailable medium memory metadata minReplicas mountPath nodePort number
    operator optional path pathType periodSeconds persistentVolumeClaim port
    preferredDuringSchedulingIgnoredDuringExecution protocol readOnly readOnlyRootFilesystem requests required
    requiredDuringSchedulingIgnoredDuringExecution resourceNames roleRef rollingUpdate rules runAsGroup runAsNonRoot
    runAsUser schedule scheme secret secretKeyRef secretName secretRef sessionAffinity spec storage storageClassName
    stringData subPath subjects successfulJobsHistoryLimit successThreshold suspend targetPort tcpSocket timeZone
    timeoutSeconds tls tolerationSeconds topologyKey type value valueFrom verbs volumeName whenUnsatisfiable
    allowPrivilegeEscalation capabilities privileged seccompProfile chart chartRef commonMetadata decryption dependsOn
    healthChecks install interval kubeConfig path patches postBuild prune releaseName remediation retries
    retryInterval serviceAccountName sourceRef substitute substituteFrom targetNamespace timeout uninstall upgrade
    values valuesFrom version wait url ref branch tag semver bases behavior commonAnnotations commonLabels components
    configMapGenerator configurations crds envs files generatorOptions generators helmCharts images includeSelectors
    includeTemplates labels literals namePrefix nameSuffix namespace newName newTag openapi options pairs
    patchesJson6902 patchesStrategicMerge replacements replicas resources secretGenerator target transformers
    validators vars disableNameSuffixHash
  `),
  compose: list(`
    services networks volumes secrets configs include annotations attach blkio_config build cap_add cap_drop cgroup
    command container_name cpus credential_spec depends_on deploy develop device_cgroup_rules devices dns dns_opt
    dns_search domainname driver driver_opts entrypoint env_file environment expose extends external external_links
    extra_hosts group_add healthcheck hostname image init interval ipam ipc isolation label_file labels links logging
    mac_address mem_limit mem_reservation name network_mode networks oom_kill_disable options pid pids_limit platform
    ports post_start pre_stop privileged profiles pull_policy read_only resources restart retries runtime scale
    security_opt shm_size start_period stdin_open stop_grace_period stop_signal storage_opt sysctls test timeout tmpfs
    tty ulimits user userns_mode version volumes volumes_from working_dir context dockerfile args target condition
    source subnet
  `),
  talos: list(`
    machine cluster type token ca certSANs controlPlane kubelet pods network disks install files env time sysctls
    sysfs registries systemDiskEncryption features udev logging kernel seccompProfiles nodeLabels nodeTaints
    nodeAnnotations image extraArgs extraMounts extraConfig credentialProviderConfig
    defaultRuntimeSeccompProfileEnabled nodeIP skipNodeRegistration disableManifestsDirectory clusterDNS hostname
    interfaces nameservers searchDomains extraHostEntries kubespan interface addresses routes bond bridge vlans mtu
    dhcp dummy ignore dhcpOptions wireguard vip deviceSelector disk diskSelector extensions wipe legacyBIOSSupport
    extraKernelArgs bootTimeout disabled servers endpoint clusterName cni apiServer controllerManager proxy scheduler
    discovery etcd coreDNS externalCloudProvider extraManifests inlineManifests hostDNS kubePrism rbac stableHostname
    apidCheckExtKeyUsage diskQuotaSupport enabled port kubernetesTalosAPIAccess allowedRoles
    allowedKubernetesNamespaces forwardKubeDNSToHost resolveMemberNames adminKubeconfig allowSchedulingOnControlPlanes
    dnsDomain podSubnets serviceSubnets mirrors config
  `),
  systemd: list(`
    After Alias AmbientCapabilities Before BindsTo CapabilityBoundingSet ConditionPathExists Conflicts Delegate
    Description Documentation Environment EnvironmentFile ExecReload ExecStart ExecStartPost ExecStartPre ExecStop
    ExecStopPost Group KillMode KillSignal LimitNOFILE NoNewPrivileges OnBootSec OnCalendar OnFailure OnUnitActiveSec
    PIDFile PartOf Persistent PrivateTmp ProtectHome ProtectSystem ReadWritePaths RemainAfterExit RequiredBy Requires
    Restart RestartSec RuntimeDirectory StandardError StandardOutput StartLimitBurst StartLimitIntervalSec
    StateDirectory SyslogIdentifier TimeoutStartSec TimeoutStopSec Type Unit User UMask WantedBy Wants
    WorkingDirectory
  `),
  taskfile: list(`
    version includes output set shopt vars env tasks silent dotenv run interval method aliases cmds cmd deps desc dir
    generates ignore_error interactive internal label platforms preconditions prompt requires sources status summary
    task taskfile optional flatten excludes msg sh ref for defer prefix watch
  `),
} as const;
