import {describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import type {Manifests} from '../../src/plan/forecast/action-forecast.ts'
import {noticedBetween} from '../../src/plan/forecast/impact.ts'
import {atNight} from '../support/night.ts'
import {atLargest, SERVICES, useCharts, valuesOf, withAllObjects} from './support/charts.ts'
import {containers, find, ofKind, type PodSpec, pods, servers, workloads} from './support/objects.ts'

/** The label that nodes of a role bear. */
const LABELS: Readonly<Record<string, string>> = {
  control_plane: 'openstack-control-plane',
  compute: 'openstack-compute-node',
  openvswitch: 'openvswitch',
  node: 'openstack-node',
}

const charts = await useCharts()
describe.each(SERVICES)('the pods of %s', async (chart) => {
  const {components = {}, jobs, cronjobs, tests} = valuesOf(chart)
  const all = withAllObjects(chart)
  const objects = await charts.render(chart, {values: all})
  const units: Readonly<Record<string, Values>> = {...components, ...jobs, ...cronjobs, ...tests}
  const unitOf = (pod: {readonly spec: PodSpec}) => units[pod.spec.containers[0]!.name] ?? {}

  const areAsMany = async (options: {readonly values: Values}) => {
    const storage = {access: 'ReadWriteMany', ephemeral: false}
    const values = {...options.values, storage}
    const scaled = servers(await charts.render(chart, {...options, values}))

    const counted = scaled.filter(({kind}) => kind !== 'DaemonSet')
    expect(scaled).toHaveLength(Object.keys(components).length)
    expect(counted.map(({spec}) => spec?.replicas)).toEqual(
      pods(counted).map((pod) => unitOf(pod)['max_replicas'] ?? 3),
    )
  }
  it('have the number of replicas in pod.replicas', () => areAsMany(atLargest(chart)))

  const asNumber = () => {
    it('have the number of replicas in pod.replicas if that is a number', () =>
      areAsMany({values: {...all, pod: {replicas: 3}}}))
  }
  if (chart === 'keystone') asNumber()
  else atNight(asNumber)

  it('have probes', () => {
    // The one that reports the status of the service is not restarted because the service is down.
    for (const {spec} of pods(servers(objects))) {
      for (const container of spec.containers) {
        expect(container).toHaveProperty('startupProbe')
        expect(container).toHaveProperty('readinessProbe')
        expect(container).toHaveProperty('livenessProbe')
      }
    }
  })

  it.each(workloads(objects).map((object) => object.metadata.name))(
    'state what is noticed while they are replaced: %s',
    (name) => {
      const after = objects.map((object) => {
        if (object.metadata.name !== name || !object.spec?.template) return object
        return {...object, spec: {...object.spec, template: {...object.spec.template, changed: true}}}
      })

      const {users, instances} = noticedBetween({before: objects, after} as unknown as Manifests, 'openstack')

      expect([users.impact, instances.impact]).not.toContain('unknown')
    },
  )

  it('mount the files that they read, and not all of a ConfigMap', () => {
    const sources = pods(objects).flatMap(({spec}) =>
      (spec.volumes ?? []).flatMap(
        (volume) => (volume as {projected?: {sources?: Values[]}}).projected?.sources ?? [],
      ),
    )

    // Kubernetes takes an empty list for all.
    expect(JSON.stringify(sources)).not.toContain('"items":[]')
  })

  it('have the restart policy that fits their owner', () => {
    const policies = (...kinds: string[]) =>
      new Set(pods(ofKind(objects, ...kinds)).map(({spec}) => spec.restartPolicy))

    expect(policies('Deployment', 'StatefulSet', 'DaemonSet')).toEqual(new Set([undefined]))
    expect([...policies('Job', 'CronJob')].filter((policy) => policy !== 'OnFailure')).toEqual([])
    expect(policies('Pod')).toEqual(new Set(['Never']))
  })

  it('share nothing with their node and are not privileged, except those with such facts', () => {
    const shares = pods(objects).filter(
      (pod) =>
        pod.spec.hostNetwork ||
        pod.spec.hostPID ||
        pod.spec.hostIPC ||
        containers(pod).some(({securityContext}) => securityContext.privileged),
    )

    const stated = pods(objects).filter((pod) => unitOf(pod).host || unitOf(pod).privileged)
    expect(shares.map(({owner}) => owner)).toEqual(stated.map(({owner}) => owner))
  })

  it('are confined: seccomp, no default capabilities, and no token except by explicit mount', () => {
    for (const pod of pods(objects)) {
      expect(pod.spec.securityContext.seccompProfile, pod.owner).toEqual({type: 'RuntimeDefault'})
      expect(pod.spec.automountServiceAccountToken, pod.owner).toBe(false)
      for (const {name, securityContext} of containers(pod)) {
        if (securityContext.privileged) continue
        expect(securityContext.capabilities?.drop, `${pod.owner}, ${name}`).toEqual(['ALL'])
      }
    }
  })

  it('may gain privileges only to run kolla_start', () => {
    const runsKolla = ({command}: {readonly command?: readonly string[]}) =>
      command === undefined || /kolla_start|mariadb-init/.test(command.join(' '))
    for (const pod of pods(objects)) {
      for (const {name, securityContext, ...container} of containers(pod)) {
        const {allowPrivilegeEscalation = true} = securityContext
        if (!runsKolla(container)) expect(allowPrivilegeEscalation, `${pod.owner}, ${name}`).toBe(false)
      }
    }
  })

  it('have resource requests and a node selector', () => {
    for (const pod of pods(objects)) {
      const role = String(unitOf(pod).node ?? 'control_plane')
      expect(pod.spec.nodeSelector, pod.owner).toEqual({[LABELS[role]!]: 'enabled'})
      for (const {resources} of containers(pod)) {
        expect(Object.keys(resources.requests ?? {}).sort()).toEqual(['cpu', 'memory'])
      }
    }
  })

  it('mount only volumes of the release', () => {
    const names = new Set(objects.map(({kind, metadata}) => `${kind} ${metadata.name}`))
    for (const {spec} of pods(objects)) {
      expect(names).toContain(`ServiceAccount ${spec.serviceAccountName}`)
      for (const volume of spec.volumes ?? []) {
        // Whoever makes the certificate, it is not the release.
        if (volume.secret && volume.secret.secretName !== 'ingress-tls')
          expect(names).toContain(`Secret ${volume.secret.secretName}`)
        if (volume.configMap) expect(names).toContain(`ConfigMap ${volume.configMap.name}`)
      }
    }
  })

  it('are selected by immutable labels', () => {
    for (const {kind, metadata, spec} of workloads(objects)) {
      const selector = {
        'app.kubernetes.io/name': chart,
        'app.kubernetes.io/instance': chart,
        'app.kubernetes.io/component': metadata.labels['app.kubernetes.io/component'],
      }

      expect(spec?.selector?.matchLabels).toEqual(selector)
      expect(spec?.template?.metadata.labels).toEqual(selector)
      if (kind === 'StatefulSet') {
        for (const claim of spec?.volumeClaimTemplates ?? []) expect(claim.metadata.labels).toEqual(selector)
      }
    }
  })
})

describe('the update strategy of pod.lifecycle.upgrades', () => {
  const rolling = (rollingUpdate: object) => ({type: 'RollingUpdate', rollingUpdate})

  it.each([
    ['keystone', 'deployments', 'RollingUpdate', rolling({maxSurge: 1, maxUnavailable: 0})],
    ['keystone', 'deployments', 'Recreate', {type: 'Recreate'}],
    ['keystone', 'deployments', 'AllAtOnce', rolling({maxSurge: 0, maxUnavailable: '100%'})],
    ['memcached', 'statefulsets', 'RollingUpdate', {type: 'RollingUpdate'}],
    ['memcached', 'statefulsets', 'OnDelete', {type: 'OnDelete'}],
    ['memcached', 'daemonsets', 'RollingUpdate', rolling({maxUnavailable: 1})],
    ['memcached', 'daemonsets', 'AllAtOnce', rolling({maxUnavailable: '100%'})],
    ['memcached', 'daemonsets', 'OnDelete', {type: 'OnDelete'}],
    ['memcached', 'daemonsets', 'NodeByNode', {type: 'OnDelete'}],
  ])('for %s, among %s, is %s', async (chart, kind, strategy, expected) => {
    const upgrades = {[kind]: {pod_replacement_strategy: strategy}}
    const components = kind === 'daemonsets' ? {components: {server: {kind: 'DaemonSet'}}} : {}

    const [workload] = workloads(
      await charts.render(chart, {values: {...components, pod: {lifecycle: {upgrades}}}}),
    )

    expect(workload?.spec?.strategy ?? workload?.spec?.updateStrategy).toEqual(expected)
  })
})

describe('a DaemonSet', () => {
  it.each([
    ['NodeByNode', 'node-by-node'],
    ['OnDelete', undefined],
  ])('is annotated for rolls by kk, or not: %s', async (strategy, roll) => {
    const values = {pod: {lifecycle: {upgrades: {daemonsets: {pod_replacement_strategy: strategy}}}}}

    const [set] = ofKind(await charts.render('libvirt', {values}), 'DaemonSet')

    expect(set?.metadata.annotations?.['kk.openstack.org/roll']).toBe(roll)
  })
})

describe('a Deployment', () => {
  it.each([
    ['of which each has other data', {ephemeral: true, backend: 'file'}, 1],
    ['of which only those of one node reach the data', {ephemeral: false, backend: 'file'}, 1],
    ['that share their data', {ephemeral: false, backend: 'file', access: 'ReadWriteMany'}, 3],
    ['whose data is in Ceph', {ephemeral: false, backend: 'ceph'}, 3],
  ])('has as many pods as wanted, one %s', async (_, storage, replicas) => {
    const [api] = workloads(await charts.render('glance', {values: {storage, pod: {replicas: 3}}}))

    expect(api?.spec?.replicas).toBe(replicas)
  })

  it('does not roll with a volume that only one node can mount', async () => {
    const [claimed] = workloads(await charts.render('glance'))
    const [shared] = workloads(await charts.render('glance', {values: {storage: {access: 'ReadWriteMany'}}}))

    expect(claimed?.spec?.strategy?.type).toBe('Recreate')
    expect(shared?.spec?.strategy?.type).toBe('RollingUpdate')
  })
})

describe('a disruption budget', () => {
  const budgets = async (pod: object) =>
    ofKind(await charts.render('mariadb', {values: {pod}}), 'PodDisruptionBudget').map(({spec}) => spec)

  it('allows one of several pods to be evicted, and is omitted for a single pod, which could never be evicted', async () => {
    expect(await budgets({replicas: 1})).toEqual([])
    expect(await budgets({replicas: 3})).toEqual([expect.objectContaining({maxUnavailable: 1})])
  })

  it('keeps the number in pod.lifecycle.disruption_budget', async () => {
    const lifecycle = {disruption_budget: {server: {min_available: 1}}}

    expect(await budgets({replicas: 1, lifecycle})).toEqual([expect.objectContaining({minAvailable: 1})])
  })
})

describe('a pod with clients', () => {
  const hook = async (api: object) =>
    workloads(await charts.render('keystone', {values: {components: {api}}}))[0]?.spec?.template?.spec
      .containers[0]?.lifecycle

  it('runs until no node sends requests to it, within its termination grace period', async () => {
    const [keystone] = workloads(await charts.render('keystone'))

    expect(await hook({})).toEqual({preStop: {exec: {command: ['sleep', '5']}}})
    expect(keystone?.spec?.template?.spec.terminationGracePeriodSeconds).toBe(60)
  })

  it('waits for the time in its component, or has the hook in its lifecycle', async () => {
    const preStop = {exec: {command: ['true']}}

    expect(await hook({drain: 20})).toEqual({preStop: {exec: {command: ['sleep', '20']}}})
    expect(await hook({drain: 0})).toBeUndefined()
    expect(await hook({lifecycle: {preStop}})).toEqual({preStop})
  })
})

describe('a workload that needs its node', () => {
  it('gets host network, host processes, privileges and a SELinux type', async () => {
    const values = {
      components: {api: {host: {network: true, pid: true}, privileged: true}},
      pod: {security_context: {api: {pod: {seLinuxOptions: {type: 'spc_t'}}}}},
    }

    const [pod] = pods(workloads(await charts.render('keystone', {values})))

    expect(pod?.spec).toMatchObject({hostNetwork: true, hostPID: true, dnsPolicy: 'ClusterFirstWithHostNet'})
    expect(pod?.spec.containers[0]?.securityContext).toEqual({privileged: true})
    expect(pod?.spec.securityContext.seLinuxOptions).toEqual({type: 'spc_t'})
  })

  it('may be a DaemonSet, on nodes of another role', async () => {
    const values = {components: {api: {kind: 'DaemonSet', node: 'compute'}}}

    const [daemons] = workloads(await charts.render('keystone', {values}))

    expect(daemons?.kind).toBe('DaemonSet')
    expect(daemons?.spec?.updateStrategy).toEqual({type: 'RollingUpdate', rollingUpdate: {maxUnavailable: 1}})
    expect(daemons?.spec?.template?.spec.nodeSelector).toEqual({'openstack-compute-node': 'enabled'})
  })
})

describe('a service that runs commands as root', () => {
  it.each([
    ['nova', 'compute', 'nova bash /scripts/nova-compute.sh'],
    [
      'neutron',
      'ovn-metadata-agent',
      'neutron python3 /scripts/heartbeat.py ovs.db.idl:Idl.run neutron-ovn-metadata-agent',
    ],
    ['cinder', 'volume', 'cinder cinder-volume'],
    ['cinder', 'backup', 'cinder cinder-backup'],
    ['manila', 'data', 'manila manila-data'],
  ])('is started by a script that tests the privileges first: %s %s', async (chart, component, command) => {
    const objects = await charts.render(chart, {values: withAllObjects(chart)})
    const {data: etc = {}} = find(objects, 'ConfigMap', `${chart}-etc`)
    const {data: bin = {}} = find(objects, 'ConfigMap', `${chart}-bin`)

    expect(JSON.parse(etc[`${component}.json`]!).command).toMatch(
      `bash /scripts/start-with-root.sh ${command}`,
    )
    expect(bin['start-with-root.sh']).toContain('privsep-helper --help')
  })

  it('states the maximum time after its start in which it may fail', async () => {
    const [compute] = ofKind(await charts.render('nova', {values: withAllObjects('nova')}), 'DaemonSet')

    expect(compute?.spec?.template).toMatchObject({
      metadata: {annotations: {'kk.openstack.org/stable-after': '200s'}},
    })
  })
})

it('pods have no resource requests if those are disabled', async () => {
  const asking = pods(await charts.render('keystone', {values: {pod: {resources: {enabled: false}}}}))
    .flatMap(containers)
    .filter(({resources}) => resources?.requests !== undefined)

  expect(asking.map(({name}) => name)).toEqual([])
})
