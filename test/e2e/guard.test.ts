import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {waitFor} from './support/cluster.ts'
import {describeGuard} from './support/describe-guard.ts'
import {deployStores, done, guardStatus, type OwnCluster, startOwnCluster} from './support/guarded.ts'
import {deployOn, type Removable} from './support/removal.ts'

let cluster: OwnCluster
beforeAll(async () => {
  cluster = await startOwnCluster()
  return cluster.end
})

atNight(() => {
  it('is suggested by the first deploy of protected releases only, and never installed automatically', async () => {
    const {file, name, stderr, kk} = await deployStores(cluster, 'helm4')

    const again = await kk('deploy', '--set', 'other:note=second', '--sandbox-name', cluster.sandbox)

    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      `hint: db is protected, but helm and kubectl would still delete it; to prevent that: kk guard install ${file} --sandbox-name ${cluster.sandbox}`,
    )
    expect(again.exitCode, again.stderr).toBe(0)
    expect(again.stderr).toContain('1 upgraded')
    expect(again.stderr).not.toContain('kk guard install')
    expect(await guardStatus(cluster)).toMatchObject({
      installed: false,
      releases: [{release: `${name}/db`, guarded: false}],
    })
  })
})

describeGuard('helm4', () => cluster)

atNight(() => {
  describe('an approval', () => {
    let namespace: string
    beforeAll(async () => {
      namespace = (await deployStores(cluster, 'helm4')).name
      await done(cluster.guard('install', '--yes'))
    })

    it('expires by the clock of the API server, without kk', async () => {
      const attempt = () =>
        cluster.kubectl('delete', 'statefulset/db', '--namespace', namespace, '--dry-run=server')
      const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets/db?dryRun=All`
      const isDenied = () =>
        cluster.ask({method: 'DELETE', path}).then(
          () => false,
          () => true,
        )
      await done(cluster.guard('approve', `${namespace}/db`, '--for', '15s'))
      expect((await attempt()).exitCode).toBe(0)

      await waitFor(isDenied, {until: 'the approval has run out'})
      const {exitCode, stderr} = await attempt()

      expect(exitCode).toBe(1)
      expect(stderr).toContain('kk guard: the approval to delete StatefulSet db ran out at')
      expect((await cluster.helm('helm4', 'uninstall', 'db', '--namespace', namespace)).stderr).toContain(
        'may not be uninstalled',
      )
    })

    it.each([
      [['approve'], 2, 'expected the name of a protected release'],
      [['approve', 'dv'], 2, 'the guard keeps no release dv'],
      [['approve', 'db', '--for', '25h'], 2, 'expected a time of at most 24h'],
    ])('is refused by kk guard %j', async (words, exit, message) => {
      const {exitCode, stderr} = await cluster.guard(...words)

      expect(exitCode).toBe(exit)
      expect(stderr).toContain(message)
    })
  })
})

describe('the guard', () => {
  let environment: Removable
  beforeAll(async () => {
    environment = await deployOn(cluster, {kk: {releases: {db: {chart: 'store'}}}, db: {}})
  })

  atNight(() => {
    it('protects its parameters from deletion', async () => {
      for (const object of [
        ['configmap', 'kk-guard', '--namespace', 'kk-system'],
        ['namespace', 'kk-system'],
      ]) {
        const {exitCode, stderr} = await cluster.kubectl('delete', ...object)
        expect(exitCode).toBe(1)
        expect(stderr).toContain('take it away with: kk guard remove')
      }
    })

    it('reports changes of its objects, and is repaired by another installation', async () => {
      const change = [{op: 'replace', path: '/spec/validations/0/expression', value: 'true'}]
      const policy = [
        'validatingadmissionpolicy',
        'kk-guard',
        '--type=json',
        '--patch',
        JSON.stringify(change),
      ]
      await done(cluster.kubectl('patch', ...policy))

      const broken = await cluster.guard('status')
      await done(cluster.guard('install', '--yes'))

      expect(broken.exitCode).toBe(1)
      expect(broken.stdout).toContain('ValidatingAdmissionPolicy kk-guard differs from this version of kk')
      expect(await guardStatus(cluster)).toMatchObject({enforced: true, faults: []})
    })
  })

  it('is not removed without --yes if no user can be asked', async () => {
    const {exitCode, stderr} = await cluster.guard('remove')

    expect(exitCode).toBe(3)
    expect(stderr).toContain('KK_UNCONFIRMED')
    expect((await guardStatus(cluster)).installed).toBe(true)
  })

  atNight(() => {
    it('denies nothing after its removal, and can be installed again', async () => {
      const {name} = environment
      await done(cluster.guard('remove', '--yes'))
      const free = await cluster.kubectl('delete', 'pvc/db-backup', '--namespace', name, '--dry-run=server')
      expect(free.exitCode, free.stderr).toBe(0)

      await done(cluster.guard('install', '--yes'))

      expect(await guardStatus(cluster)).toMatchObject({installed: true, enforced: true, faults: []})
      const denied = await cluster.kubectl('delete', 'pvc/db-backup', '--namespace', name)
      expect(denied.stderr).toContain(`kk guard approve ${name}/db`)
    })
  })

  atNight(() => {
    it('works with the roles of docs/guard.md, and accepts approvals only from its own role', async () => {
      const {name} = await deployStores(cluster, 'helm4')
      const page = await readFile(join(import.meta.dirname, '../../docs/guard.md'), 'utf8')
      const roles = /```yaml\n(apiVersion: rbac[\s\S]+?)```/.exec(page)?.[1] ?? ''
      await done(cluster.create(roles))

      await done(cluster.guardAs('kk-guard-install', 'install', '--yes'))
      await done(cluster.guardAs('kk-guard-install', 'status'))
      const refused = await cluster.guardAs('kk-guard-install', 'approve', `${name}/db`)
      await done(cluster.guardAs('kk-guard-approve', 'approve', `${name}/db`))
      await done(cluster.guardAs('kk-guard-install', 'remove', '--yes'))

      expect(refused.stderr).toContain('KK_FORBIDDEN')
    })
  })

  it('kk remove deletes a protected release under a guard only after its approval', async () => {
    await cluster.guard('install', '--yes')
    const before = await cluster.snapshot(environment.name)
    const given = ['--delete-data', '--confirm-data', 'db-backup']
    const remove = () => environment.on('remove', 'db', '--yes', '--confirm', 'db', ...given)

    const refused = await remove()
    const untouched = await cluster.snapshot(environment.name)
    await cluster.guard('approve', `${environment.name}/db`, '--for', '10m')
    const {exitCode, stderr} = await remove()

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain(`kk guard approve ${environment.name}/db`)
    expect(untouched).toBe(before)
    expect(exitCode, stderr).toBe(0)
    expect(await environment.releases()).toEqual([])
  })
})
