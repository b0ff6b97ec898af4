import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it, onTestFinished} from 'vitest'
import {generateSecret} from '../../src/overrides/generate-secret.ts'
import {makeAuthority} from '../../src/overrides/tls/authority.ts'
import {certifier} from '../../src/overrides/tls/certificates.ts'
import {releaseId} from '../../src/release.ts'
import {atNight} from '../support/night.ts'
import {restrictedAccount} from './support/account.ts'
import {kubectl, makeNamespace, waitFor} from './support/cluster.ts'
import {openCorner} from './support/corner.ts'
import {follow, recordSecret, type Visit, visit} from './support/doctor.ts'
import {workloads} from './support/environment.ts'
import {type OwnCluster, startOwnCluster} from './support/guarded.ts'
import {kk} from './support/kk.ts'
import {
  DEAD,
  DEFINITION,
  expiredApproval,
  LONG_AGO,
  leftHookJob,
  leftLease,
  leftReservation,
  OLD,
} from './support/left-behind.ts'
import {objectsChart} from './support/objects-chart.ts'
import {plainHelm} from './support/plain-helm.ts'
import {deployOn, type Removable} from './support/removal.ts'

describe('kk doctor on this machine', () => {
  it('reports a missing cluster, another helm driver and an unwritable state directory together', async () => {
    const {exitCode, find, levels} = await visit(['--kubeconfig', '/nonexistent'], {
      HELM_DRIVER: 'sql',
      XDG_STATE_HOME: '/dev/null/state',
    })

    expect(exitCode).toBe(1)
    expect(find('cluster', '/nonexistent does not exist').level).toBe('problem')
    expect(find('helm', 'HELM_DRIVER is "sql"')).toMatchObject({
      level: 'problem',
      advice: 'unset HELM_DRIVER',
    })
    expect(find('state-directory', 'cannot be written').advice).toContain('export XDG_STATE_HOME=')
    expect(levels('records')).toEqual(['info'])
    expect(find('records', 'not checked: no cluster can be reached')).toBeDefined()
  })

  it('reports a missing helm, and how to specify one', async () => {
    const {find} = await visit(['--kubeconfig', '/nonexistent'], {KK_HELM: '/nonexistent/helm'})

    expect(find('helm', '/nonexistent/helm').advice).toContain('name a binary with --helm or KK_HELM')
  })
})

it('kk doctor names a record of another tool with an invalid document, and still checks the other records', async () => {
  const namespace = await makeNamespace()
  const charts = await objectsChart(join(inject('run').home, namespace))
  const job = {apiVersion: 'batch/v1', kind: 'Job', metadata: {generateName: 'migrate-'}, spec: {}}
  const input = JSON.stringify({objects: [job]})
  const installed = await plainHelm(
    ['install', 'gen', join(charts, 'objects'), '--namespace', namespace, '--values', '-'],
    {input},
  )

  const {find, findings} = await visit(['--kubeconfig', inject('run').kubeconfig])

  expect(installed.exitCode).not.toBe(0)
  expect(find('records', `revision 1 of ${namespace}/gen (failed)`)).toMatchObject({
    level: 'warning',
    what: expect.stringContaining('a Job has no metadata.name'),
  })
  const unchecked = findings.filter(({what}) => what.startsWith('could not be checked'))
  expect(unchecked).toEqual([])
})

it('kk doctor names a node whose clock is wrong, by the Lease of its kubelet', async () => {
  const name = await makeNamespace()
  const renewTime = new Date(Date.now() + 90_000).toISOString().replace('Z', '000Z')
  const lease = {apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {name}, spec: {renewTime}}
  onTestFinished(
    async () => void (await kubectl(['delete', 'lease', name, '--namespace', 'kube-node-lease'])),
  )
  await kubectl(['create', '--namespace', 'kube-node-lease', '--filename', '-'], {
    input: JSON.stringify(lease),
  })

  const {findings} = await visit(['--kubeconfig', inject('run').kubeconfig])

  const found = findings.filter(({check, level}) => check === 'node-clocks' && level === 'warning')
  expect(found.map(({what}) => what)).toEqual([
    expect.stringMatching(`^the clock of node ${name} is (89|90) s ahead of the API server's`),
  ])
})

it('kk doctor reports a certificate that expires soon, with the command to renew it', async () => {
  const namespace = await makeNamespace()
  const charts = await objectsChart(join(inject('run').home, namespace))
  const since = new Date(Date.now() - 3_620 * 86_400_000).toISOString()
  const keys = JSON.parse(makeAuthority()).keys.map((each: object) => ({...each, since}))
  const key = generateSecret('server')
  const files = {...certifier(JSON.stringify({keys})).certificate(['web'], key), 'tls.key': key}
  const secret = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'web-tls'}, type: 'kubernetes.io/tls'}
  const objects = [{...secret, stringData: files}]
  const installed = await plainHelm(
    ['install', 'web', join(charts, 'objects'), '--namespace', namespace, '--values', '-'],
    {input: JSON.stringify({objects})},
  )

  const {find} = await visit(['--kubeconfig', inject('run').kubeconfig])

  expect(installed.exitCode, installed.stderr).toBe(0)
  expect(find('certificates', `the certificate of web in the Secret ${namespace}/web-tls`)).toMatchObject({
    level: 'warning',
    advice: expect.stringContaining('kk upgrade FILE web '),
  })
})

describe('kk doctor for a user with few permissions', () => {
  it('reports each missing permission with its purpose and the command with which an administrator grants it', async () => {
    const kubeconfig = await restrictedAccount({adminOf: [], sees: ['kube-system']})
    const before = await visit(['--kubeconfig', kubeconfig])
    // The name is of the cluster, which a second try of this test has, too.
    await kubectl(['delete', 'clusterrole,clusterrolebinding', 'kk-list-secrets', '--ignore-not-found'])
    const denied = before.find('permissions', /^you may not list secrets on the whole cluster.*kk remove/)

    await follow({...denied, advice: denied.advice!.replaceAll(kubeconfig, inject('run').kubeconfig)})
    const after = await visit(['--kubeconfig', kubeconfig])

    expect(denied.level).toBe('warning')
    expect(before.find('records', 'could not be checked').level).toBe('warning')
    expect(after.findings.map(({what}) => what)).not.toContain(denied.what)
  })
})

atNight(() => {
  describe('kk doctor on a cluster', () => {
    let cluster: OwnCluster
    let environment: Removable
    let place: readonly string[]
    beforeAll(async () => {
      cluster = await startOwnCluster()
      place = ['--sandbox-name', cluster.sandbox]
      return cluster.end
    })
    const inKkSystem = async (manifest: object) => {
      const {metadata} = manifest as {readonly metadata: object}
      const {exitCode, stderr} = await cluster.create({
        ...manifest,
        metadata: {...metadata, namespace: 'kk-system'},
      })
      expect(exitCode, stderr).toBe(0)
    }
    /** What the advice of a finding mends is not found again. */
    const repair = async (seen: Visit, check: string, words: string | RegExp, env = {}) => {
      await follow(seen.find(check, words), env)
      return {check, words}
    }
    const expectGone = ({findings}: Visit, {check, words}: {check: string; words: string | RegExp}) => {
      const whats = findings.filter((each) => each.check === check).map(({what}) => what)
      expect(whats.join('\n')).not.toMatch(typeof words === 'string' ? words.replaceAll('/', '\\/') : words)
    }

    it('accepts a new cluster without kk-system', async () => {
      const fresh = await visit(place)

      expect(fresh.exitCode).toBe(0)
      const missing = await repair(fresh, 'kk-system', 'no namespace kk-system yet')
      expectGone(await visit(place), missing)
    })

    it('finds nothing on a healthy cluster', async () => {
      const releases = workloads({web: {}})
      environment = await deployOn(cluster, {
        ...releases,
        kk: {releases: {...releases.kk!.releases, db: {chart: 'store', protected: false}}},
        db: {},
      })

      const well = await visit([environment.file, ...place])

      // Its images are of no registry, and its charts report no status.
      const found = well.findings.filter(({level}) => level !== 'ok')
      expect(found.map(({level, check}) => [level, check])).toEqual([
        ['info', 'service-status'],
        ['warning', 'images'],
      ])
      expect(well.exitCode).toBe(0)
    })

    it('finds faults, and its advice fixes them', async () => {
      const web = releaseId(environment.name, 'web')
      const given = ['--delete-data', '--confirm-data', 'db-backup']
      const removed = await environment.on('remove', 'db', '--yes', ...given)
      expect(removed.exitCode, removed.stderr).toBe(0)
      await cluster.kubectl('create', 'namespace', 'stuck')
      await cluster.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {name: 'held', namespace: 'stuck', finalizers: ['example.org/hold']},
      })
      await cluster.kubectl('delete', 'namespace', 'stuck', '--wait=false')
      await cluster.create({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: {name: 'other', annotations: {'storageclass.kubernetes.io/is-default-class': 'true'}},
        provisioner: 'example.org/none',
      })
      const garbage = {...recordSecret({name: 'wiki'}), stringData: {release: 'H4sIgarbage'}}
      for (const secret of [garbage, recordSecret({name: 'big', bytes: 720_000})])
        await cluster.create(secret)
      await cluster.create({...recordSecret({name: 'half', status: 'pending-install'})})
      await cluster.create(leftHookJob('left-over', environment.name))
      for (const [release, holder, renewTime] of [
        [web, DEAD, new Date().toISOString().replace('Z', '000Z')],
        ['other/gone', 'bob@elsewhere (process 7, run r2)', LONG_AGO],
      ] as const) {
        await inKkSystem(await leftLease(release, holder, renewTime))
      }
      await inKkSystem(leftReservation(web))
      await inKkSystem(expiredApproval(web))
      await environment.write(workloads({web: {values: {replicas: 2}}}))
      await waitFor(async () => (await visit(place)).levels('namespaces').includes('warning'), {
        until: 'the namespace does not go',
      })

      const broken = await visit([environment.file, ...place])

      expect(broken.exitCode).toBe(1)
      expect(broken.find('record-size', 'default/big, revision 1').advice).toContain('.helmignore')
      expect(broken.find('pending', 'default/half is pending-install at revision 1').level).toBe('problem')
      expect(await follow(broken.find('namespaces', 'namespace stuck'))).toMatch(
        /ConfigMap +held .*example.org/,
      )
      expect(broken.find('leases', `${web} is left by ${DEAD}, whose process is gone`)).toMatchObject({
        level: 'info',
        advice: `nothing to do: the next kk command that changes ${web} takes it over automatically`,
      })
      expect(broken.find('leases', 'other/gone is left by bob@elsewhere').level).toBe('info')
      const {stdout: status} = await environment.on('status', 'web')
      expect(status).toContain(`web: no process works on it: ${DEAD}, whose process is gone, held it`)
      const repaired = [
        await repair(broken, 'guard-approvals', `the approval to delete objects of ${web}, by ada, expired`),
        await repair(broken, 'storage-class', 'claims without a class get the newest, other'),
        await repair(broken, 'records', 'default/sh.helm.release.v1.wiki.v1'),
        await repair(broken, 'hook-jobs', '/left-over was a post-install hook'),
        await repair(broken, 'intents', `${web} counts as used by other/gone`),
        await repair(broken, 'claims', `${environment.name}/data-db-0`),
      ]
      const after = await visit([environment.file, ...place])
      for (const each of repaired) expectGone(after, each)
      await cluster.kubectl('delete', 'secret', '--all', '--namespace', 'default')
    })

    it('finds a killed run, which continues with its advice', async () => {
      const {signal} = await kk(['deploy', environment.file, ...place], {
        env: {KK_HELM: environment.helm},
        killAt: 1,
      })
      expect(signal).toBe('SIGKILL')
      const broken = await visit([environment.file, ...place])

      expect(broken.find('runs', `kk deploy of ${environment.name}`).advice).toContain('kk resume ')
      const repaired = await repair(broken, 'runs', 'was killed', {KK_HELM: environment.helm})
      const after = await visit([environment.file, ...place])
      expectGone(after, repaired)
      expectGone(after, {check: 'leases', words: `the Lease of ${environment.name}/web`})
    })

    it('finds charts for another Kubernetes before they are deployed', async () => {
      const corner = await openCorner('kk:\n  name: NAME\n  namespace: NAME\n  charts: [charts]\nold: {}\n')
      await corner.write('charts/old/Chart.yaml', 'apiVersion: v2\nname: old\nversion: 1.0.0\n')
      await corner.write('charts/old/templates/all.yaml', OLD)
      const classes = 'storageclass.kubernetes.io/is-default-class'
      await cluster.kubectl('annotate', 'storageclass', '--all', '--overwrite', `${classes}=false`)
      const {find, exitCode} = await visit([join(corner.directory, 'env.yaml'), ...place])

      expect(exitCode).toBe(1)
      expect(find('api-versions', 'does not serve PodDisruptionBudget of policy/v1beta1')).toMatchObject({
        level: 'problem',
        advice: 'use policy/v1 in the chart: policy/v1beta1 was removed in Kubernetes 1.25',
      })
      expect(find('api-versions', 'Endpoints of v1')).toMatchObject({level: 'warning'})
      expect(
        find(
          'scheduling',
          /^Deployment\/lost of old: its pods fit none of the \d nodes; .* does not have the label no-such=label$/,
        ).level,
      ).toBe('problem')
      const classless = find('storage-class', 'claims of old have no class: their pods would stay pending')
      expect(classless.level).toBe('problem')
      await follow(classless)
      expect((await visit(place)).levels('storage-class')).toEqual(['ok'])
    })

    it('finds an installed release whose kind is no longer served, and how to fix its record', async () => {
      const corner = await openCorner('kk: {name: NAME}\n')
      await corner.write('thing/Chart.yaml', 'apiVersion: v2\nname: thing\nversion: 1.0.0\n')
      const thing = 'apiVersion: tests.kk.openstack.org/v1\nkind: Gone\nmetadata: {name: thing}\n'
      await corner.write('thing/templates/thing.yaml', thing)
      await cluster.create(DEFINITION)
      await cluster.kubectl('wait', '--for=condition=Established', `crd/${DEFINITION.metadata.name}`)
      const installed = await cluster.helm('helm4', 'install', 'thing', join(corner.directory, 'thing'))
      expect(installed.exitCode, installed.stderr).toBe(0)
      expect((await visit(place)).levels('api-versions')).toEqual(['ok'])

      await cluster.kubectl('delete', 'crd', DEFINITION.metadata.name)
      const {find} = await visit(place)

      const found = find('api-versions', 'default/thing was installed with Gone of tests.kk.openstack.org/v1')
      expect(found.level).toBe('problem')
      expect(found.advice).toMatch(/helm mapkubeapis thing --namespace default$/)
    })
  })
})
