import type {FastifyInstance} from 'fastify'
import {KkError} from '../../errors.ts'

/** The fields of a form. */
export type Form = ReadonlyMap<string, string>

/**
 * Lets the routes of this plugin read forms of pages and nothing else; those outside of it take none, so that no page
 * elsewhere can post to them. What is no UTF-8, or names a field twice, is refused.
 */
export function readFormBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    {parseAs: 'string'},
    async (_request: unknown, body: string | Buffer): Promise<Form> => parseForm(body.toString()),
  )
}

function parseForm(body: string): Form {
  const fields = new Map<string, string>()
  for (const pair of body.split('&').filter((each) => each !== '')) {
    const [name = '', ...value] = pair.split('=').map(decoded)
    if (fields.has(name)) throw unreadable('each field once')
    // Browsers send the ends of lines as HTTP has them.
    fields.set(name, value.join('=').replaceAll('\r\n', '\n'))
  }
  return fields
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw unreadable('UTF-8')
  }
}

function unreadable(expected: string): KkError {
  return new KkError('KK_USAGE', `the form cannot be read: expected ${expected}`, {
    hint: 'open the page again; nothing was changed',
  })
}
