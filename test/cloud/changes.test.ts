import {beforeAll, describe, expect, it} from 'vitest'
import {token} from './support/client.ts'
import {cloudUp, type Pod, serving, succeed} from './support/cloud.ts'
import {changedEnvironment} from './support/environment.ts'
import {phase} from './support/phase.ts'

beforeAll(cloudUp)

const uids = (pods: readonly Pod[], release: (name: string) => boolean) =>
  pods
    .filter(({metadata}) => release(metadata.labels['app.kubernetes.io/instance']!))
    .map(({metadata}) => metadata.uid)
    .sort()

describe('a changed option of Keystone', () => {
  it("replaces Keystone's pods and no others, and is live", async () => {
    const before = await serving()
    const file = await changedEnvironment({
      values: {keystone: {conf: {keystone: {token: {expiration: 1800}}}}},
    })

    await phase('Keystone reconfigured', () => succeed(['reconfigure', file, '--yes']))

    const after = await serving()
    const {expires} = await token()
    expect(uids(after, (name) => name !== 'keystone')).toEqual(uids(before, (name) => name !== 'keystone'))
    expect(uids(after, (name) => name === 'keystone')).not.toEqual(
      uids(before, (name) => name === 'keystone'),
    )
    expect((Date.parse(expires) - Date.now()) / 1000).toBeLessThanOrEqual(1800)
    expect((Date.parse(expires) - Date.now()) / 1000).toBeGreaterThan(1500)
  })
})
