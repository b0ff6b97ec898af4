import {createHash, createPrivateKey, createPublicKey, type KeyObject, sign} from 'node:crypto'
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

/** The keys of a Secret of the type kubernetes.io/tls as cert-manager fills it, without `tls.key`, in PEM. */
type CertificateFiles = Readonly<Record<'ca.crt' | 'tls.crt', string>>

/** Issues certificates. */
export interface Certifier {
  /**
   * Returns a certificate, for server and client authentication, for these names and addresses and this
   * private key, with all authorities to trust.
   */
  certificate(names: readonly string[], key: string): CertificateFiles
}

/**
 * Returns a certifier for an authority. The same authority, names and key give the same bytes, because the
 * signature of the authority (PKCS #1) has no random part. So certificates are not stored, and unchanged
 * inputs cause no change. Throws `KK_TLS` for an invalid authority.
 */
export function certifier(authority: string): Certifier {
  const parsed = readAuthority(authority)
  const issuer = makeIssuer(presentKey(parsed))
  const trusted = parsed.keys.map((key) => certificateOfAuthority(makeIssuer(key))).join('')
  return {
    certificate(names, key) {
      const publicKey = createPublicKey(key)
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
      return {'ca.crt': trusted, 'tls.crt': certificate}
    },
  }
}

/** Returns the certificate of the signing authority, in PEM. Throws `KK_TLS` for an invalid authority. */
export function presentCertificate(authority: string): string {
  return certificateOfAuthority(makeIssuer(presentKey(readAuthority(authority))))
}

interface Issuer {
  readonly key: KeyObject
  readonly publicKey: KeyObject
  readonly name: string
  readonly since: Date
  /** The time at which the key began to sign, ISO 8601, if it was created before. */
  readonly present: string | undefined
}

function makeIssuer({key, since, present}: AuthorityKey): Issuer {
  const privateKey = createPrivateKey(key)
  const publicKey = createPublicKey(privateKey)
  const name = `kk ${identifierOf(publicKey).toString('hex').slice(0, 12)}`
  return {key: privateKey, publicKey, name, since: new Date(present ?? since), present}
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

interface Subject {
  readonly subject: string
  readonly publicKey: KeyObject
  readonly extensions: readonly Extension[]
}

const YEARS = 10
/** Certificates are valid from a day before the authority, because clocks differ. */
const DAY_MILLISECONDS = 86_400_000
const SHA256_WITH_RSA = new AlgorithmIdentifier({algorithm: '1.2.840.113549.1.1.11', parameters: null})

/** Returns a certificate in PEM, valid as long as the certificate of its issuer. */
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

/**
 * Returns a positive number that is unique among the certificates of an issuer, because a key that begins to
 * sign has two.
 */
function serialNumber(issuer: Issuer, publicKey: KeyObject): ArrayBuffer {
  const digest = createHash('sha256')
    .update(spki(issuer.publicKey))
    .update(spki(publicKey))
    .update(issuer.present ?? '')
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
