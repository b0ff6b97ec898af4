import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {atNight} from '../../support/night.ts'
import {start} from './background.ts'
import {waitFor} from './cluster.ts'
import {endings} from './events.ts'
import {done} from './guarded.ts'
import {kk} from './kk.ts'
import type {OperatedCluster} from './operator.ts'

/** How many environments these tests have, those of the night included. */
export const DRIVEN = 7

/** What the command line has the operator do, on a cluster where one runs. */
export function describeViaOperator(given: () => OperatedCluster): void {
  describe.concurrent('--via operator', () => {
    let cluster: OperatedCluster
    beforeAll(() => {
      cluster = given()
    })

    /** An environment that the operator drives, and its file here. */
    async function driven(spec: object = {}) {
      const environment = cluster.environment()
      await environment.apply(environment.text(), spec)
      await environment.has('Ready', 'True')
      return {environment, file: join(inject('run').home, `${environment.name}.yaml`)}
    }

    const late = {pod: {'ready-after': '4s'}}

    /** `kk <words> FILE --via operator`, with this file. */
    async function via({file}: {readonly file: string}, text: string, words: readonly string[]) {
      await writeFile(file, text)
      const [verb, ...rest] = words
      return kk([verb!, file, ...rest, '--via', 'operator', '--sandbox-name', cluster.sandbox])
    }

    it('gives the operator the file and follows what it does, as the refusal offers', async () => {
      const place = await driven()
      const {environment, file} = place
      const text = environment.text({db: {replicas: 2, ...late}, api: {replicas: 2}})
      await writeFile(file, text)

      const refused = await kk(['deploy', file, '--sandbox-name', cluster.sandbox])
      const made = await via(place, text, ['deploy', '--output', 'json'])
      const again = await via(place, text, ['deploy'])

      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).toContain('--via operator')
      expect(made.exitCode, made.stderr).toBe(0)
      expect(JSON.parse(made.stdout)).toMatchObject({
        environment: environment.name,
        releases: [
          {release: `${environment.name}/db`, kind: 'upgrade', state: 'succeeded', revision: 2},
          {release: `${environment.name}/api`, kind: 'upgrade', state: 'succeeded', revision: 2},
        ],
      })
      expect(again.exitCode, again.stderr).toBe(0)
      expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1', 'db 2'])
    })

    it('is refused with a file whose values break the schema of a chart, and the operator keeps the one that it has', async () => {
      const place = await driven()
      const {environment} = place

      const refused = await via(place, environment.text({db: {replicas: 'two'}}), ['deploy'])

      expect(refused.exitCode, refused.stderr).toBe(2)
      expect(refused.stderr).toMatch(/KK_VALUES.*replicas: got string, want integer/s)
      await environment.has('Ready', 'True')
      expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
    })

    atNight(() => {
      it('is left by Ctrl-C, which says how it is followed again', async () => {
        const {environment, file} = await driven()
        await writeFile(file, environment.text({db: {replicas: 2, ...late}, api: {replicas: 2}}))
        const corner = {directory: inject('run').home} as Parameters<typeof start>[0]
        const where = ['--sandbox-name', cluster.sandbox]
        const follower = start(corner, ['deploy', file, '--via', 'operator', ...where])
        await follower.saw(({type}) => type === 'release-started', 'the operator has begun')

        follower.signal('SIGINT')
        const left = await follower.ended()
        const next = await kk(['operator', 'follow', environment.name, ...where, '--output', 'ndjson'])

        expect(left.exitCode, left.stderr).toBe(130)
        expect(left.stderr).toContain(`to follow it again: kk operator follow ${environment.name}`)
        expect(next.exitCode, next.stderr).toBe(0)
        expect(endings(next.stdout)).toContain('api upgrade, revision 2')
        expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1', 'db 2'])
      })

      it('fails as the operator does, and tries again what has failed', async () => {
        const place = await driven()
        const {environment} = place
        const bad = environment.text({db: {replicas: 2, job: {pod: {fail: 'JobFailed'}}}})

        const failed = await via(place, bad, ['deploy'])
        const revisions = async () => (await environment.revisions()).filter((each) => each.startsWith('db'))
        const before = await revisions()
        const again = await via(place, bad, ['deploy'])

        expect(failed.exitCode, failed.stderr).toBe(1)
        expect(failed.stderr).toContain('db   failed')
        expect(failed.stderr).toContain('BackoffLimitExceeded')
        expect(again.exitCode, again.stderr).toBe(1)
        expect((await revisions()).length).toBeGreaterThan(before.length)
      })

      it('says that a plan waits for approval, and is refused where nothing would be done', async () => {
        const place = await driven({approval: {required: ['upgrade']}})
        const {environment} = place

        const waiting = await via(place, environment.text({api: {replicas: 2}}), ['deploy'])
        await done(cluster.operator('pause', environment.name))
        const paused = await via(place, environment.text({api: {replicas: 3}}), ['deploy'])

        expect(waiting.exitCode, waiting.stderr).toBe(3)
        expect(waiting.stderr).toContain(`KK_UNAPPROVED`)
        expect(waiting.stderr).toContain(`kk operator approve ${environment.name} `)
        expect(paused.exitCode, paused.stderr).toBe(3)
        expect(paused.stderr).toContain(`kk operator resume ${environment.name}`)
        expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
      })

      it('upgrades named releases only where nothing else would be changed', async () => {
        const place = await driven()
        const {environment} = place

        const more = await via(place, environment.text({db: {replicas: 2}, api: {replicas: 2}}), [
          'upgrade',
          'api',
        ])
        const same = await via(place, environment.text({api: {replicas: 2}}), ['upgrade', 'api'])
        await waitFor(async () => (await environment.revisions()).includes('api 2'), {
          until: 'api is upgraded',
        })

        expect(more.exitCode, more.stderr).toBe(3)
        expect(more.stderr).toContain(`it would also upgrade ${environment.name}/db`)
        expect(same.exitCode, same.stderr).toBe(0)
        expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
      })

      it('says what keeps the operator from making a plan', async () => {
        const place = await driven()
        const {environment} = place
        await writeFile(place.file, environment.text())
        await environment.apply('api: {')

        const {exitCode, stderr} = await kk([
          ...['operator', 'follow', environment.name, '--sandbox-name', cluster.sandbox],
        ])

        expect(exitCode).toBe(2)
        expect(stderr).toContain('KK_YAML')
      })
    })
  })
}
