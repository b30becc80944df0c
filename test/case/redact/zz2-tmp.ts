import { createRedactor } from '../../../src/case/redact/redactor.ts';
import { letters, dice, uuid } from './fill.ts';
const r=dice(42); const L=(s:string,n:number)=>letters(s,n,r);
const texts=[
`context: lab
contexts:
    lab:
        endpoints: [10.0.0.10]
        ca: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${L('b64',100)}
        crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${L('b64',100)}
        key: LS0tLS1CRUdJTiBFRDI1NTE5IFBSSVZBVEUg${L('b64',100)}`,
`cluster:
    id: ${L('b64',43)}=
    secret: ${L('b64',43)}=
secrets:
    bootstraptoken: ${L('low',6)}.${L('low',16)}
    secretboxencryptionsecret: ${L('b64',43)}=
trustdinfo:
    token: ${L('low',6)}.${L('low',16)}
certs:
    etcd:
        crt: ${L('b64',120)}
        key: ${L('b64',120)}`,
`users:
- name: admin
  user:
    client-certificate-data: ${L('b64',120)}
    client-key-data: ${L('b64',120)}
    token: ${L('',40)}
    username: admin
    password: hunter22`,
`[Interface]\nPrivateKey = ${L('b64',43)}=\nAddress = 10.6.0.1/24\n[Peer]\nPublicKey = ${L('b64',43)}=\nPresharedKey = ${L('b64',43)}=`,
`provider "proxmox" {\n  pm_api_token_id     = "terraform@pve!lab"\n  pm_api_token_secret = "${uuid(r)}"\n  pm_password = "Sup3r"\n}`,
`curl -k -H 'Authorization: PVEAPIToken=root@pam!t=${uuid(r)}' https://pve:8006`,
`mysql -u root -pS3cretPw1 -h db`,
`docker login -u me -p ${L('',20)} ghcr.io`,
`echo "${L('',20)}" | docker login --password-stdin`,
`{"auths":{"ghcr.io":{"auth":"${L('b64',40)}"}}}`,
`ANSIBLE_VAULT;1.1;AES256\n${L('hex',80)}\n${L('hex',80)}`,
`TASK [x] ok: [h] => {"changed": false, "password": "abcd", "token": "short", "ansible_become_pass":"xyz12"}`,
`env: DATABASE_URL=mysql://root:p@ss/w0rd@db/x`,
`sops_age_key=AGE-SECRET-KEY-1${L('b32',58)}`,
`kubectl create secret generic foo --from-literal=password=hunter2 --from-literal=apikey=${L('',16)}`,
`Your password is: Abc12345!`, `Generated admin password: ${L('',16)}`, `initial admin secret: ${L('',16)}`,
`token ${L('',40)}`, `with secret ${L('',32)} and`, `SECRET_KEY_BASE=${L('hex',128)}`, `JWT_SECRET='${L('',32)}'`,
`api_key => '${L('',24)}'`, `"private_key": "-----BEGIN PRIVATE KEY-----\\n${L('b64',64)}\\n${L('b64',20)}\\n-----END PRIVATE KEY-----\\n"`,
`ssh-rsa AAAAB3NzaC1yc2E${L('b64',200)} me@x`, `X-Auth-Token: ${L('',32)}`, `tailscale up --auth-key=tskey-auth-${L('',12)}-${L('',24)}`,
`k3s: server token ${L('hex',32)}`, `node-token: K10${L('hex',64)}::server:${L('hex',32)}`, `cipassword: ${L('',8)}`, `qm set 100 --cipassword ${L('',10)} --ciuser x`,
`PGPASSWORD=abc psql`, `password: correcthorsebattery`, `pass: foo`, `Enter passphrase: ${L('',9)}`, `ntfy token tk_${L('low',29)}`, `smtp://u:${L('',9)}@mail:25`, `DISCORD_WEBHOOK=https://discord.com/api/webhooks/123/${L('',60)}`,
`machineconfig:\n  token: "${L('low',6)}.${L('low',16)}"`, `access_token\\":\\"${L('',30)}\\"`, `hcloud token ${L('',64)}`, `password = var.db_password`, `token: ghs_${L('',36)}`, `set-cookie: PVEAuthCookie=PVE%3Aroot@pam%3A${L('hex',8)}%3A%3A${L('b64',60)}`,
`- name: API_TOKEN\n  value: ${L('',30)}`, `<password>${L('',12)}</password>`, `password\t${L('',12)}`, `"Password" : "x y z 1"`, `pwd: ${L('',12)}`,
];
for (const t of texts){ const {redact}=createRedactor({secrets:[],nonce:'bcdf2345'}); console.log(redact(t).replace(/SECRET_bcdf2345_(\d+)_([a-z]+)_END/g,'«$2»')); console.log('~~')}
