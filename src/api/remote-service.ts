import {ERRORS, type ErrorCode, KkError} from '../base/errors.ts'
import type {ExplainedKey, Statement} from '../overrides/explain.ts'
import type {Condition, ImportedContent, OverriddenChart, OverrideService} from '../overrides/service.ts'
import type {AuditEntry} from '../overrides/user/store.ts'
import {fetchThroughProxy} from '../state/network/fetch.ts'
import type {ErrorBody} from './errors.ts'

export interface RemoteOptions {
  /** For example `https://kk.example.org`. */
  readonly url: string
  /** Sent as a bearer token; never shown. */
  readonly token?: string | undefined
}

interface Body {
  readonly system_overrides: string
  readonly user_overrides: string
  readonly combined_overrides: string
  readonly name: string
  readonly namespace: string
}

/**
 * Returns the override service of a kk server, whose error codes it passes on. Also rejects with `KK_SERVER`.
 */
export function remoteService({url, token}: RemoteOptions): OverrideService {
  const address = (path: string, query: Readonly<Record<string, string | undefined>> = {}) => {
    const target = new URL(path, url.endsWith('/') ? url : `${url}/`)
    for (const [key, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(key, value)
    return target
  }
  const send = async (target: URL, {method = 'GET', body, ifMatch}: Call = {}) => {
    const response = await fetchThroughProxy(target, {
      method,
      headers: {
        ...(token !== undefined && {authorization: `Bearer ${token}`}),
        ...(body !== undefined && {'content-type': 'application/json'}),
        ...(ifMatch !== undefined && {'if-match': ifMatch.map(quoted).join(', ')}),
      },
      ...(body !== undefined && {body: JSON.stringify(body)}),
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
    }).catch((cause: unknown) => {
      throw new KkError('KK_SERVER', `${target.origin} does not respond (${reason(cause)})`, {
        cause,
        hint: 'is kk serve running there, and is the URL correct?',
      })
    })
    if (!response.ok) throw await refusal(response, target)
    return response
  }
  const chart = (name: string) => `v1/helm_charts/${encodeURIComponent(name)}`
  return {
    async charts() {
      const response = await send(address('v1/helm_charts'))
      return ((await response.json()) as {charts: readonly OverriddenChart[]}).charts
    },
    async show(name, namespace, {showSecrets = false} = {}) {
      const query = {namespace, show_secrets: showSecrets ? 'true' : undefined}
      const response = await send(address(chart(name), query))
      const body = (await response.json()) as Body
      return {
        name: body.name,
        namespace: body.namespace,
        systemOverrides: body.system_overrides,
        userOverrides: body.user_overrides,
        combinedOverrides: body.combined_overrides,
        etag: readEtag(response),
      }
    },
    async explain(name, namespace, {showSecrets = false} = {}) {
      const query = {namespace, show_secrets: showSecrets ? 'true' : undefined}
      const response = await send(address(`${chart(name)}/explain`, query))
      const {keys} = (await response.json()) as {readonly keys: readonly ExplainedDocument[]}
      return keys.map(explainedKey)
    },
    async update(name, namespace, {flag, values, ifMatch, dryRun = false, showSecrets = false}) {
      const body = {
        flag,
        values: {files: values.files.map(({text}) => text), set: values.set, set_string: values.setString},
      }
      const query = {
        namespace,
        dry_run: dryRun ? 'true' : undefined,
        show_secrets: showSecrets ? 'true' : undefined,
      }
      const response = await send(address(chart(name), query), {
        method: 'PATCH',
        body,
        ...(ifMatch !== undefined && {ifMatch}),
      })
      const updated = (await response.json()) as Body
      return {
        name: updated.name,
        namespace: updated.namespace,
        userOverrides: updated.user_overrides,
        etag: readEtag(response),
      }
    },
    async delete(name, namespace, {ifMatch} = {}) {
      await send(address(chart(name), {namespace}), {
        method: 'DELETE',
        ...(ifMatch !== undefined && {ifMatch}),
      })
    },
    async history(of, {showSecrets = false} = {}) {
      const query = {...of, show_secrets: showSecrets ? 'true' : undefined}
      const all: AuditEntry[] = []
      while (true) {
        const before = all.at(-1)?.id.toString()
        const response = await send(address('v1/history', {...query, before}))
        const {entries} = (await response.json()) as {entries: readonly AuditEntry[]}
        if (entries.length === 0) return all
        all.push(...entries)
      }
    },
    async export({showSecrets = false} = {}) {
      const query = {show_secrets: showSecrets ? 'true' : undefined}
      const response = await send(address('v1/store', query))
      return ((await response.json()) as {document: string}).document
    },
    async import(document, {prune, dryRun}) {
      const target = address('v1/store', {dry_run: dryRun ? 'true' : undefined})
      const response = await send(target, {method: 'POST', body: {document, prune}})
      return (await response.json()) as ImportedContent
    },
  }
}

interface StatementDocument {
  readonly layer: Statement['layer'] | 'helm'
  readonly source: string
  readonly file?: string
  readonly line: number
  readonly column: number
  readonly value: unknown
}

interface ExplainedDocument {
  readonly path: readonly string[]
  readonly value?: unknown
  readonly winner: StatementDocument
  readonly lost: readonly StatementDocument[]
}

function explainedKey({path, value, winner, lost}: ExplainedDocument): ExplainedKey {
  return {
    path,
    value,
    winner: parseStatement(winner),
    lost: lost.flatMap((each) => parseStatement(each) ?? []),
  }
}

function parseStatement({
  layer,
  source,
  file,
  line,
  column,
  value,
}: StatementDocument): Statement | undefined {
  if (layer === 'helm') return undefined
  return {layer, source, ...(file !== undefined && {position: {file, line, column}}), value}
}

interface Call {
  readonly method?: 'GET' | 'PATCH' | 'POST' | 'DELETE'
  readonly body?: object
  readonly ifMatch?: Condition
}

/** Returns an etag in quotes, as HTTP requires; `*` is unquoted. */
function quoted(etag: string): string {
  return etag === '*' ? etag : `"${etag}"`
}

function readEtag(response: Response): string | undefined {
  return response.headers.get('etag')?.replaceAll('"', '') || undefined
}

async function refusal(response: Response, target: URL): Promise<KkError> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorBody> | undefined
  const {code, message, hint} = body?.error ?? {}
  const errorCode =
    code !== undefined && code !== 'KK_BUG' && code in ERRORS ? (code as ErrorCode) : 'KK_SERVER'
  return new KkError(errorCode, message ?? `${target.origin} responded with status ${response.status}`, {
    ...(hint !== undefined && {hint}),
  })
}

function reason(cause: unknown): string {
  const inner =
    cause instanceof Error ? ((cause.cause as {code?: string} | undefined)?.code ?? cause.name) : 'error'
  return inner === 'TimeoutError' ? 'no response within 30 s' : String(inner)
}
