import {X509Certificate} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {certificatesCheck, judgeCertificates} from '../../../src/doctor/cluster/certificates.ts'
import type {Examination} from '../../../src/doctor/facts.ts'
import type {SeenCertificates} from '../../../src/kubernetes/diagnosis/diagnosis.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {generateSecret} from '../../../src/overrides/generate-secret.ts'
import {makeAuthority} from '../../../src/overrides/tls/authority.ts'
import {certifier, presentCertificate} from '../../../src/overrides/tls/certificates.ts'

/** Of somebody else, good for 365 days. */
const STATED = `-----BEGIN CERTIFICATE-----
MIIBizCCATKgAwIBAgIUYHsMSN3SmWBn+1szgphMRd2Wb7EwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSc3RhdGVkLmV4YW1wbGUub3JnMB4XDTI2MTEyODIyNTg0MFoX
DTI3MTEyODIyNTg0MFowHTEbMBkGA1UEAwwSc3RhdGVkLmV4YW1wbGUub3JnMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAERsYYrA6kPe77H+A/iVoTCh0VykN7ZFtD
+X7dIwxlIAkE74Tu/JUGIjLYvIHoAe2FI6ro+A6G0MnE0F8YFyJJ5KNQME4wHQYD
VR0OBBYEFPO2fOEEhihCKIvK8GVNkHmyxt/7MB8GA1UdIwQYMBaAFPO2fOEEhihC
KIvK8GVNkHmyxt/7MAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0EAwIDRwAwRAIgI+yR
Se2P4lfnAOr/cW/FSjZWyVl0TTzabcDVpYqqc1QCIHKgh9cC7Qrw/0T8kv6dMOw4
b9/ygUFwXS3bkzIn+aX3
-----END CERTIFICATE-----`
/** Of somebody else, good for 90 days. */
const SHORT = `-----BEGIN CERTIFICATE-----
MIIBijCCATCgAwIBAgIUcHD2jRzTIr5Es2I1bZntucHwZh4wCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRc2hvcnQuZXhhbXBsZS5vcmcwHhcNMjYxMTI4MjI1ODQwWhcN
MjcwMjI2MjI1ODQwWjAcMRowGAYDVQQDDBFzaG9ydC5leGFtcGxlLm9yZzBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABIiremp0JMVOIH4Zwuzzr8QRdGYw/aVDJl4N
OGyBmN5pYfIBZcqk9spws2sivlSZKc1gqOmw2FDLJv2fkHZkbPejUDBOMB0GA1Ud
DgQWBBQH8tuWf3Tv1Rl6wNAluysEOZVsiTAfBgNVHSMEGDAWgBQH8tuWf3Tv1Rl6
wNAluysEOZVsiTAMBgNVHRMBAf8EAjAAMAoGCCqGSM49BAMCA0gAMEUCIQCQ/IFU
1HnUp/2e3vvaFf/zCl6edB3/E+tWqhiwBLqtSwIgIbksO/3lCfvPof3RzApI2Cn+
5h5zQHrVRI8HgpuH/7k=
-----END CERTIFICATE-----`

const DAY = 86_400_000
const AUTHORITY = makeAuthority()
const end = (pem: string) => Date.parse(new X509Certificate(pem).validTo)

/** What kk's Secret of a release has, of an authority. */
function secretOf(name: string, authority = AUTHORITY): SeenCertificates {
  const files = certifier(authority).certificate([name], generateSecret('server'))
  return {...secret(`${name}-tls`, ...Object.values(files)), release: `openstack/${name}`}
}

function secret(name: string, ...texts: readonly string[]): SeenCertificates {
  return {kind: 'Secret', namespace: 'openstack', name, texts}
}

/** What is found that many days before the end of a certificate. */
function foundBefore(days: number, of: string, seen: readonly SeenCertificates[], authority = AUTHORITY) {
  const kept = new Map([['openstack', new X509Certificate(presentCertificate(authority))]])
  const place = {now: end(of) - days * DAY, kubectl: 'kubectl', place: 'cloud.yaml --sandbox'}
  return judgeCertificates(seen, kept, place)
}

describe('the authority of kk', () => {
  const own = presentCertificate(AUTHORITY)
  const servers = [secretOf('nova'), secretOf('keystone')]

  it('is one finding with all servers whose certificates expire with it, from 60 days before', () => {
    expect(foundBefore(61, own, servers)).toEqual([])
    expect(foundBefore(59, own, servers)).toEqual([
      {
        level: 'warning',
        what: `the authority of kk for openstack, and with it the certificates of keystone, nova, ends at ${new Date(end(own)).toISOString()}`,
        advice:
          'kk secrets rotate tls.authority --namespace openstack -e cloud.yaml --sandbox, and then the kk upgrade that it prints',
      },
    ])
  })

  it('is a problem after its expiry', () => {
    expect(foundBefore(-1, own, servers)).toMatchObject([{level: 'problem'}])
  })

  it('lasts for ten years after a rotation, and servers that are not yet upgraded are named', () => {
    const [next, present] = JSON.parse(AUTHORITY).keys
    const aged = [next, present].map((each) => ({...each, since: '2020-01-01T00:00:00Z'}))
    const old = JSON.stringify({keys: aged})
    const rotated = makeAuthority(old)

    expect(end(presentCertificate(rotated)) - Date.now()).toBeGreaterThan(3650 * DAY)
    expect(
      foundBefore(59, presentCertificate(old), [secretOf('nova', old), secretOf('glance', rotated)], rotated),
    ).toMatchObject([
      {
        level: 'warning',
        what: expect.stringMatching(
          /the certificate of nova in the Secret openstack\/nova-tls ends at (?:2029-12-31|2030-01-01)/,
        ),
        advice: 'kk upgrade cloud.yaml nova --sandbox',
      },
    ])
  })
})

describe('a certificate that kk did not issue', () => {
  const stated = {...secret('keystone-tls', STATED), release: 'openstack/keystone'} as const

  it('and that values state is reported with the release that has it', () => {
    expect(foundBefore(61, STATED, [stated])).toEqual([])
    expect(foundBefore(59, STATED, [stated, stated])).toEqual([
      {
        level: 'warning',
        what: expect.stringContaining('stated.example.org in the Secret openstack/keystone-tls ends at'),
        advice:
          'it is set in the values of openstack/keystone: set another, and then kk upgrade cloud.yaml keystone --sandbox',
      },
    ])
  })

  it('and that no known owner renews is reported with its Secret', () => {
    expect(foundBefore(10, STATED, [secret('wildcard', STATED)])).toMatchObject([
      {advice: 'nothing that kk knows renews it: replace it in the Secret openstack/wildcard'},
    ])
  })

  it('with a short lifetime is reported in its last third, and one of cert-manager when its renewal is overdue', () => {
    const managed = {...secret('wildcard', SHORT), manager: 'cloud'}

    expect(foundBefore(31, SHORT, [secret('wildcard', SHORT)])).toEqual([])
    expect(foundBefore(29, SHORT, [secret('wildcard', SHORT)])).toHaveLength(1)
    expect(foundBefore(16, SHORT, [managed])).toEqual([])
    expect(foundBefore(14, SHORT, [managed])).toMatchObject([
      {advice: 'cert-manager has not renewed it: kubectl describe certificate cloud --namespace openstack'},
    ])
  })

  it('is not searched in a bundle of authorities or in a malformed Secret', () => {
    const bundle = secret(
      'trust',
      certifier(AUTHORITY).certificate(['a'], generateSecret('server'))['ca.crt'],
    )
    const broken = secret('broken', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')

    const place = {now: Date.now() + 4000 * DAY, kubectl: 'kubectl', place: 'cloud.yaml'}
    expect(judgeCertificates([bundle, broken], new Map(), place)).toEqual([])
  })
})

it('certificates are searched in Secrets of namespaces with releases, in records and in stated values', async () => {
  const encoded = Buffer.from(STATED).toString('base64')
  const object = (kind: string, name: string, more: object): KubernetesObject => ({
    ...{apiVersion: 'v1', kind, metadata: {name}},
    ...more,
  })
  const record = {release: 'openstack/octavia'}
  const found = await certificatesCheck.run({
    cluster: {
      diagnosis: {
        certificates: async () => [
          secret('wildcard', STATED),
          {...secret('other', STATED), namespace: 'other'},
        ],
      },
      secrets: {list: async () => new Map([['openstack', new Map()]])},
    },
    last: async () => [record],
    readRecords: async () => [
      {
        record,
        objects: [
          object('Secret', 'octavia-certs', {data: {'client.pem': encoded}}),
          object('Secret', 'wildcard', {data: {'tls.crt': encoded}}),
        ],
      },
      {record, unreadable: 'broken'},
    ],
    rendered: async () =>
      new Map([
        [
          'openstack/horizon',
          [object('ConfigMap', 'horizon-etc', {data: {'server.pem': STATED}}), object('Secret', 'a', {})],
        ],
      ]),
    ...{now: end(STATED) - DAY, kubectl: 'kubectl', place: '--sandbox', prepared: undefined},
  } as unknown as Examination)

  expect(found.map(({what, advice}) => [/the (?:Secret|ConfigMap) \S+/.exec(what)?.[0], advice])).toEqual([
    ['the Secret openstack/wildcard', expect.stringContaining('replace it in')],
    ['the Secret openstack/octavia-certs', expect.stringContaining('kk upgrade FILE octavia --sandbox')],
    ['the ConfigMap openstack/horizon-etc', expect.stringContaining('kk upgrade FILE horizon --sandbox')],
  ])
})
