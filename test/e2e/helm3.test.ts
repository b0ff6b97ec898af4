import {join} from 'node:path'
import {describe, expect, inject, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {makeEnvironment, workloads} from './support/environment.ts'
import {revisions} from './support/records.ts'

describe.concurrent('a release', () => {
  it('that helm 4 has applied is refused with helm 3', async () => {
    const environment = await makeEnvironment({content: workloads({db: {}})})
    await environment.deploy()
    await environment.write(workloads({db: {values: {replicas: 2}}}))
    const helm3 = join(inject('run').toolbox, 'helm3')

    const {exitCode, stderr} = await environment.kk('deploy', '--helm', helm3)

    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/KK_HELM_DOWNGRADE.*db was applied on the server side by helm 4/)
    expect(await revisions(environment.name)).toEqual({db: 1})
  })

  atNight(() => {
    it('that helm 3 has applied is accepted with helm 4', async () => {
      const environment = await makeEnvironment({content: workloads({db: {}}), helm: 'helm3'})
      await environment.deploy()
      await environment.write(workloads({db: {values: {replicas: 2}}}))
      const helm4 = join(inject('run').toolbox, 'helm4')

      const {exitCode, stderr} = await environment.kk('deploy', '--helm', helm4)

      expect(exitCode, stderr).toBe(0)
      expect(await revisions(environment.name)).toEqual({db: 2})
    })
  })
})
