import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {redactValue} from '../../src/redact/values.ts'
import {readYaml} from '../../src/yaml/yaml.ts'

it.each([
  [
    {password: 'x', user: 'nova'},
    {password: '***', user: 'nova'},
  ],
  [{password: 12345678}, {password: '***'}],
  [{secrets: {db: ['x']}}, {secrets: {db: ['***']}}],
  [{conf: {ldap: {bind_pw: 'x'}}}, {conf: {ldap: {bind_pw: '***'}}}],
  [{extra: '[DEFAULT]\nadmin_password = x\n'}, {extra: '[DEFAULT]\nadmin_password = ***\n'}],
  [{extra: '{"password": "x"}'}, {extra: '{"password": ***'}],
  [{env: [{name: 'DB_PASSWORD', value: 'x'}]}, {env: [{name: 'DB_PASSWORD', value: '***'}]}],
  [{settings: [{key: 'DB_PASSWORD', value: 'x'}]}, {settings: [{key: '***', value: '***'}]}],
  [{authorization: 'Bearer x'}, {authorization: '***'}],
  [
    {headers: [{name: 'Authorization', value: 'Basic x'}]},
    {headers: [{name: 'Authorization', value: '***'}]},
  ],
  [{'.dockerconfigjson': '{"auths": {}}'}, {'.dockerconfigjson': '***'}],
  [{secrets: {dbAdmin: 'correct-horse'}}, {secrets: {dbAdmin: '***'}}],
  [
    {secrets: {identity: {admin: 'nova-admin', nova: 'S3cret'}}},
    {secrets: {identity: {admin: '***', nova: '***'}}},
  ],
  [{args: ['--password', 'x', '--user', 'a']}, {args: ['--password', '***', '--user', 'a']}],
  [{client: {name: 'client.admin', key: 'AQB'}}, {client: {name: 'client.admin', key: '***'}}],
  [
    {env: {keys: {command: ['run', '--token', 'x'], env: {TOKEN: 'x', DB_PASSWORD: {value: 'x'}}}}},
    {env: {keys: {command: ['run', '--token', '***'], env: {TOKEN: '***', DB_PASSWORD: {value: '***'}}}}},
  ],
  [{auths: {registry: {auth: 'dTpw'}}}, {auths: {registry: {auth: '***'}}}],
])('redactValue shows %j as %j', (value, shown) => {
  expect(redactValue(value)).toEqual(shown)
})

it.each([
  {manifests: {secret_db: false, secret: true}},
  {conf: {keystone: {token: {provider: 'fernet', expiration: 43200}}}},
  {conf: {glance: {keystone_authtoken: {auth_version: 'v3'}}}},
  {conf: {horizon: {local_settings: {config: {session_cookie: true}}}}},
  {jobs: {fernet_rotate: {cron: 'daily', user: 'keystone'}}},
  {network: {private: true}},
  {pod: {affinity: {anti: {topologyKey: {default: 'kubernetes.io/hostname'}}}}},
  {tolerations: [{key: 'node-role.kubernetes.io/control-plane', operator: 'Exists'}]},
  {authorization: {mode: 'RBAC'}},
  {password: ''},
  {
    secrets: {
      identity: {admin: 'keystone-keystone-admin'},
      tls: {identity: {api: {public: 'keystone-tls-public'}}},
    },
  },
  {secrets: {oslo_db_cell0: {nova: 'nova-db-cell0-user'}, keyrings: {admin: 'pvc-ceph-client-key'}}},
  {
    conf: {
      policy: {
        'identity:revoke_token': 'rule:admin_required',
        'identity:check_token': 'role:admin or rule:a',
      },
    },
  },
  {env: [{name: 'A', valueFrom: {secretKeyRef: {name: 'nova', key: 'DB_PASSWORD', optional: true}}}]},
  {pod: {volumes: [{name: 'tls', secret: {secretName: 'nova-tls', defaultMode: 420}}]}},
  {imagePullSecrets: [{name: 'registry'}]},
  {args: ['--password', '$(DB_PASSWORD)', '--token', '--verbose']},
])('redactValue does not mask %j', (value) => {
  expect(redactValue(value)).toEqual(value)
})

const CHARTS = join(import.meta.dirname, '../../charts')

it.each(globSync('*/values.yaml', {cwd: CHARTS}))(
  'the defaults in charts/%s hold no secret, so all are shown',
  (file) => {
    const values = readYaml(readFileSync(join(CHARTS, file), 'utf8'))

    expect(redactValue(values)).toEqual(values)
  },
)
