import {quoted} from '../base/shell.ts'
import type {CloudAccess} from '../verbs/cloud-access.ts'
import {documentText} from './document.ts'

/** Returns a script for `source` that sets the variables of OpenStack's clients. */
export function openrcText(access: CloudAccess, authorityFile: string | undefined): string {
  const variables = {
    OS_AUTH_TYPE: 'password',
    OS_AUTH_URL: access.authUrl,
    OS_IDENTITY_API_VERSION: '3',
    OS_USERNAME: access.username,
    OS_PASSWORD: access.password,
    OS_PROJECT_NAME: access.project,
    OS_USER_DOMAIN_NAME: access.userDomain,
    OS_PROJECT_DOMAIN_NAME: access.projectDomain,
    OS_REGION_NAME: access.region,
    OS_INTERFACE: access.interface,
    OS_ENDPOINT_TYPE: access.interface,
    ...(authorityFile !== undefined && {OS_CACERT: authorityFile}),
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`)
  // A project of another shell session would contradict these.
  return ['unset OS_CLOUD OS_PROJECT_ID OS_TENANT_NAME OS_SYSTEM_SCOPE\n', ...lines].join('')
}

/** Returns a `clouds.yaml` with one cloud. */
export function cloudsText(access: CloudAccess, cloud: string, authorityFile: string | undefined): string {
  const auth = {
    auth_url: access.authUrl,
    username: access.username,
    password: access.password,
    project_name: access.project,
    user_domain_name: access.userDomain,
    project_domain_name: access.projectDomain,
  }
  const shared = {region_name: access.region, interface: access.interface, identity_api_version: 3}
  const clouds = {[cloud]: {auth, ...shared, ...(authorityFile !== undefined && {cacert: authorityFile})}}
  return documentText({clouds}, 'yaml')
}
