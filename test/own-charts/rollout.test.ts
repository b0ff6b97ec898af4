import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts} from './support/charts.ts'
import {containers, find, ofKind, pods} from './support/objects.ts'

const charts = await useCharts()

/** Returns the containers of a chart whose script asks the API server. */
async function asking(chart: string) {
  const objects = await charts.render(chart)
  const dataOf = (suffix: string): Readonly<Record<string, string>> =>
    ofKind(objects, 'ConfigMap').find(({metadata}) => metadata.name === `${chart}-${suffix}`)?.data ?? {}
  const [scripts, etc] = [dataOf('bin'), dataOf('etc')]
  /** The words that a container executes; those of kolla_start are in a file of the same name. */
  const words = ({name, command = []}: {readonly name: string; readonly command?: readonly string[]}) => {
    const file = command.includes('kolla_start') ? etc[`${name}.json`] : undefined
    return file === undefined ? command : (JSON.parse(file) as {readonly command: string}).command.split(' ')
  }
  return pods(objects).flatMap(({owner, spec}) =>
    containers({spec})
      .filter((each) =>
        words(each).some((word) => scripts[word.replace('/scripts/', '')]?.includes('/serviceaccount"')),
      )
      .map(({name, volumeMounts = []}) => ({
        container: `${owner.replace(/-[0-9a-f]{8}$/, '')} ${name}`,
        hasToken: volumeMounts.some((mount) => mount.name === 'token'),
      })),
  )
}

it('each container whose script asks the API server has a token', async () => {
  const all = (await Promise.all(SERVICES.map(asking))).flat()

  expect(all.map(({container}) => container)).toEqual(
    expect.arrayContaining(['Job nova-discover-hosts discover-hosts', 'Job nova-discover-hosts rollout']),
  )
  expect(all.filter(({hasToken}) => !hasToken)).toEqual([])
})

describe('a job that waits for pods on nodes', () => {
  it('may read their DaemonSet', async () => {
    const {rules = []} = find(await charts.render('nova'), 'Role', 'nova-discover-hosts')

    expect(rules.map(({resources, resourceNames = []}) => [...resources, ...resourceNames])).toEqual([
      ['pods'],
      ['daemonsets', 'nova-compute'],
    ])
  })

  describe('awaits', () => {
    const pod = (nodeName: string, generation: string, isReady = true) => ({
      metadata: {
        ownerReferences: [{uid: 'of the set'}],
        labels: {'pod-template-generation': generation, 'controller-revision-hash': `hash-${generation}`},
      },
      spec: {nodeName},
      status: {conditions: [{type: 'Ready', status: isReady ? 'True' : 'False'}]},
    })
    const node = (name: string, isReady = true) => ({
      metadata: {name},
      status: {conditions: [{type: 'Ready', status: isReady ? 'True' : 'Unknown'}]},
    })
    const set = (status: object) => ({
      metadata: {
        ...{uid: 'of the set', generation: 2},
        annotations: {'deprecated.daemonset.template.generation': '2'},
      },
      spec: {selector: {matchLabels: {app: 'compute'}}},
      status: {
        ...{observedGeneration: 2, desiredNumberScheduled: 2, currentNumberScheduled: 2},
        ...{updatedNumberScheduled: 1, ...status},
      },
    })
    const BOTH = [node('a'), node('b')]
    const ONE = [node('a'), node('b', false)]

    it.each([
      ['the pods of all nodes', set({updatedNumberScheduled: 2}), [pod('a', '2'), pod('b', '2')], BOTH, true],
      ['no old pod of a node that is down', set({}), [pod('a', '2'), pod('b', '1')], ONE, true],
      ['no new pod of a node that is down', set({}), [pod('a', '2'), pod('b', '2', false)], ONE, true],
      [
        'no pod of a node that is down and no longer counted',
        set({desiredNumberScheduled: 1, currentNumberScheduled: 1}),
        [pod('a', '2'), pod('b', '1')],
        ONE,
        true,
      ],
      ['the old pod of a node', set({}), [pod('a', '2'), pod('b', '1')], BOTH, false],
      ['a new pod that is not ready', set({}), [pod('a', '2'), pod('b', '2', false)], BOTH, false],
      ['a pod that is not there yet', set({currentNumberScheduled: 1}), [pod('a', '2')], BOTH, false],
      ['a pod that was deleted a moment ago', set({}), [pod('a', '2')], BOTH, false],
      ['any node, if all are down', set({}), [pod('b', '1')], [node('b', false)], false],
      [
        'nothing of a template that is applied again',
        set({updatedNumberScheduled: 2}),
        [pod('a', '1'), pod('b', '1')],
        BOTH,
        true,
      ],
      ['the controller, until it has seen the change', set({observedGeneration: 1}), [], BOTH, false],
    ])('%s', async (_, found, items, nodes, expected) => {
      const script = find(await charts.render('nova'), 'ConfigMap', 'nova-bin').data!['rollout.py']!
      const program = `${script.split('\nfor workload in')[0]}
answers = json.loads(os.environ["ANSWERS"])
def request(method, path):
    return answers["pods" if "/pods?labelSelector=app%3Dcompute" in path else "nodes" if path == "/api/v1/nodes" else "found"]
print(rolled_out("daemonsets/nova-compute"))`

      const {stdout} = await execa('python3', ['-c', program], {
        env: {
          ANSWERS: JSON.stringify({found, pods: {items}, nodes: {items: nodes}}),
          POD_NAMESPACE: 'openstack',
        },
      })

      expect(stdout).toBe(expected ? 'True' : 'False')
    })
  })
})
