import {once} from 'node:events'
import type {IncomingMessage} from 'node:http'
import {request} from 'node:https'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Node} from '../../src/sandbox/node/node.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {kubectl, makeNamespace, nodeUp} from './support/node.ts'
import {inPod, pushImage, startPod} from './support/pods.ts'

const HTTPD =
  '/bin/busybox mkdir -p /tmp/www; echo "answer of web" >/tmp/www/index.html; exec /bin/busybox httpd -f -p 8080 -h /tmp/www'

let node: Node
let namespace: string
beforeAll(async () => {
  node = await nodeUp()
  await pushImage()
  namespace = await makeNamespace()
  const ready = {readinessProbe: {httpGet: {path: '/', port: 8080}, periodSeconds: 1}}
  await startPod({namespace, name: 'web', labels: {app: 'web'}, script: HTTPD, container: ready})
  await startPod({namespace, name: 'client'})
  for (const [name, spec] of Object.entries({
    web: {type: 'NodePort'},
    headless: {clusterIP: 'None'},
  })) {
    const ports = [{port: name === 'web' ? 80 : 8080, targetPort: 8080}]
    const service = {apiVersion: 'v1', kind: 'Service', metadata: {name, namespace}}
    await kubectl(['create', '--filename', '-'], {...service, spec: {...spec, ports, selector: {app: 'web'}}})
  }
  await waitFor(() => get('client', 'web').catch(() => undefined), {until: 'the Service answers'})
})
afterAll(() => kubectl(['delete', 'namespace', namespace]))

function get(pod: string, address: string): Promise<string> {
  return inPod(namespace, `/usr/bin/curl --silent --show-error --fail --max-time 5 http://${address}`, pod)
}

describe('a Service of the all-in-one node', () => {
  it.each(['web', 'web.NAMESPACE', 'web.NAMESPACE.svc.cluster.local', 'headless:8080'])(
    'responds to a pod by the name %s',
    async (name) => {
      expect(await get('client', name.replace('NAMESPACE', namespace))).toBe('answer of web')
    },
  )

  it('responds to the pod behind it', async () => {
    expect(await get('web', `web.${namespace}`)).toBe('answer of web')
  })

  it('responds to this machine: at its address, and at its NodePort', async () => {
    const jsonpath = 'jsonpath={.spec.clusterIP} {.spec.ports[0].nodePort}'
    const service = await kubectl(['get', 'service', '--namespace', namespace, 'web', '--output', jsonpath])
    const [address, port] = service.split(' ')

    const byAddress = await fetch(`http://${address}/`).then((answer) => answer.text())
    const byPort = await fetch(`http://${node.address}:${port}/`).then((answer) => answer.text())

    expect([byAddress, byPort]).toEqual(['answer of web\n', 'answer of web\n'])
  })
})

describe('a pod of the all-in-one node', () => {
  it('reaches the API server by its name', async () => {
    const probe = '/usr/bin/curl --silent --insecure --max-time 5 https://kubernetes.default/version'

    expect(await inPod(namespace, probe, 'client')).toContain('"gitVersion": "v1.')
  })

  it('reaches the registry on the bridge', async () => {
    const answer = await get('client', `${node.registryForPods}/v2/busybox/tags/list`)

    expect(JSON.parse(answer)).toEqual({name: 'busybox', tags: ['test']})
  })

  it('gets NXDOMAIN for a name that does not exist', async () => {
    const lookup = inPod(namespace, '/bin/busybox nslookup no-such-service', 'client')

    await expect(lookup).rejects.toThrow('NXDOMAIN')
  })
})

describe('the kubelet of the all-in-one node', () => {
  it('rejects requests without a certificate', async () => {
    const [answer] = await once(
      request(`https://${node.address}:10250/pods`, {rejectUnauthorized: false}).end(),
      'response',
    )

    expect((answer as IncomingMessage).statusCode).toBe(401)
  })
})
