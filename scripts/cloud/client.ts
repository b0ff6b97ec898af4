import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'

const ROOT = join(import.meta.dirname, '../..')

/** The pod with the clients of OpenStack. */
export const CLIENT = {name: 'cloud-client', namespace: 'openstack'}

/** Runs kubectl with standard input; rejects if it fails. */
type Kubectl = (args: readonly string[], input?: string) => PromiseLike<unknown>

interface Cloud {
  readonly global: {
    readonly region: string
    readonly images: {readonly registry: string; readonly namespace: string; readonly tag: string}
    readonly endpoints: {readonly identity: {readonly auth: {readonly admin: {readonly password: string}}}}
  }
}

/**
 * Starts a pod with OpenStack's clients, the cloud administrator's account, and the disk of the guest image.
 */
export async function startClient(kubectl: Kubectl): Promise<void> {
  const {global} = load(await readFile(join(ROOT, 'environments/cloud.yaml'), 'utf8')) as Cloud
  const {registry, namespace, tag} = global.images
  const env = {
    OS_AUTH_URL: 'http://keystone-api:5000/v3',
    OS_USERNAME: 'admin',
    OS_PASSWORD: global.endpoints.identity.auth.admin.password,
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    OS_REGION_NAME: global.region,
    OS_INTERFACE: 'internal',
  }
  const container = {
    name: 'main',
    image: `${registry}/${namespace}/guest:${tag}`,
    // The registry is on the machine: a rebuilt image is pulled at the next start.
    imagePullPolicy: 'Always',
    command: ['sleep', 'infinity'],
    env: Object.entries(env).map(([name, value]) => ({name, value})),
  }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: CLIENT,
    spec: {terminationGracePeriodSeconds: 0, containers: [container]},
  }
  await kubectl(['apply', '--filename', '-'], JSON.stringify(pod))
  const ready = ['--for=condition=Ready', '--timeout=5m']
  await kubectl(['wait', `pod/${CLIENT.name}`, '--namespace', CLIENT.namespace, ...ready])
}
