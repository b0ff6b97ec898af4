import type {ApiClient} from '../api/client.ts'

/** By the header `Date` of an answer, which has whole seconds; taken to be of the middle of the request. */
export async function clockAhead(client: ApiClient): Promise<number> {
  const before = Date.now()
  const {date} = await client.headers({path: '/version', asked: 'tell the time'})
  const after = Date.now()
  const there = Date.parse(date ?? '')
  return Number.isNaN(there) ? 0 : Math.round(((before + after) / 2 - there - 500) / 1000)
}
