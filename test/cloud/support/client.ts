import {readFile} from 'node:fs/promises'
import {load} from 'js-yaml'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {CLOUD} from './environment.ts'
import {imageOf} from './images.ts'

const NAME = 'client'
const NAMESPACE = 'openstack'

/** A pod with the client of OpenStack, as the administrator, once it has been given a token. */
export async function client(): Promise<void> {
  const {global} = load(await readFile(CLOUD, 'utf8')) as {
    readonly global: {
      readonly endpoints: {readonly identity: {readonly auth: {readonly admin: {readonly password: string}}}}
    }
  }
  const env = {
    OS_AUTH_URL: 'http://keystone-api:5000/v3',
    OS_USERNAME: 'admin',
    OS_PASSWORD: global.endpoints.identity.auth.admin.password,
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  }
  await kubectl(['apply', '--filename', '-'], {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: NAME, namespace: NAMESPACE},
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image: imageOf('toolbox'),
          command: ['sleep', 'infinity'],
          env: Object.entries(env).map(([name, value]) => ({name, value})),
        },
      ],
    },
  })
  await waitFor(() => token().catch(() => undefined), {until: 'Keystone gives a token', seconds: 120})
}

/** What a script of bash prints in the client's pod; rejects when it fails. */
export function inClient(script: string): Promise<string> {
  return kubectl(['exec', '--namespace', NAMESPACE, NAME, '--', 'bash', '-ec', script])
}

/** The same once the script succeeds. */
export async function answers(script: string): Promise<string> {
  const said = async () => ({text: await inClient(script)})
  const {text} = await waitFor(() => said().catch(() => undefined), {
    until: `${script} succeeds`,
    seconds: 180,
  })
  return text
}

/** A new token, and when it expires. */
export async function token(): Promise<{readonly id: string; readonly expires: string}> {
  return JSON.parse(await inClient('openstack token issue --format json'))
}
