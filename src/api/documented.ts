import type {FastifySchema} from 'fastify'
import {REFUSALS} from './helm-charts/schemas.ts'

interface Documented {
  readonly params?: object
  readonly querystring?: object
  readonly headers?: object
  readonly body?: object
  readonly ok: Readonly<Record<number, object>>
}

/** A schema with a summary, and the errors that every route can answer with. */
export function documented(summary: string, {ok, ...request}: Documented): FastifySchema {
  return {summary, tags: ['overrides'], ...request, response: {...ok, ...REFUSALS}}
}
