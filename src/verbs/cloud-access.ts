import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {objectValues} from '../doctor/charts/checks/accounts/places.ts'
import {jsonAt, maps, textsOf} from '../doctor/charts/checks/accounts/texts.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {type RenderedRelease, type RenderOptions, renderReleases} from './render.ts'
import type {Supplied} from './secrets/supply-secrets.ts'

/** What a client of OpenStack needs to log in. */
export interface CloudAccess extends Account {
  readonly authUrl: string
  readonly region: string
  readonly interface: CloudInterface
  /** The certificates of the authority, as PEM; undefined if the URL is not https or the clients know it. */
  readonly authority: string | undefined
}

type CloudInterface = 'public' | 'internal'

interface Account {
  readonly username: string
  readonly password: string
  readonly project: string
  readonly userDomain: string
  readonly projectDomain: string
}

interface AccessOptions extends Pick<RenderOptions, 'helm' | 'cluster'> {
  /** The name of the user; undefined for the administrator. */
  readonly user: string | undefined
  readonly interface: CloudInterface
}

/**
 * Returns the access to the cloud of an environment, read from what its charts render: the job that creates
 * the administrator, the variables of clients, and the jobs that create the accounts of services. Both kk's
 * and openstack-helm's charts have them. Rejects with `KK_USAGE` without keystone, for an unknown account,
 * and for passwords that are not kept yet.
 */
export async function cloudAccess(
  supplied: Supplied,
  {user: name, interface: side, helm, cluster}: AccessOptions,
): Promise<CloudAccess> {
  const keystone = keystoneRelease(supplied.final)
  const names = name === undefined ? [releaseName(keystone)] : []
  const rendered = await renderReleases(supplied, {names, helm, cluster, showSecrets: 'unchecked'})
  const own = rendered.filter(({release}) => release === keystone)
  const variables = variablesOf(own)
  const authUrl = first(variables, [`OS_BOOTSTRAP_${side.toUpperCase()}_URL`, 'OS_AUTH_URL'])
  const admin = administrator(variables)
  if (authUrl === undefined || !admin)
    throw new KkError(
      'KK_USAGE',
      `the chart of ${releaseName(keystone)} renders no account of an administrator`,
      {
        hint: 'kk openrc reads the variables OS_BOOTSTRAP_* of its bootstrap job',
      },
    )
  const isAdmin = name === undefined || name === admin.username
  const account = isAdmin ? admin : namedAccount(name, [admin, ...serviceAccounts(rendered)])
  expectKeptPassword(account, supplied)
  return {
    ...account,
    ...{
      authUrl,
      interface: side,
      region: first(variables, ['OS_BOOTSTRAP_REGION_ID', 'OS_REGION_NAME']) ?? 'RegionOne',
    },
    authority: authUrl.startsWith('https:') ? authorityIn(own) : undefined,
  }
}

/** Throws `KK_USAGE` if the password was generated just now: no server has it. */
function expectKeptPassword({username, password}: Account, {planned, missing}: Supplied): void {
  const generated = [...(planned.generated ?? [])].flatMap(([release, secrets]) =>
    secrets.filter(({isNew}) => isNew).map(({name}) => `${releaseNamespace(release)} ${name}`),
  )
  const own = missing.find(({value}) => value === password)
  if (!own || !generated.includes(`${own.namespace} ${own.name}`)) return
  throw new KkError('KK_USAGE', `neither the cluster nor the store keeps the password of ${username}`, {
    hint: 'specify the cluster that keeps it, with --context or --sandbox; kk deploy creates a missing one there',
  })
}

function keystoneRelease({releases, environment}: Prepared): ReleaseId {
  const [found] = [...releases].find(([, {chart}]) => chart.name === 'keystone') ?? []
  if (found !== undefined) return found
  throw new KkError('KK_USAGE', `${environment.file} has no release of the chart keystone`, {
    hint: 'see its releases with kk graph',
  })
}

type Variables = ReadonlyMap<string, string>

/** Returns the variables of each container, with those that come from Secrets and ConfigMaps. */
function variablesOf(rendered: readonly RenderedRelease[]): readonly Variables[] {
  return objectValues(rendered).containers.map(
    ({values}) => new Map([...values].map(([name, {text}]) => [name, text])),
  )
}

/** Returns the first of these variables that a container has. */
function first(containers: readonly Variables[], names: readonly string[]): string | undefined {
  for (const name of names)
    for (const variables of containers) {
      const value = variables.get(name)
      if (value !== undefined && value !== '') return value
    }
  return undefined
}

function administrator(containers: readonly Variables[]): Account | undefined {
  const at = (name: string) => first(containers, [`OS_BOOTSTRAP_${name}`, `OS_${name}`])
  const [username, password] = [at('USERNAME'), at('PASSWORD')]
  if (username === undefined || password === undefined) return undefined
  return {
    ...{username, password, project: at('PROJECT_NAME') ?? 'admin'},
    userDomain: at('USER_DOMAIN_NAME') ?? 'Default',
    projectDomain: at('PROJECT_DOMAIN_NAME') ?? 'Default',
  }
}

/** Returns the accounts that jobs create: kk's by `REGISTRATION`, openstack-helm's by `SERVICE_OS_*`. */
function serviceAccounts(rendered: readonly RenderedRelease[]): readonly Account[] {
  return variablesOf(rendered).flatMap((variables): readonly Account[] => {
    const registered = maps(jsonAt(variables.get('REGISTRATION'), 'users')).map((user) => {
      const {name = '', password = '', project = '', domain = ''} = textsOf(user)
      const value = variables.get(password) ?? ''
      return {username: name, password: value, project, userDomain: domain, projectDomain: domain}
    })
    const at = (name: string) => variables.get(`SERVICE_OS_${name}`)
    const username = at('USERNAME')
    const created =
      username === undefined
        ? []
        : [
            {
              ...{username, password: at('PASSWORD') ?? '', project: at('PROJECT_NAME') ?? 'service'},
              userDomain: at('USER_DOMAIN_NAME') ?? 'Default',
              projectDomain: at('PROJECT_DOMAIN_NAME') ?? 'Default',
            },
          ]
    return [...registered, ...created].filter(({password}) => password !== '')
  })
}

function namedAccount(name: string, accounts: readonly Account[]): Account {
  const found = accounts.find(({username}) => username === name)
  if (found) return found
  const names = [...new Set(accounts.map(({username}) => username))].toSorted()
  const close = suggest(name, names)
  throw new KkError('KK_USAGE', `the environment creates no account ${name}`, {
    hint: close === undefined ? `it creates: ${names.join(', ')}` : `did you mean ${close}?`,
  })
}

/** Returns the authority in a Secret of the type `kubernetes.io/tls` of keystone. */
function authorityIn(rendered: readonly RenderedRelease[]): string | undefined {
  const secrets = objectValues(rendered).secrets.map(({values}) => values)
  return secrets.find((values) => values.has('tls.crt') && values.has('ca.crt'))?.get('ca.crt')?.text
}
