// Names of programs: those on the PATH, those that are right as they stand though not installed here, and those that no
// repair may run.
import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';

/** The names in all folders of `path`; a folder that cannot be read has none. */
export async function programsOnPath(path: string): Promise<Set<string>> {
  const folders = [...new Set(path.split(delimiter))].filter(isAbsolute);
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return new Set(names.flat());
}

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Builtins and keywords of bash. */
export const BUILT_IN = list(`
  alias bg bind break builtin caller case cd command compgen complete continue coproc declare dirs disown do done echo elif
  else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill let local
  logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test then time
  times trap true type typeset ulimit umask unalias unset until wait while
`);

/** Well-known programs: one that is not found is not installed, not mistyped. */
export const WELL_KNOWN = list(`
  ack act addpart ag age agetty aider air ansible apk apt arch argo argocd aria2c arp arpd arptables-nft asdf atop awk
  aws az b2sum badblocks base32 base64 basename basenc bat bats bazel bc bird blkdiscard blkid blkzone blockdev bmon
  bpftool brew bridge btm btop btrfs buf buildah bun bundle bundler bunzip2 busctl bw bzcat bzcmp bzdiff bzegrep bzexe
  bzfgrep bzgrep bzip2 bzip2recover bzless bzmore c_rehash caddy calicoctl cargo cat ccze certbot cfssl chage chattr
  chcon chcpu chezmoi chfn chgpasswd chgrp chmem chmod choom chown chpasswd chroot chrt chsh cilium cksum clang
  cloudflared cmake cmctl cmp code comm conftest consul cosign cowsay cpgr cppw crane crictl cron crontab csplit
  csvcut ctr ctrlaltdel ctstat cue curl cut dagger dasel date dcb debugfs delpart delta delv deno devlink dhclient
  diff diff3 difft dig dir dircolors direnv dirname dive dmesg dnf dnsdomainname dnstap-read doas docker dockerd doctl
  dog domainname drone duf dumpe2fs dust e2freefrag e2fsck e2image e2label e2mmpstatus e2scrub e2scrub_all e2undo
  e4crypt e4defrag easyrsa ebtables-nft echo ed egrep eksctl emacs entr env envsubst esbuild etcdctl etcdutl exa
  expand expect expiry expr eza factor fail2ban faillog fallocate false fd ffmpeg fgrep filefrag find findfs findmnt
  fio firewalld fish flatpak flex flock flux fmt fold fping free fsadm fsck fsck.cramfs fsck.ext2 fsck.ext3 fsck.ext4
  fsck.minix fsfreeze fstrim fuser fzf gawk gcc gcloud gdb genl getcap getconf getent getopt getty gh git gitea
  gitleaks glab glances glow gmake go gomplate gopass gpasswd gpg gping gradle grep groff grops groupadd groupdel
  groupmems groupmod groups grpck grpconv grpcurl grpunconv gum gunzip gzexe gzip hadolint haproxy hardlink head helm
  helmfile hexdump hey hostctl hostid hostname hostnamectl htop htpasswd http httpie hubble hugo hurl hyperfine i386
  iconv iconvconfig ifconfig iftop incus inotifywait install ionice iotop ip ip6tables ip6tables-apply ip6tables-nft
  ipcalc ipcmk ipcrm ipcs iperf iperf3 ipmaddr ipmitool ipset iptables iptables-apply iptables-legacy iptables-nft
  iptables-xml iptunnel isosize istioctl iw java jc jinja2 jless jo join journalctl jq jsonnet just k0s k3d k3s k6 k8s
  k9s kail kbld kcat kernel-install keytool kics kill killall kind kn ko kompose kops krew ksh kube kubeadm
  kubeconform kubectl kubectx kubelet kubens kubent kubeseal kubeval kustomize last lastb lastlog lazydocker lazygit
  ld.so ldapsearch ldattach ldconfig ldd less link linkerd linux32 linux64 lnstat locale localectl localedef logger
  login loginctl logname losetup lsattr lsb_release lsblk lscpu lsipc lslocks lslogins lsmem lsns lsof lua luac
  lvchange lvconvert lvcreate lvdisplay lvextend lvm lvmconfig lvmdiskscan lvmdump lvmpolld lvmsadc lvmsar lvreduce
  lvremove lvrename lvresize lvs lvscan lxc lxd lynx lz4 lzmainfo mail make mariadb mawk mc mcookie md5sum mdig mesg
  mii-tool mise mkcert mkdir mkdocs mke2fs mkfifo mkfs mkfs.bfs mkfs.cramfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.minix
  mknod mkpasswd mkswap mktemp mongosh more mosh mosquitto_pub mount mountpoint mtr multipass mutt mysql mysqldump
  namei nameif nano nc ncat ncdu nerdctl netcat netstat networkctl newgrp newusers nfnl_osf nft nginx nice
  nisdomainname nix nmap nmcli node nohup nologin nomad npm nproc npx nsenter nslookup nstat nsupdate ntpd ntpq numfmt
  nvim oathtool oc ollama op opa openssl openvpn packer pandoc parallel parted partx pass passwd paste patch pathchk
  pct peekfd perl pg_dump pg_isready pgrep php pidof pidwait ping pinky pip pip3 pipx pivot_root pkill pkl pldd
  plipconfig pmap pnpm podman poetry pre-commit printenv printf prlimit promtool proxychains prtstat ps pslog psql
  pstree pstree.x11 ptx pulumi puppet pv pvchange pvck pvcreate pvdisplay pvesh pvesm pveum pvmove pvremove pvresize
  pvs pvscan pwck pwconv pwd pwdx pwgen pwsh pwunconv pyenv pytest python python2 python3 pyvenv qemu-img qm qrencode
  rake rarp rbw rclone rdma readlink readprofile realpath redis-cli regctl rename.ul renice resize2fs resizepart
  restic rev rg rgrep ripgrep rmdir rmq rmt-tar route routel rpm rrsync rsync rsync-ssl rtacct rtcwake rtmon rtstat
  ruby ruff runcon runuser rustc rustup s3cmd s5cmd salt sbt scp screen script scriptlive scriptreplay sd sdiff sed
  seq setarch setcap setpriv setsid setterm sfdisk sftp sgdisk sha1sum sha224sum sha256sum sha384sum sha512sum
  shadowconfig shellcheck shfmt shred shuf skaffold skill skopeo slabtop slack slattach sleep slogin smartctl snap
  snice snmpwalk socat sops sort split sponge sqlite3 squid ss ssh ssh-add ssh-agent ssh-argv0 ssh-copy-id ssh-keygen
  ssh-keyscan sshd sshfs sshpass starship stat stdbuf step stern strace stress strings stty su sudo sulogin sum
  supervisorctl svn swaks swaplabel swapoff swapon switch_root syft sync sysbench sysctl systemctl systemd
  systemd-mount systemd-umount tac tail tailscale tailscaled talhelper talosctl tanka tar tarcat task taskset tcpdump
  tea tee telnet terraform terragrunt test tflint tfsec tig tilt timedatectl timeout tipc tkn tldr tload tmux tofu
  tomlq top touch tr traceroute traefik trash tree trivy true truncate ts tshark tsort tty tune2fs tzselect uclampset
  umount uname uncompress unexpand uniq unlink unshare unxz uptime useradd userdel usermod users utmpdump uuidgen uv
  vagrant vault vdir vdpa velero vgcfgbackup vgcfgrestore vgchange vgck vgconvert vgcreate vgdisplay vgexport vgextend
  vgimport vgimportclone vgmerge vgmknodes vgreduce vgremove vgrename vgs vgscan vgsplit vi vigr vim vipw virsh
  virt-install vlan vmstat volta wait4x wall watch watchexec wdctl wg wg-quick wget whereis which who whoami whois
  wipefs wrk xargs xclip xh xmllint xmlstarlet xorriso xq xtables-monitor xxd xz xzcat xzcmp xzdiff xzegrep xzfgrep
  xzgrep xzless xzmore yamllint yarn yes ypdomainname yq zcat zcmp zdiff zdump zegrep zfgrep zforce zfs zgrep zic zip
  zless zmore znew zpool zramctl zsh zstd
`);

/** Destructive programs: no repair writes one of these names. */
export const DESTRUCTIVE = list(`
  blkdiscard cfdisk cryptsetup dd fdisk format halt init kill killall lvremove mkfs mkswap mv parted pkill poweroff reboot rm
  rmdir sfdisk sgdisk shred shutdown swapoff telinit truncate umount unlink userdel vgremove wipe wipefs xkill
`);
