import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readDocument} from '../../src/environment/read.ts'

/** The message and the hint for a file with this content. */
function refused(text: string, file = 'cloud.yaml'): string {
  try {
    readDocument({file, text, directory: '/'})
  } catch (error) {
    const {code, message, hint} = error as {code: string; message: string; hint: string}
    return `${code} ${message}; ${hint}`
  }
  return 'accepted'
}

const ROOT = join(import.meta.dirname, '../..')

const GLOBALS = `---
# You can use this file to override _any_ variable throughout Kolla.
workaround_ansible_issue_8743: yes
kolla_base_distro: "rocky"
kolla_internal_vip_address: "10.10.10.254"
network_interface: "eth0"
enable_cinder: "yes"
`

const HELMFILE = `environments:
  production: {}
---
repositories:
  - name: bitnami
    url: https://charts.bitnami.com/bitnami
releases:
  # The database first.

  - name: db
    chart: bitnami/mariadb
    version: {{ .Values.version }}
`

const DEPLOYMENT = `# The web server.
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
`

const COMPOSE = `version: "3.8"
services:
  web:
    image: nginx:1.27
    ports: ["80:80"]
volumes:
  data: {}
`

const OPENSTACK_HELM = `images:
  tags:
    keystone_api: quay.io/airshipit/keystone:2025.1-ubuntu_noble
conf:
  keystone:
    DEFAULT: {max_token_size: 255}
pod: {replicas: {api: 3}}
endpoints: {}
`

const APPLICATION = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web}
`

const HELM_RELEASE = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
`

const ARMADA = `---
schema: armada/Chart/v1
metadata: {schema: metadata/Document/v1, name: web}
data: {release: web}
`

describe('instead of an environment file', () => {
  it.each([
    ['globals.yml', GLOBALS, 'a globals.yml of kolla-ansible', 'kk init'],
    ['globals.yml', 'enable_ironic: "yes"\n', 'a globals.yml of kolla-ansible', 'kk config merge'],
    [
      'passwords.yml',
      '---\nkeystone_admin_password: hunter2\nrabbitmq_password:\n',
      'a passwords.yml of kolla-ansible',
      'kk secrets import passwords.yml',
    ],
    ['helmfile.yaml', HELMFILE, 'a helmfile', 'kk import helmfile.yaml --file kk.yaml'],
    ['armada.yaml', ARMADA, 'an Armada manifest', 'kk import armada.yaml --format armada --file kk.yaml'],
    ['web.yaml', HELM_RELEASE, 'objects of Flux', 'kk import web.yaml --format flux --file kk.yaml'],
    ['web.yaml', APPLICATION, 'objects of Argo CD', 'kk import web.yaml --format argocd --file kk.yaml'],
    ['web.yaml', DEPLOYMENT, 'a Kubernetes manifest', 'kubectl apply -f web.yaml'],
    [
      'Chart.yaml',
      'apiVersion: v2\nname: web\nversion: 0.1.0\n',
      'the Chart.yaml of a Helm chart',
      'kk.charts',
    ],
    ['compose.yml', COMPOSE, 'a file of docker compose', 'kk init'],
    ['values.yaml', OPENSTACK_HELM, 'the values of one chart', 'kk.releases.RELEASE.values: [values.yaml]'],
    [
      'values.yaml',
      'replicaCount: 1\nimage: {}\n',
      'the values of one chart',
      '--values RELEASE=values.yaml',
    ],
    [
      'noble.yaml',
      'images:\n  # kolla\n  tags: {a: b}\n',
      'the values of one chart',
      '--values RELEASE=noble.yaml',
    ],
  ])('%s with %j is recognized as %s', (file, text, what, hint) => {
    const message = refused(text, file)

    expect(message).toContain(`KK_ENVIRONMENT ${file}:1:1: expected an environment file, got ${what}; `)
    expect(message).toContain(hint)
    expect(message).not.toContain('hunter2')
  })

  it('the files of other tools in the fixtures are recognized', () => {
    const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

    expect(refused(read('test/fixtures/helmfile/sub/helmfile.yaml'))).toContain('a helmfile')
    expect(refused(read('test/fixtures/kolla/passwords.yml'))).toContain('a passwords.yml of kolla-ansible')
    expect(refused(read('charts/keystone/Chart.yaml'))).toContain('the Chart.yaml of a Helm chart')
    expect(refused(read('charts/keystone/values.yaml'))).toContain('the values of one chart')
  })
})

describe('an environment file', () => {
  it.each(readdirSync(join(ROOT, 'environments')))('environments/%s is one', (name) => {
    expect(refused(readFileSync(join(ROOT, 'environments', name), 'utf8'), name)).toBe('accepted')
  })

  it.each([
    ['keystone:\n  conf: {keystone: {DEFAULT: {debug: true}}}\n  pod: {replicas: {api: 3}}\n'],
    ['kk: {charts: [charts]}\nservices:\n  web:\n    image: nginx\n'],
    ['services: {}\nimages: {}\n'],
    ['endpoints: &e {identity: {}}\nconf: &c {}\npod: {}\nnova: {endpoints: *e, conf: *c}\n'],
    ['global: {}\nreleases: {}\nrepositories:\n'],
    ['mariadb:\n  images:\n    tags: {}\n'],
  ])('may be %j', (text) => {
    expect(refused(text)).toBe('accepted')
  })
})
