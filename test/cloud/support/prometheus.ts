import {inPod} from './in-server.ts'

/** Returns the series that Prometheus of the release `monitoring` has for an expression. */
export async function series(
  namespace: string,
  text: string,
): Promise<readonly {readonly metric: Readonly<Record<string, string>>}[]> {
  const program = `import sys, urllib.parse, urllib.request
print(urllib.request.urlopen("http://localhost:9090/api/v1/query?query=" + urllib.parse.quote(sys.argv[1])).read().decode())`
  const answer = await inPod(namespace, 'monitoring-server-0', 'python3', '-c', program, text)
  return JSON.parse(answer).data.result
}
