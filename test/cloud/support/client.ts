import {CLIENT, startClient} from '../../../scripts/cloud/client.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'

/** The pod with the clients of OpenStack, as the administrator, once it has been given a token. */
export async function client(): Promise<void> {
  await startClient(kubectl)
  await waitFor(() => token().catch(() => undefined), {until: 'Keystone gives a token', seconds: 120})
}

/** What a script of bash prints in the client's pod; rejects when it fails. */
export function inClient(script: string): Promise<string> {
  return kubectl(['exec', '--namespace', CLIENT.namespace, CLIENT.name, '--', 'bash', '-ec', script])
}

/** What a command of OpenStack's client says, as JSON. */
export async function openstack<T>(command: string): Promise<T> {
  return JSON.parse(await inClient(`openstack ${command} --format json`)) as T
}

/** What a script prints once it succeeds. */
export async function answers(script: string): Promise<string> {
  const said = async () => ({text: await inClient(script)})
  const {text} = await waitFor(() => said().catch(() => undefined), {
    until: `${script} succeeds`,
    seconds: 180,
  })
  return text
}

/** A new token, and when it expires. */
export function token(): Promise<{readonly id: string; readonly expires: string}> {
  return openstack('token issue')
}
