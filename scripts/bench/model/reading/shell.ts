// Scripts of which the shell makes something other than was meant.
import { HEAD, reading } from './stage.ts';

const RUN = 'stages/web/run.sh';

export const readingShell = [
  reading('a variable used before it is set', {
    files: {
      [RUN]: `${HEAD}settings=config/web/site.conf
scheme=https
site="$(sed -n 's/^site=//p' "$settings")"
base="$scheme://$site"
probe="$base/healthz"
echo "$base" >"$STATE/base"
echo "$probe" >"$STATE/probe"
`,
      'config/web/site.conf': 'title=Home\nsite=home.arpa\n',
    },
    fault: [
      RUN,
      `site="$(sed -n 's/^site=//p' "$settings")"\nbase="$scheme://$site"\nprobe="$base/healthz"\n`,
      `base="$scheme://$site"\nprobe="$base/healthz"\nsite="$(sed -n 's/^site=//p' "$settings")"\n`,
    ],
    check: `stages/web/run.sh
[ "$(cat "$STATE/base") $(cat "$STATE/probe")" = "https://home.arpa https://home.arpa/healthz" ] ||
  fault "the probe of home.arpa goes to $(cat "$STATE/probe")"
echo "the probe is right"
`,
  }),

  reading('a here-document that expands nothing', {
    files: {
      [RUN]: `${HEAD}. config/web/site.env
cat >"$STATE/site.conf" <<EOF
server {
  server_name $SITE;
  listen $LISTEN;
}
EOF
proxy check "$STATE/site.conf"
`,
      'config/web/site.env': '# shellcheck shell=bash disable=SC2034\nSITE=home.arpa\nLISTEN=8443\n',
    },
    fault: [RUN, '<<EOF', "<<'EOF'"],
    tools: {
      proxy: `name="$(sed -n 's/^ *server_name \\(.*\\);$/\\1/p' "$2")"
case "$name" in
  *[!a-z0-9.-]* | '') echo "proxy: [emerg] invalid server name \\"$name\\" in the configuration" >&2; exit 1 ;;
esac
echo "proxy: the configuration is sound"
`,
    },
    check: `stages/web/run.sh
[ "$(tr -d ' \\n' <"$STATE/site.conf")" = "server{server_namehome.arpa;listen8443;}" ] || fault "the proxy serves another site"
cp -r stages config "$STATE"
cd "$STATE"
sed -i 's/8443/9443/' config/web/site.env
MENDLOOP_ROOT="$STATE" stages/web/run.sh
grep -q 'listen 9443;' site.conf || fault "the proxy does not follow config/web/site.env"
echo "the site is served"
`,
  }),

  reading('numbers compared as strings', {
    files: {
      [RUN]: `${HEAD}stages/web/room.sh 12000 9000
echo "room for the image"
`,
      'stages/web/room.sh': `${HEAD}# room.sh FREE NEEDED, both in MB
free="$1"
needed="$2"
if [ "$free" -lt "$needed" ]; then
  echo "error: the image does not fit: $free MB free, $needed MB needed" >&2
  exit 1
fi
`,
    },
    fault: ['stages/web/room.sh', '[ "$free" -lt "$needed" ]', '[[ "$free" < "$needed" ]]'],
    check: `stages/web/run.sh
for pair in '100 99' '9000 9000' '12000 9000' '5 0'; do
  stages/web/room.sh \${pair% *} \${pair#* } || fault "$pair is room enough"
done
for pair in '99 100' '9000 12000' '0 1'; do
  if stages/web/room.sh \${pair% *} \${pair#* } 2>/dev/null; then fault "$pair is not room enough"; fi
done
grep -qF 'stages/web/room.sh 12000 9000' stages/web/run.sh || fault "the room is not looked at"
echo "there is room"
`,
  }),

  reading('a test that is the wrong way round', {
    files: {
      [RUN]: `${HEAD}for node in $NODES; do
  state="$(machine state "$node")"
  if ! grep -qx ready <<<"$state"; then
    echo "error: $node is not ready" >&2
    exit 1
  fi
done
echo "all nodes are ready"
`,
    },
    fault: [RUN, 'if ! grep', 'if grep'],
    tools: { machine: `case "$2" in *off) echo starting ;; *) echo ready ;; esac\n` },
    check: `NODES='cp1 w1' stages/web/run.sh
for nodes in 'cp1 w1-off' 'cp1-off w1' 'w2-off'; do
  if NODES="$nodes" stages/web/run.sh >/dev/null 2>&1; then fault "$nodes: a node that is off was taken for ready"; fi
done
echo "readiness is judged soundly"
`,
  }),

  reading('a wrong default of a variable', {
    files: {
      [RUN]: `${HEAD}# Reached from every machine of the house, unless the owner says otherwise.
listen="\${WEB_LISTEN:-0.0.0.0:8080}"
admin="\${WEB_ADMIN:-127.0.0.1:9090}"
printf 'web %s\\nadmin %s\\n' "$listen" "$admin" >"$STATE/listen"
`,
    },
    fault: [RUN, 'WEB_LISTEN:-0.0.0.0', 'WEB_LISTEN:-127.0.0.1'],
    check: `unset WEB_LISTEN WEB_ADMIN
stages/web/run.sh
grep -q '^web 127' "$STATE/listen" && fault "10.0.0.7 got no page from web on 10.0.0.5:8080; on 10.0.0.5 itself it is there"
[ "$(tr '\\n' ' ' <"$STATE/listen")" = "web 0.0.0.0:8080 admin 127.0.0.1:9090 " ] || fault "web listens elsewhere: $(cat "$STATE/listen")"
WEB_LISTEN=10.0.0.5:80 stages/web/run.sh
grep -qx 'web 10.0.0.5:80' "$STATE/listen" || fault "what the owner says does not count"
echo "web is reached"
`,
  }),
];
