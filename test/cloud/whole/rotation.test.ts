import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {uniqueName, waitFor} from '../../e2e/support/cluster.ts'
import {inClient, token} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'

beforeAll(() => cloudUp())

/** Fernet's keys: 0 is the next one, the highest signs. */
async function keys(): Promise<readonly string[]> {
  const secret = JSON.parse(
    await kubectl(['get', 'secret', '--namespace', NAMESPACE, 'keystone-fernet-keys', '--output', 'json']),
  ) as {readonly data: Readonly<Record<string, string>>}
  return Object.keys(secret.data).toSorted((one, other) => Number(one) - Number(other))
}

const keysOfServer = async () =>
  (
    await kubectl([
      ...['exec', '--namespace', NAMESPACE, 'deployment/keystone-api', '--container', 'api', '--'],
      ...['ls', '/etc/keystone/fernet-keys'],
    ])
  ).split(/\s+/)

/** Whether Keystone takes a token that it once gave. */
const isTaken = (id: string) =>
  inClient(
    `curl --silent --fail --output /dev/null --header 'X-Auth-Token: ${id}' --header 'X-Subject-Token: ${id}' "$OS_AUTH_URL/auth/tokens"`,
  ).then(
    () => true,
    () => false,
  )

describe('keystone: the CronJob that rotates token keys', {timeout: 600_000}, () => {
  it('adds a key that signs from then on, and earlier tokens stay valid', async () => {
    const before = await token()
    const had = await keys()
    const job = uniqueName('fernet-rotate')

    await kubectl(['create', 'job', '--namespace', NAMESPACE, job, '--from=cronjob/keystone-fernet-rotate'])
    await kubectl([
      ...['wait', '--namespace', NAMESPACE, `job/${job}`, '--for=condition=Complete', '--timeout=300s'],
    ])

    const has = await keys()
    const newest = String(Number(had.at(-1)) + 1)
    expect(has.at(-1)).toBe(newest)
    expect(has[0]).toBe('0')
    await waitFor(async () => (await keysOfServer()).includes(newest), {
      until: 'the server has the key without a new pod',
      seconds: 180,
    })
    const after = await token()
    expect([await isTaken(before.id), await isTaken(after.id), await isTaken('nobody')]).toEqual([
      true,
      true,
      false,
    ])
    await kubectl(['delete', 'job', '--namespace', NAMESPACE, job])
  })
})
