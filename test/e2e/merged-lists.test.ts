import {describe, expect, it} from 'vitest'
import type {ReleaseDrift} from '../../src/verbs/observation/drift.ts'
import {get, kubectl} from './support/cluster.ts'
import type {TestEnvironment} from './support/environment.ts'
import {objectsEnvironment} from './support/objects-chart.ts'
import {revisions} from './support/records.ts'

const port = (protocol: 'TCP' | 'UDP') => ({name: protocol.toLowerCase(), port: 53, protocol})
const A = (value: string) => ({name: 'A', value})

interface Dns {
  readonly protocols: readonly ('TCP' | 'UDP')[]
  readonly variables?: readonly object[]
  readonly version?: string
}

/** A release of a Service and a Deployment with a port 53 for each of these protocols. */
const dns = ({protocols, variables = [], version = '1'}: Dns): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {name: 'dns', annotations: {version}},
    spec: {selector: {app: 'dns'}, ports: protocols.map(port)},
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: 'dns'},
    spec: {
      selector: {matchLabels: {app: 'dns'}},
      template: {
        metadata: {labels: {app: 'dns'}, annotations: {version}},
        spec: {
          containers: [
            {
              name: 'dns',
              image: 'dns',
              env: variables,
              ports: protocols.map((protocol) => ({containerPort: 53, protocol})),
            },
          ],
        },
      },
    },
  },
]

async function ports({name}: Pick<TestEnvironment, 'name'>) {
  const service = await get<{spec: {ports: {protocol: string}[]}}>('service', 'dns', '--namespace', name)
  const deployment = await get<{
    spec: {template: {spec: {containers: [{ports: {protocol: string}[]}]}}}
  }>('deployment', 'dns', '--namespace', name)
  const [container] = deployment.spec.template.spec.containers
  const protocolsOf = (all: readonly {protocol: string}[]) => all.map(({protocol}) => protocol).sort()
  return {service: protocolsOf(service.spec.ports), container: protocolsOf(container.ports)}
}

async function drifted(environment: TestEnvironment) {
  const {releases} = await environment.json<{releases: readonly ReleaseDrift[]}>('drift')
  return releases[0]!.objects
}

describe.concurrent('a release of helm 3 with the same port for TCP and UDP', () => {
  it('is upgraded, and shows no drift', async () => {
    const environment = await objectsEnvironment('dns', dns({protocols: ['TCP', 'UDP']}), {helm: 'helm3'})
    await environment.deploy()
    await environment.state(...dns({protocols: ['TCP', 'UDP'], version: '2'}))

    const before = await drifted(environment)
    await environment.deploy()

    expect(before).toEqual([])
    expect(await revisions(environment.name)).toEqual({dns: 2})
    expect(await ports(environment)).toEqual({service: ['TCP', 'UDP'], container: ['TCP', 'UDP']})
    expect(await drifted(environment)).toEqual([])
  })

  it('gets the UDP port by an upgrade, and by a correction if it is missing', async () => {
    const environment = await objectsEnvironment('dns', dns({protocols: ['TCP']}), {helm: 'helm3'})
    await environment.deploy()
    await environment.state(...dns({protocols: ['TCP', 'UDP']}))
    await environment.deploy()

    const upgraded = await ports(environment)
    const path = ['patch', 'service', 'dns', '--namespace', environment.name, '--type', 'json', '--patch']
    await kubectl([...path, '[{"op": "remove", "path": "/spec/ports/1"}]'])
    const between = await drifted(environment)
    const corrected = await environment.kk('deploy', '--correct-drift', '--yes')

    expect(upgraded).toEqual({service: ['TCP', 'UDP'], container: ['TCP', 'UDP']})
    expect(between).toMatchObject([{kind: 'Service', name: 'dns', state: 'changed'}])
    expect(corrected.exitCode, corrected.stderr).toBe(0)
    expect(await ports(environment)).toEqual(upgraded)
    expect(await drifted(environment)).toEqual([])
  })

  it('is refused before the first change if helm would remove both ports', async () => {
    const environment = await objectsEnvironment('dns', dns({protocols: ['TCP', 'UDP']}), {helm: 'helm3'})
    await environment.deploy()
    await environment.state(...dns({protocols: ['TCP']}))

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode, stderr).toBe(2)
    expect(stderr).toMatch(/KK_INVALID_OBJECT[\s\S]*Service\/dns.*spec\.ports/)
    expect(await revisions(environment.name)).toEqual({dns: 1})
  })

  it('may have a duplicate environment variable, and is upgraded without drift', async () => {
    const twice = {protocols: ['TCP'], variables: [A('1'), A('2')]} as const
    const environment = await objectsEnvironment('dns', dns(twice), {helm: 'helm3'})
    await environment.deploy()
    await environment.state(...dns({...twice, version: '2'}))

    const before = await drifted(environment)
    const {exitCode, stderr} = await environment.kk('deploy')

    expect(before).toEqual([])
    expect(exitCode, stderr).toBe(0)
    expect(await drifted(environment)).toEqual([])
  })
})
