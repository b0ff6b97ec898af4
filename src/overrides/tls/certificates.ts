import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import {isIP} from 'node:net'
import {AsnConvert, OctetString} from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'
import {type AuthorityKey, presentKey, readAuthority} from './authority.ts'

/** The keys of a Secret of the type kubernetes.io/tls as cert-manager fills it, in PEM. */
export type CertificateFiles = Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>

/** What gives certificates. */
export interface Certifier {
  /** Returns the certificate of a server, which is a client of others, for these names and addresses, with its key and all authorities to trust. */
  certificate(names: readonly string[]): CertificateFiles
}

/**
 * Returns what gives certificates of an authority. The same authority and names give the same bytes: the key is derived from that of the
 * authority, and its signature (PKCS #1) has no random part. So nobody has to keep certificates, and what did not change
 * is no change. Throws `KK_TLS` for a text that is no authority.
 */
export function certifier(authority: string): Certifier {
  const parsed = readAuthority(authority)
  const issuer = issuerOf(presentKey(parsed))
  const trusted = parsed.keys.map((key) => certificateOfAuthority(issuerOf(key))).join('')
  return {
    certificate(names) {
      const {keyPem, publicKey} = derivedKey(issuer.key, names)
      const certificate = signed(issuer, {
        subject: names[0]!,
        publicKey,
        extensions: [
          extension(id_ce_basicConstraints, new BasicConstraints(), true),
          extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
          extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth])),
          extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(generalName))),
        ],
      })
      return {'ca.crt': trusted, 'tls.crt': certificate, 'tls.key': keyPem}
    },
  }
}

interface Issuer {
  readonly key: KeyObject
  readonly publicKey: KeyObject
  readonly name: string
  readonly since: Date
}

function issuerOf({key, since}: AuthorityKey): Issuer {
  const privateKey = createPrivateKey(key)
  const publicKey = createPublicKey(privateKey)
  const name = `kk ${identifierOf(publicKey).toString('hex').slice(0, 12)}`
  return {key: privateKey, publicKey, name, since: new Date(since)}
}

function certificateOfAuthority(issuer: Issuer): string {
  return signed(issuer, {
    subject: issuer.name,
    publicKey: issuer.publicKey,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({cA: true}), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
    ],
  })
}

/** The order of the group of P-256 (SEC 2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Derives a key for these names by HKDF; 16 bytes more than the order has make each key as likely as any other (FIPS 186-5, A.2.1). */
function derivedKey(
  authority: KeyObject,
  names: readonly string[],
): {readonly keyPem: string; readonly publicKey: KeyObject} {
  const secret = authority.export({type: 'pkcs8', format: 'der'})
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', JSON.stringify(names), 48))
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (ORDER - 1n)) + 1n
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(d)
  const point = curve.getPublicKey()
  const coordinate = (start: number) => point.subarray(start, start + 32).toString('base64url')
  const jwk = {kty: 'EC', crv: 'P-256', d: d.toString('base64url'), x: coordinate(1), y: coordinate(33)}
  const key = createPrivateKey({key: jwk, format: 'jwk'})
  return {keyPem: key.export({type: 'pkcs8', format: 'pem'}) as string, publicKey: createPublicKey(key)}
}

interface Subject {
  readonly subject: string
  readonly publicKey: KeyObject
  readonly extensions: readonly Extension[]
}

const YEARS = 10
/** Clocks differ. */
const DAY_MILLISECONDS = 86_400_000
const SHA256_WITH_RSA = new AlgorithmIdentifier({algorithm: '1.2.840.113549.1.1.11', parameters: null})

/** Returns a certificate in PEM, valid as long as that of its issuer. */
function signed(issuer: Issuer, {subject, publicKey, extensions}: Subject): string {
  const notBefore = new Date(issuer.since.getTime() - DAY_MILLISECONDS)
  const notAfter = new Date(issuer.since)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + YEARS)
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(issuer, publicKey),
    signature: SHA256_WITH_RSA,
    issuer: named(issuer.name),
    validity: new Validity({notBefore, notAfter}),
    subject: named(subject),
    subjectPublicKeyInfo: AsnConvert.parse(spki(publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([
      ...extensions,
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(identifierOf(publicKey))),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({keyIdentifier: new KeyIdentifier(identifierOf(issuer.publicKey))}),
      ),
    ]),
  })
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), issuer.key)
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: SHA256_WITH_RSA,
    signatureValue: bytesOf(signature),
  })
  const base64 = Buffer.from(AsnConvert.serialize(certificate)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value))})
}

function named(commonName: string): Name {
  // RFC 5280: ub-common-name is 64. Clients read the other names.
  const value = new AttributeValue({utf8String: commonName.slice(0, 64)})
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({type: '2.5.4.3', value})])])
}

function generalName(name: string): GeneralName {
  return isIP(name) ? new GeneralName({iPAddress: name}) : new GeneralName({dNSName: name})
}

/** A positive number that two certificates of one issuer do not share. */
function serialNumber(issuer: Issuer, publicKey: KeyObject): ArrayBuffer {
  const digest = createHash('sha256')
    .update(spki(issuer.publicKey))
    .update(spki(publicKey))
    .digest()
    .subarray(0, 16)
  digest[0] = (digest[0]! & 0x3f) | 0x40
  return bytesOf(digest)
}

function identifierOf(publicKey: KeyObject): Buffer<ArrayBuffer> {
  return Buffer.from(createHash('sha1').update(spki(publicKey)).digest())
}

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({type: 'spki', format: 'der'})
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer
}
