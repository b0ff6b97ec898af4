import {dump} from 'js-yaml'

const RELEASES = 48

/** An environment of about a megabyte: sections as large and as deep as openstack-helm's values files. */
export function largeEnvironment(): string {
  const names = numbered('service', RELEASES)
  return dump({
    kk: {name: 'large'},
    global: {region: 'RegionOne', endpoints: entries('shared', 20, endpoint)},
    ...Object.fromEntries(names.map((name) => [name, section(name)])),
  })
}

function section(name: string): object {
  return {
    images: {
      tags: entries('component', 15, (each) => `registry.example.org/openstack/${name}-${each}:2025.1`),
    },
    pod: {replicas: entries('component', 10, (_, index) => (index % 3) + 1)},
    endpoints: entries('endpoint', 20, endpoint),
    conf: {
      [name]: entries('group', 12, () => entries('option', 10, option)),
      policy: entries(
        'rule',
        90,
        (rule) => `role:admin or (role:member and project_id:%(${rule}.project_id)s)`,
      ),
      script: `#!/bin/sh\nset -eu\n${numbered('step', 25)
        .map((step) => `echo "${name}: ${step}"\n`)
        .join('')}`,
    },
    labels: numbered('node', 8).map((node) => ({key: node, value: 'enabled'})),
  }
}

function endpoint(name: string, index: number): object {
  return {
    name,
    hosts: {default: `${name}-api`, internal: name, public: `${name}.example.org`},
    path: {default: '/v3'},
    scheme: {default: 'http', public: 'https'},
    port: {api: {default: 5000 + index, public: 443}},
    auth: {user: name, password: `not-a-secret-${index}`, enabled: index % 2 === 0},
  }
}

function option(name: string, index: number): unknown {
  return [index * 17, index % 4 === 0, `value of ${name}`, 0.5 + index][index % 4]
}

function entries(prefix: string, count: number, value: (name: string, index: number) => unknown): object {
  return Object.fromEntries(numbered(prefix, count).map((name, index) => [name, value(name, index)]))
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({length: count}, (_, index) => `${prefix}-${index}`)
}
