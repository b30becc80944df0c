// Words that no schema of a tool lists. Not complete: for a word that is missing here no fix is found.

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

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

/** Builtins and keywords of bash. */
export const BUILT_IN = list(`
  alias bg bind break builtin caller case cd command compgen complete continue coproc declare dirs disown do done echo
  elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill
  let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend
  test then time times trap true type typeset ulimit umask unalias unset until wait while
`);

/** Well-known programs besides those of the vocabulary: one that is not found is not installed, not mistyped. */
export const PROGRAMS = list(`
  ack act ag aider air apk argo aria2c arp asdf atop aws az bat bats bazel bird bmon bpftool brew btm btop buf bun
  bundle bundler bw calicoctl cargo ccze certbot cfssl chezmoi clang cmake code conftest consul cosign cowsay crane
  crictl csvcut ctr cue dagger dasel delta deno dhclient difft dive dnf doas doctl dog drone duf dust easyrsa ed
  eksctl emacs entr esbuild etcdctl etcdutl exa expect eza fail2ban fd ffmpeg fio firewalld fish flatpak flex fping
  fzf gcc gcloud gdb getcap gitea gitleaks glab glances glow go gomplate gopass gping gradle groff grops grpcurl gum
  hadolint haproxy hexdump hey hostctl htop htpasswd http httpie hubble hugo hurl hyperfine ifconfig iftop incus
  inotifywait iotop ipcalc iperf iperf3 ipmaddr ipmitool ipset iptunnel istioctl iw java jc jinja2 jless jo jsonnet k6
  k8s kail kbld kcat keytool kics kn ko kompose kops krew ksh kube kubeadm kubelet kubens kubent kubeseal kubeval
  lazydocker lazygit ldapsearch less linkerd lua luac lxc lxd lynx lz4 mail mariadb mii-tool mkcert mkdocs mkpasswd
  mongosh mosh mosquitto_pub mtr multipass mutt mysql nameif ncat ncdu nerdctl netstat nginx nix nmap nmcli node nomad
  npm npx ntpd ntpq nvim oathtool oc ollama opa openvpn pandoc pass perl php pidof pipx pkl plipconfig pnpm poetry
  pre-commit proxychains pulumi puppet pv pvesm pveum pwgen pwsh pyenv pytest python python2 pyvenv qrencode rake rarp
  rbw regctl rg ripgrep rmq route rpm ruby ruff rustc rustup s3cmd s5cmd salt sbt screen sd setcap sfdisk shfmt
  skaffold slack slattach snap snmpwalk squid sshd sshfs sshpass starship step strace stress strings supervisorctl svn
  swaks syft sysbench tailscale tailscaled tanka tea telnet tfsec tig tilt tkn tldr tomlq traceroute traefik trash
  tree trivy tshark uuidgen vagrant vim vlan volta wait4x watchexec which whois wrk xclip xh xmllint xmlstarlet
  xorriso xq xxd yarn zsh
`);

/** Destructive programs: no repair writes one of these names, or one that begins with mkfs. */
export const DESTRUCTIVE = list(`
  blkdiscard cfdisk cryptsetup dd fdisk format halt init kill killall lvremove mkfs mkswap mv parted pkill poweroff
  reboot rm rmdir sfdisk sgdisk shred shutdown swapoff telinit truncate umount unlink userdel vgremove wipe wipefs
  xkill
`);
