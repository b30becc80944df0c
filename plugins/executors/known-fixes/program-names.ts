// Names of programs as data: those that are right as they stand though not installed here, and those nobody may end up
// running by a repair.

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** What bash itself runs; its keywords are near to commands too. */
export const BUILT_IN = list(`
  alias bg bind break builtin caller case cd command compgen complete continue coproc declare dirs disown do done echo elif
  else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill let local
  logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test then time
  times trap true type typeset ulimit umask unalias unset until wait while
`);

/** Programs in wide use: one of them that is missing is missing, not mistyped. */
export const WELL_KNOWN = list(`
  ack act age aider air ag ansible apk apt argo argocd aria2c asdf atop aws awk az b2sum bat bats bazel bc bird bmon bpftool
  brew btm btop btrfs buf buildah bun bw bzip2 calicoctl caddy cargo ccze certbot cfssl chezmoi cilium clang cloudflared cmake
  cmctl code conftest consul cosign cowsay crane crictl cron crontab csvcut ctr cue curl dagger dasel date delta deno dhclient
  diff difft dig direnv dive dnf doas docker dockerd doctl dog drone duf dust easyrsa ed eksctl emacs entr envsubst esbuild
  etcdctl etcdutl exa expect eza fail2ban fd ffmpeg find fio firewalld fish flatpak flex flock flux fping fzf gawk gcc gcloud gdb
  gh git gitea gitleaks glab glances glow gmake go gomplate gopass gpg gping gradle grep grpcurl gum gunzip gzip hadolint haproxy
  head helm helmfile hexdump hey hostctl htop htpasswd http httpie hubble hugo hurl hyperfine iftop incus inotifywait iotop ip
  ip6tables iperf iperf3 ipcalc ipmitool ipset iptables istioctl iw java jc jinja2 jless jo join journalctl jq jsonnet just k0s
  k3d k3s k6 k8s k9s kail kbld kcat keytool kics kind kn ko kompose kops krew ksh kube kubeadm kubeconform kubectl kubectx kubelet
  kubens kubent kubeseal kubeval kustomize lazydocker lazygit ldapsearch less linkerd lsb_release lsof lua lvm lxc lxd lynx lz4
  mail make mariadb mc md5sum mise mkcert mkdocs mkpasswd mongosh mosh mosquitto_pub mtr multipass mutt mysql mysqldump nano nc
  ncat ncdu netcat netstat nerdctl nft nginx nix nmap nmcli node nomad npm npx nsenter nslookup ntpd ntpq nvim oathtool oc ollama
  op opa openssl openvpn packer pandoc parallel parted pass patch pct perl pg_dump pg_isready php pidof ping pip pip3 pipx pkl
  pnpm podman poetry pre-commit promtool proxychains ps psql pulumi puppet pv pvesh pvesm pveum pwgen pwsh python python2 python3
  qemu-img qm qrencode rake rbw rclone redis-cli regctl restic rg ripgrep rmq rpm rsync ruby ruff rustc rustup s3cmd s5cmd salt
  sbt scp screen sd sed sfdisk sftp sgdisk shellcheck shfmt shuf skopeo skaffold slack smartctl snap snmpwalk socat sops sponge
  sqlite3 squid ss ssh sshd sshfs sshpass starship stern step strace stress strings su sudo supervisorctl svn swaks syft sysbench
  sysctl tailscale tailscaled talhelper talosctl tanka tar task tcpdump tea tee telnet terraform terragrunt tflint tfsec tig tilt
  tkn tldr tmux tofu tomlq top tr traefik trash traceroute tree trivy ts tshark uuidgen uv vagrant vault velero vi vim virsh
  virt-install vlan volta wait4x watch watchexec wg wg-quick wget which whois wrk xclip xh xmllint xmlstarlet xorriso xq xxd xz
  yamllint yarn yq zfs zip zpool zsh zstd
`);

/** Programs that take something away: nobody is sent to one of them by a guess. */
export const DESTRUCTIVE = list(`
  blkdiscard cfdisk cryptsetup dd fdisk format halt init kill killall lvremove mkfs mkswap mv parted pkill poweroff reboot rm
  rmdir sfdisk sgdisk shred shutdown swapoff telinit truncate umount unlink userdel vgremove wipe wipefs xkill
`);
