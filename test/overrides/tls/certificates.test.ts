import {createPrivateKey, X509Certificate} from 'node:crypto'
import {once as emitted} from 'node:events'
import {connect, createServer, type TLSSocket} from 'node:tls'
import {expect, onTestFinished, test} from 'vitest'
import {generateSecret} from '../../../src/overrides/generate-secret.ts'
import {makeAuthority} from '../../../src/overrides/tls/authority.ts'
import {certifier} from '../../../src/overrides/tls/certificates.ts'

const NAMES = [
  'glance-api.openstack.svc.cluster.local',
  '*.ovn-nb-peers.openstack.svc.cluster.local',
  '10.1.2.3',
  'fd00::1',
]
const AUTHORITY = makeAuthority()
const KEY = generateSecret('server')

/** The files that a release gets from an authority. */
function filesOf(authority: string, names = NAMES, key = KEY) {
  return {...certifier(authority).certificate(names, key), 'tls.key': key}
}

type Files = ReturnType<typeof filesOf>

/**
 * Connects a client to a server, each with a certificate and the trust of its own authority. Resolves with
 * the server's certificate, or rejects.
 */
async function handshake(server: Files, client: Files, servername: string) {
  const listening = createServer({
    ...{key: server['tls.key'], cert: server['tls.crt'], ca: server['ca.crt']},
    ...{requestCert: true, rejectUnauthorized: true},
  })
  listening.on('tlsClientError', () => {})
  listening.listen(0, '127.0.0.1')
  onTestFinished(() => void listening.close())
  await emitted(listening, 'listening')
  const {port} = listening.address() as {readonly port: number}
  const accepted = emitted(listening, 'secureConnection')
  const socket = connect({
    ...{host: '127.0.0.1', port, servername},
    ...{key: client['tls.key'], cert: client['tls.crt'], ca: client['ca.crt']},
  })
  onTestFinished(() => void socket.destroy())
  await emitted(socket, 'secureConnect')
  const [peer] = (await accepted) as [TLSSocket]
  onTestFinished(() => void peer.destroy())
  return {server: socket.getPeerX509Certificate()!, client: peer.getPeerX509Certificate()!}
}

test('a certificate has its names and addresses, and is signed by an authority that is trusted', () => {
  const files = filesOf(AUTHORITY)
  const certificate = new X509Certificate(files['tls.crt'])
  const authorities = files['ca.crt']
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .map((each) => new X509Certificate(each))

  expect(certificate.subjectAltName).toBe(
    'DNS:glance-api.openstack.svc.cluster.local, DNS:*.ovn-nb-peers.openstack.svc.cluster.local, IP Address:10.1.2.3, IP Address:FD00:0:0:0:0:0:0:1',
  )
  expect(certificate.ca).toBe(false)
  expect(authorities.every(({ca}) => ca)).toBe(true)
  expect(
    authorities.filter(
      (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
    ),
  ).toHaveLength(1)
  expect(certificate.checkHost('ovn-nb-0.ovn-nb-peers.openstack.svc.cluster.local')).toBeDefined()
  expect(certificate.checkHost('glance-api.other.svc.cluster.local')).toBeUndefined()
})

test('the same authority, names and key give the same bytes, and another key another certificate', () => {
  const files = filesOf(AUTHORITY)

  expect(filesOf(AUTHORITY)).toEqual(files)
  expect(filesOf(AUTHORITY, NAMES, generateSecret('server'))['tls.crt']).not.toBe(files['tls.crt'])
  expect(new X509Certificate(files['tls.crt']).checkPrivateKey(createPrivateKey(KEY))).toBe(true)
})

test('each key of a server is different, and does not depend on the authority', () => {
  expect(generateSecret('server')).not.toBe(generateSecret('server'))
})

test('a certificate of another authority is rejected', async () => {
  const [ours, theirs] = [AUTHORITY, makeAuthority()].map((each) => filesOf(each)) as [Files, Files]

  await expect(handshake(theirs, ours, NAMES[0]!)).rejects.toThrow(/self-signed|unable to/)
})

test('before and after a rotation all servers and clients trust each other, in whichever order they are upgraded', async () => {
  const rotated = makeAuthority(AUTHORITY)
  const [former, present, next] = [AUTHORITY, rotated, makeAuthority(rotated)].map((each) =>
    filesOf(each),
  ) as [Files, Files, Files]

  for (const [server, client] of [
    [former, present],
    [present, former],
    [present, next],
    [next, present],
  ] as const) {
    const seen = await handshake(server, client, NAMES[0]!)
    expect(seen.server.fingerprint256).toBe(new X509Certificate(server['tls.crt']).fingerprint256)
    expect(seen.client.fingerprint256).toBe(new X509Certificate(client['tls.crt']).fingerprint256)
  }
  // After two rotations the first key is no longer trusted.
  await expect(handshake(former, next, NAMES[0]!)).rejects.toThrow(/self-signed|unable to/)
})

test('an invalid stored authority is refused, without being shown', () => {
  expect(() => certifier('{"keys": ["secret-thing"]}')).toThrow(expect.objectContaining({code: 'KK_TLS'}))
  expect(() => makeAuthority('secret-thing')).toThrow(/^(?!.*secret-thing)/)
})
