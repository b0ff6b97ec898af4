import type {ApiClient} from '../api/client.ts'

/** By the header `Date` of an answer that has just come, which has whole seconds. */
export async function clockAhead(client: ApiClient): Promise<number> {
  await client.json({path: '/version', asked: 'tell the time'})
  return Math.round((Date.now() - client.now()) / 1000)
}
