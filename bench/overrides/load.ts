import {Agent, request} from 'node:http'

export interface Asked {
  readonly method: 'GET' | 'PATCH'
  readonly path: string
  readonly body?: object
}

/**
 * Sends bursts of requests, each burst at once on connections that stay open, and waits for all answers before the next.
 * Comes back with the milliseconds of every request. Rejects at the first answer that is no success.
 */
export async function bursts(url: string, rounds: readonly (readonly Asked[])[]): Promise<number[]> {
  const agent = new Agent({keepAlive: true, maxSockets: Math.max(...rounds.map(({length}) => length))})
  const times: number[] = []
  try {
    for (const round of rounds)
      times.push(...(await Promise.all(round.map((asked) => timed(url, asked, agent)))))
    return times
  } finally {
    agent.destroy()
  }
}

function timed(url: string, {method, path, body}: Asked, agent: Agent): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const headers = {'content-type': 'application/json'}
    const sent = request(url + path, {method, agent, ...(body && {headers})}, (answer) => {
      answer.resume()
      answer.on('end', () => {
        if (answer.statusCode === 200) return resolve(performance.now() - start)
        reject(new Error(`${method} ${path}: ${answer.statusCode}`))
      })
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

/** The time that only one in a hundred exceeds. */
export function p99(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN
}
