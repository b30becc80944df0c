// What is never a repair, whatever the log says: booleans, numbers, negations, addresses and accounts.

const BOOLEAN = /^(?:true|false|yes|no|on|off|y|n|null|none|nil|~)$/i;
const NUMBER = /^[-+]?v?\d[\d._:/x-]*(?:[A-Za-z%]{1,3})?$/;
const IP = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,}\b/i;
const MAC = /\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b/i;
const HOST_AND_PORT = /(?<![\w$])[\w.-]+:\d{2,5}\b/;
/** Two labels at least, the last of letters, as domains have; what has an ending of a file is a file. */
const DOMAIN = /^(?:[a-z0-9_-]+\.)+(?:[a-z]{2,})\.?$/i;
const FILE_ENDING =
  /\.(?:ya?ml|json5?|toml|sh|bash|py|js|mjs|ts|j2|tmpl|tpl|gotmpl|tf|tfvars|hcl|conf|cfg|ini|env|mk|just|md|txt|csv|xml|sql|service|timer|lock|log|pem|crt|key|img|iso|qcow2|gz|tgz|zip|tar|lua|rb|go|nix|rules|list|repo|html?|css|svg|png)$/i;
/** What a key's value says who somebody is or where something is, even where it resolves. */
const ACCOUNT =
  /^(?:user(?:name|s)?|owner|group|run_?as(?:user|group)?|become_user|remote_user|ansible_user|service_?account(?:_?name)?|uid|gid|subjects?|principal)$/i;
const PLACE =
  /^(?:host(?:s|name|names)?|server|servers|address(?:es)?|endpoint|endpoints|url|urls|domain|domains|ip|ips|port|ports|mail|email|device|devices|disk|interface|iface|gateway|nameservers?|registry|repository|repo|image|mirror|proxy|listen|bind|peer|peers|cidr|subnet|network_?cidr|cluster_?ip|external_?ips?)$/i;

export const isBoolean = (word: string): boolean => BOOLEAN.test(word);
/** Versions, tags, digests and sizes are numbers. */
export const isNumber = (word: string): boolean => NUMBER.test(word) || /^sha\d+:/.test(word) || /^\d/.test(word);

/** Whether a text is, or has in it, an address: IP, CIDR, URL, host and port, domain, mail, device, absolute path. */
export function isAddress(text: string): boolean {
  if (/:\/\/|@\w|^\/|^~/.test(text) || IP.test(text) || MAC.test(text) || HOST_AND_PORT.test(text)) return true;
  return DOMAIN.test(text) && !FILE_ENDING.test(text);
}

/** `role`: the key whose value it is. */
export const isAccountKey = (role: string): boolean => ACCOUNT.test(role.replace(/-/g, '_'));
export const isAddressKey = (role: string): boolean => PLACE.test(role.replace(/-/g, '_'));

const DIRECTIVE =
  /(?:^|\s)[\w.-]+\s*[:=]\S|^\s*[\w-]+:|\b(?:no(?:qa|lint|sec|inspection)\w*|ignore\w*|skip\w*|disable\w*|enable\w*|suppress\w*|exclude\w*|allow\w*|pragma|cloud-config|syntax)\b|^!|\{[{%#]|^\s*[-+]\w/i;

/** Whether a comment speaks to a tool: `# shellcheck disable=…`, `# noqa`, `#!`, `#cloud-config`. What looks like one is one. */
export const isDirective = (comment: string): boolean => DIRECTIVE.test(comment.replace(/^\s*(?:#|\/\/|;|--|"")/, ''));
