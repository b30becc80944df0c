// A certificate that nobody vouches for, made anew for each test: no key lies in the repository, and no program is needed.
import { createSign, generateKeyPairSync } from 'node:crypto';

const der = (tag: number, ...parts: (Buffer | number[])[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const COMMON_NAME = [0x55, 0x04, 0x03];
const ALTERNATIVE_NAME = [0x55, 0x1d, 0x11];
const ECDSA_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

const time = (at: number) => {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(0x18, [...Buffer.from(digits)]);
};

/** For 127.0.0.1, valid from an hour ago until `validMs` from now. */
export function selfSigned(validMs = 3_600_000): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(der(0x06, COMMON_NAME), der(0x0c, [...Buffer.from('mendloop test')]))));
  const algorithm = sequence(der(0x06, ECDSA_SHA256));
  const names = sequence(der(0x87, [127, 0, 0, 1]));
  const extension = sequence(der(0x06, ALTERNATIVE_NAME), der(0x04, names));
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    name,
    sequence(time(Date.now() - 3_600_000), time(Date.now() + validMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const bytes = sequence(body, algorithm, der(0x03, [0], signature));
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
