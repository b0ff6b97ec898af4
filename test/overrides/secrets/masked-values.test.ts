import {expect, it} from 'vitest'
import {maskedValue} from '../../../src/overrides/secrets/masked-values.ts'

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
  [{authorization: 'Bearer x'}, {authorization: '***'}],
  [
    {headers: [{name: 'Authorization', value: 'Basic x'}]},
    {headers: [{name: 'Authorization', value: '***'}]},
  ],
  [{'.dockerconfigjson': '{"auths": {}}'}, {'.dockerconfigjson': '***'}],
  [{auths: {registry: {auth: 'dTpw'}}}, {auths: {registry: {auth: '***'}}}],
])('%j is shown as %j', (value, shown) => {
  expect(maskedValue(value)).toEqual(shown)
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
])('%j is shown as it is', (value) => {
  expect(maskedValue(value)).toEqual(value)
})
