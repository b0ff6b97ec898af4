import type {Agent as HttpAgent} from 'node:http'
import type {Agent as HttpsAgent} from 'node:https'

/** The headers of a request, and TLS material or an agent for its connection. */
export type Credentials = {readonly headers: Readonly<Record<string, string>>} & (
  | {readonly tls: TlsOptions}
  | {readonly agent: HttpAgent | HttpsAgent}
)

/** TLS material as node:tls takes it. */
export interface TlsOptions {
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
  readonly rejectUnauthorized?: boolean
  readonly servername?: string
}
