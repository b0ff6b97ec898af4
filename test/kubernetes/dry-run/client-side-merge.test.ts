import {describe, expect, it} from 'vitest'
import {
  plainPatch,
  repeatsMergeKeys,
  threeWayPatch,
  withLiveItems,
} from '../../../src/kubernetes/dry-run/client-side-merge.ts'

const TCP = {name: 'tcp', port: 53, protocol: 'TCP'}
const UDP = {name: 'udp', port: 53, protocol: 'UDP'}
const service = (...ports: readonly object[]) => ({kind: 'Service', spec: {ports}})
const container = (fields: object) => ({
  kind: 'Deployment',
  spec: {template: {spec: {containers: [{name: 'c', ...fields}]}}},
})
const A = (value: string) => ({name: 'A', value})

describe('the client-side patch of helm', () => {
  it.each([
    ['ports that are told apart by their protocol, and are there', service(TCP, UDP)],
    ['a variable that is there twice', container({env: [A('1'), A('2')]})],
    [
      'ports of a container that are there',
      container({ports: [{containerPort: 53}, {containerPort: 53, protocol: 'UDP'}]}),
    ],
  ])('is empty for %s', (_, object) => {
    expect(threeWayPatch({before: object, after: object, live: object})).toEqual({})
  })

  it('keeps fields and list items that only the live object has', () => {
    const after = container({image: 'a'})
    const live = container({image: 'a', imagePullPolicy: 'Always', env: [A('1')]})

    expect(threeWayPatch({before: after, after, live})).toEqual({})
  })

  it('changes an item by its merge key, and removes items that only the last revision had', () => {
    const before = container({image: 'a', env: [A('1'), {name: 'B', value: '1'}], tty: true})
    const after = container({image: 'b', env: [A('2')]})

    expect(threeWayPatch({before, after, live: before})).toEqual({
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'c',
                image: 'b',
                tty: null,
                env: [
                  {name: 'B', $patch: 'delete'},
                  {name: 'A', value: '2'},
                ],
              },
            ],
          },
        },
      },
    })
  })

  it('mixes up ports of the same number, as helm does', () => {
    const patch = (before: object, after: object) =>
      threeWayPatch({before: service(before), after: service(TCP, after), live: service(before)})

    expect(patch(TCP, UDP)).toEqual({spec: {ports: [UDP]}})
    expect(threeWayPatch({before: service(TCP, UDP), after: service(TCP), live: service(TCP, UDP)})).toEqual({
      spec: {ports: [{port: 53, $patch: 'delete'}]},
    })
  })

  it('replaces the source of a volume, and the strategy of a Deployment', () => {
    const pod = (volume: object, strategy: object) => ({
      kind: 'Deployment',
      spec: {strategy, template: {spec: {volumes: [{name: 'v', ...volume}]}}},
    })
    const live = pod({emptyDir: {}}, {type: 'RollingUpdate', rollingUpdate: {maxSurge: 1}})
    const after = pod({configMap: {name: 'a'}}, {type: 'Recreate'})

    expect(threeWayPatch({before: undefined, after, live})).toEqual({
      spec: {
        strategy: {type: 'Recreate', $retainKeys: ['type']},
        template: {
          spec: {volumes: [{name: 'v', configMap: {name: 'a'}, $retainKeys: ['configMap', 'name']}]},
        },
      },
    })
  })

  it('replaces a list that Kubernetes does not merge', () => {
    const policy = (...ports: readonly object[]) => ({kind: 'NetworkPolicy', spec: {ingress: [{ports}]}})
    const after = policy({port: 80}, {port: 443})

    expect(threeWayPatch({before: policy({port: 80}), after, live: policy({port: 80})})).toEqual({
      spec: after.spec,
    })
  })
})

it("the plain patch sets the manifest's fields and removes those that only the last revision had", () => {
  expect(plainPatch({a: {b: 1, c: 2}, d: [1]}, {a: {b: 1}, d: [2]})).toEqual({a: {b: 1, c: null}, d: [2]})
})

describe('a manifest merged with the live list items', () => {
  it.each([
    [
      'of a port that is missing, though another has its number',
      service(TCP, UDP),
      service(TCP),
      service(TCP, UDP),
    ],
    ['of ports in another order', service(UDP, TCP), service(TCP, UDP), service(TCP, UDP)],
    [
      'of a port with what the server chose',
      service({port: 53}),
      service({...TCP, nodePort: 30053}, UDP),
      service({...TCP, nodePort: 30053}, UDP),
    ],
    [
      'of a variable twice',
      container({env: [A('1'), A('3')]}),
      container({env: [A('1'), A('2')]}),
      container({env: [A('1'), A('3')]}),
    ],
    [
      'beside a container that something else has added',
      container({image: 'b'}),
      {
        kind: 'Deployment',
        spec: {template: {spec: {containers: [{name: 'c', image: 'a', tty: true}, {name: 'd'}]}}},
      },
      {
        kind: 'Deployment',
        spec: {template: {spec: {containers: [{name: 'c', image: 'b', tty: true}, {name: 'd'}]}}},
      },
    ],
    [
      'of a volume with another source',
      {kind: 'Pod', spec: {volumes: [{name: 'v', configMap: {name: 'a'}}]}},
      {kind: 'Pod', spec: {volumes: [{name: 'v', emptyDir: {}}]}},
      {kind: 'Pod', spec: {volumes: [{name: 'v', configMap: {name: 'a'}}]}},
    ],
    [
      'of a strategy without what only another has',
      {kind: 'Deployment', spec: {strategy: {type: 'Recreate'}}},
      {kind: 'Deployment', spec: {strategy: {type: 'RollingUpdate', rollingUpdate: {}}}},
      {kind: 'Deployment', spec: {strategy: {type: 'Recreate', rollingUpdate: null}}},
    ],
  ])('%s', (_, object, live, expected) => {
    expect(withLiveItems(object, live)).toEqual(expected)
  })
})

it.each([
  [service(TCP, UDP), true],
  [service(TCP, {...UDP, port: 54}), false],
  [container({ports: [{containerPort: 53}, {containerPort: 53, protocol: 'UDP'}]}), true],
  [container({env: [A('1'), A('2')]}), true],
  [{kind: 'NetworkPolicy', spec: {ingress: [{ports: [{port: 53}, {port: 53}]}]}}, false],
])('the patches of helm mix up items of %j: %j', (object, expected) => {
  expect(repeatsMergeKeys(object)).toBe(expected)
})
