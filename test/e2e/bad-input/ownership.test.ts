import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {atNight} from '../../support/night.ts'
import {kubectl} from '../support/cluster.ts'
import {type Corner, openCorner} from '../support/corner.ts'
import {kkEnvironment} from '../support/kk.ts'
import {expectRefusal, openStanding} from '../support/refusal.ts'

const CHART = join(import.meta.dirname, '../../fixtures/charts/workload')

/** A release of the corner's namespace that plain helm has installed. */
async function installByHelm({name}: Corner, release: string): Promise<void> {
  const helm = join(inject('run').toolbox, 'helm4')
  await execa(helm, ['install', release, CHART, '--namespace', name, '--create-namespace'], {
    env: kkEnvironment(),
    extendEnv: false,
  })
}

describe.concurrent('a release that kk did not install', () => {
  it('is refused if the environment states it', async () => {
    const corner = await openCorner(`
kk:
  OWN
  releases: {before: {chart: workload}, db: {chart: workload, requires: [before]}}
before: {}
db: {replicas: 2}
`)
    await installByHelm(corner, 'db')

    await expectRefusal(corner, ['deploy', 'env.yaml'], {
      exit: 3,
      code: 'KK_FOREIGN',
      says: 'NAME/db exists already (revision 1, deployed), and kk did not install it',
      hint: 'take it over with: kk adopt db; or give it another name or namespace in the file',
    })
  })

  atNight(() => {
    it('is shown by kk plan with the command to adopt it, next to the actions of a deploy', async () => {
      const corner = await openCorner(`
kk:
  OWN
  releases: {db: {chart: workload}, api: {chart: workload, requires: [db]}}
api: {}
`)
      await installByHelm(corner, 'db')

      const {exitCode, stdout} = await corner.kk(['plan', 'env.yaml', '--detailed-exitcode'])
      const saved = await corner.kk(['plan', 'env.yaml', '--save', 'plan.json'])

      expect(exitCode).toBe(4)
      expect(stdout).toMatch(/! to adopt +db +wanted, but kk did not install it .*: kk adopt db/)
      expect(stdout).toContain('plan: 1 to install, 1 to adopt (a deploy is refused before)')
      expect(saved.exitCode).toBe(3)
      expect(saved.stderr).toContain(`KK_FOREIGN: the plan is not saved: ${corner.name}/db is wanted`)
    })
  })

  atNight(() => {
    it('is refused as a requirement of another release', async () => {
      const corner = await openCorner(`
kk:
  OWN
  releases: {db: {chart: workload}, api: {chart: workload, requires: [db]}}
api: {}
`)
      await installByHelm(corner, 'db')

      await expectRefusal(corner, ['deploy', 'env.yaml'], {
        exit: 3,
        code: 'KK_FOREIGN',
        says: 'NAME/db exists already',
        hint: 'take it over with: kk adopt db; or give it another name or namespace in the file',
      })
    })

    it('is listed next to a plan, and not touched, if the environment does not name it', async () => {
      const corner = await openCorner('kk:\n  OWN\n  releases: {api: {chart: workload}}\napi: {}\n')
      await installByHelm(corner, 'db')

      const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml'])

      expect(exitCode, stderr).toBe(0)
      expect(stderr).toMatch(/\? foreign +db +not installed by kk, left alone/)
    })
  })
})

describe.concurrent('a release that another environment owns', () => {
  let corner: Corner
  beforeAll(async () => {
    corner = await openStanding()
    await corner.write(
      'other.yaml',
      `
kk:
  name: other-of-NAME
  namespace: NAME
  charts: [CHARTS]
  releases: {standing: {chart: workload}, new: {chart: workload, requires: [standing]}}
new: {}
`,
    )
  })

  it('is refused in the file, with its owner', async () => {
    await corner.write(
      'stating.yaml',
      `
kk:
  name: other-of-NAME
  namespace: NAME
  charts: [CHARTS]
  releases: {standing: {chart: workload}, new: {chart: workload}}
new: {}
standing: {replicas: 2}
`,
    )

    await expectRefusal(corner, ['deploy', 'stating.yaml'], {
      exit: 3,
      code: 'KK_OWNER',
      says: 'NAME/standing belongs to the environment "NAME", but stating.yaml states it too',
      hint: 'take standing out of the file: releases that require it use it as it is, and "NAME" changes it; for a separate cloud, give it another namespace (kk.namespace); to hand them over to this environment: kk adopt --former-owner NAME',
    })
  })

  it.each([
    ['upgraded by name', ['upgrade', 'other.yaml', 'standing']],
    ['given values by a flag', ['deploy', 'other.yaml', '--set', 'standing:replicas=2']],
  ])('is refused by %s, too', async (_, args) => {
    await expectRefusal(corner, args, {
      exit: 3,
      code: 'KK_OWNER',
      says: 'NAME/standing belongs to the environment "NAME", but the command line asks to change it',
      hint: 'change it with the file of the environment "NAME"',
    })
  })
})

describe.concurrent('a release with an unfinished operation', () => {
  const isLeftAlone = async (status: string) => {
    const corner = await openStanding()
    await kubectl([
      ...['label', 'secret', 'sh.helm.release.v1.standing.v1', `status=${status}`],
      ...['--namespace', corner.name, '--overwrite'],
    ])

    await expectRefusal(corner, ['deploy', 'env.yaml', '--set', 'standing:replicas=2'], {
      exit: 3,
      code: 'KK_PENDING',
      says: `NAME/standing is ${status} at revision 1`,
      hint: status === 'uninstalling' ? 'kk remove standing' : 'kk unlock standing --revision 1',
    })
  }
  const title = 'is refused and not touched while its status is %s'
  it.each(['pending-install'])(title, isLeftAlone)
  atNight(() => {
    it.each(['uninstalling', 'pending-upgrade', 'pending-rollback'])(title, isLeftAlone)
  })
})
