import {beforeAll, describe, expect, it} from 'vitest'
import {atNight} from '../../support/night.ts'
import {waitFor} from './cluster.ts'
import {deployStores, done, guardStatus, type OwnCluster, STORE} from './guarded.ts'

/**
 * What the guard denies and what it lets go, whoever asks; on that control plane, where it stays installed.
 */
export function describeGuard(version: 'helm3' | 'helm4', given: () => OwnCluster): void {
  describe(`the guard against kubectl and ${version}`, () => {
    let cluster: OwnCluster
    let environment: Awaited<ReturnType<typeof deployStores>>
    let namespace: string
    beforeAll(async () => {
      cluster = given()
      environment = await deployStores(cluster, version)
      namespace = environment.name
      await done(cluster.guard('install', '--yes'))
    })

    const remove = (...objects: readonly string[]) =>
      cluster.kubectl('delete', '--namespace', namespace, ...objects)
    const helm = (...args: readonly string[]) => cluster.helm(version, ...args, '--namespace', namespace)
    const claims = async () =>
      (await done(cluster.kubectl('get', 'pvc', '--namespace', namespace, '--output', 'name'))).split('\n')

    it.each([
      ['a StatefulSet', 'statefulset/db'],
      ['a claim of the chart', 'pvc/db-backup'],
      ['a claim that a StatefulSet made', 'pvc/data-db-0'],
      ['the deployed record', 'secret/sh.helm.release.v1.db.v1'],
      ['all StatefulSets at once', 'statefulset', '--all', '--dry-run=server'],
    ])('denies the deletion of %s, and says how it is approved', async (_, ...objects) => {
      const {exitCode, stderr} = await remove(...objects)

      expect(exitCode).toBe(1)
      expect(stderr).toContain(`belongs to the protected release ${namespace}/db, and may not be deleted`)
      expect(stderr).toContain(`kk guard approve ${namespace}/db`)
    })

    atNight(() => {
      it('denies the deletion of a claim that only its label says is of the release', async () => {
        const claim = {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: {name: 'copy', namespace, labels: {'app.kubernetes.io/instance': 'db'}},
          spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
        }
        await done(cluster.create(claim))

        const {stderr} = await remove('pvc/copy')

        expect(stderr).toContain(`belongs to the protected release ${namespace}/db`)
      })
    })

    it('denies the deletion of the namespace, of which nothing goes', async () => {
      const before = await cluster.snapshot(namespace)

      const {exitCode, stderr} = await cluster.kubectl('delete', 'namespace', namespace)

      expect(exitCode).toBe(1)
      expect(stderr).toContain(`Namespace ${namespace} holds what is protected, ${namespace}/db`)
      expect(stderr).toContain(`kk guard approve ${namespace}/db --with-namespaces`)
      expect(await cluster.snapshot(namespace)).toBe(before)
    })

    it('denies helm uninstall before it has deleted anything', async () => {
      const before = await cluster.snapshot(namespace)

      const {exitCode, stderr} = await helm('uninstall', 'db')

      expect(exitCode).toBe(1)
      expect(stderr).toContain(`the release ${namespace}/db is protected and may not be uninstalled`)
      expect(stderr).toContain(`kk guard approve ${namespace}/db`)
      expect(await cluster.snapshot(namespace)).toBe(before)
    })

    it.each(['pre-delete', ' Pre-Delete', 'post-delete, PRE-DELETE '])(
      'denies the hook %j of a removal, as helm reads it',
      async (events) => {
        const labels = {'app.kubernetes.io/instance': 'db'}
        const metadata = {generateName: 'removal-', namespace, labels, annotations: {'helm.sh/hook': events}}

        const {exitCode, stderr} = await cluster.create({apiVersion: 'v1', kind: 'ConfigMap', metadata})

        expect(exitCode).toBe(1)
        expect(stderr).toContain(`the release ${namespace}/db is protected and may not be uninstalled`)
      },
    )

    atNight(() => {
      it('denies nothing else that is made or changed in the namespace', async () => {
        const metadata = {generateName: 'free-', namespace}
        const pod = {
          restartPolicy: 'Never',
          containers: [{name: 'main', image: 'registry.example.org/job:1'}],
        }
        const job = {apiVersion: 'batch/v1', kind: 'Job', metadata, spec: {template: {spec: pod}}}
        await done(cluster.create(job))
        await done(cluster.create({apiVersion: 'v1', kind: 'ConfigMap', metadata}))
        const [, secret = ''] = (
          await done(cluster.create({apiVersion: 'v1', kind: 'Secret', metadata}))
        ).split(/[/ ]/)

        await done(cluster.kubectl('label', 'secret', secret, 'a=b', '--namespace', namespace))
        await done(remove(`secret/${secret}`))
        await done(cluster.kubectl('scale', 'statefulset/db', '--replicas=0', '--namespace', namespace))
        await done(cluster.kubectl('scale', 'statefulset/db', '--replicas=1', '--namespace', namespace))
      })
    })

    it('lets kk upgrade what is guarded, and kk offers nothing more', async () => {
      const upgrade = environment.kk('deploy', '--set', 'db:note=kk', '--sandbox-name', cluster.sandbox)
      const {exitCode, stderr} = await upgrade

      expect(exitCode, stderr).toBe(0)
      expect(stderr).toContain('1 upgraded')
      expect(stderr).not.toContain('kk guard install')
    })

    atNight(() => {
      it('of a chart without a hook, helm uninstall takes what holds no data, and the next upgrade brings it back', async () => {
        const uninstall = await helm('uninstall', 'db', '--no-hooks')

        const kept = await cluster.snapshot(namespace)
        expect(uninstall.exitCode).toBe(1)
        expect(kept).not.toContain('Service/db ')
        for (const object of [
          'StatefulSet/db ',
          'PersistentVolumeClaim/db-backup ',
          'PersistentVolumeClaim/data-db-0 ',
        ])
          expect(kept).toContain(object)
        await done(helm('upgrade', 'db', STORE, '--reset-values'))
        expect(await cluster.snapshot(namespace)).toContain('Service/db ')
      })

      it('lets everything go of a release that is not protected', async () => {
        await done(remove('pvc/other-backup', '--dry-run=server'))
        await done(helm('uninstall', 'other'))
        await done(remove('pvc/data-other-0'))

        expect(await cluster.snapshot(namespace)).not.toContain('other')
      })
    })

    it('lets what was approved go, and nothing that was made anew', async () => {
      const approve = await cluster.guard('approve', `${namespace}/db`, '--for', '10m')
      expect(approve.exitCode, approve.stderr).toBe(0)
      const approvals = (await guardStatus(cluster)).approvals.filter(
        ({release}) => release === `${namespace}/db`,
      )
      expect(approvals).toMatchObject([{state: 'open'}])

      await done(helm('uninstall', 'db'))
      await done(remove('pvc/data-db-0'))
      await done(helm('install', 'db', STORE))

      await waitFor(async () => (await claims()).includes('persistentvolumeclaim/data-db-0'), {
        until: 'the StatefulSet has made its claim',
      })
      for (const object of ['statefulset/db', 'pvc/data-db-0', 'pvc/db-backup']) {
        expect((await remove(object)).stderr).toContain(`kk guard approve ${namespace}/db`)
      }
    })

    atNight(() => {
      it('lets an approved namespace go with all that is in it', async () => {
        await done(cluster.guard('approve', `${namespace}/db`, '--with-namespaces'))

        await done(cluster.kubectl('delete', 'namespace', namespace, '--timeout=60s'))

        expect((await cluster.kubectl('get', 'namespace', namespace)).exitCode).toBe(1)
      })
    })
  })
}
