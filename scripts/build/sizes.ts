import type {Metafile} from 'esbuild'

const KILOBYTE = 1024

/** A bundle as a headline and a line per package, the largest first. */
export function sizeLines(name: string, {outputs}: Metafile): string[] {
  const [output] = Object.values(outputs)
  if (output === undefined) return []
  const sizes = new Map<string, number>()
  for (const [input, {bytesInOutput}] of Object.entries(output.inputs)) {
    const owner = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'kk'
    sizes.set(owner, (sizes.get(owner) ?? 0) + bytesInOutput)
  }
  const packages = [...sizes].sort(([, a], [, b]) => b - a)
  const large = packages.filter(([, bytes]) => bytes >= KILOBYTE)
  const rest = packages.length - large.length
  return [
    `${kilobytes(output.bytes)}  bundle ${name}`,
    ...large.map(([owner, bytes]) => `${kilobytes(bytes)}    ${owner}`),
    ...(rest > 0 ? [`${' '.repeat(10)}    ${rest} more below 1 kB each`] : []),
  ]
}

function kilobytes(bytes: number): string {
  return `${(bytes / KILOBYTE).toFixed(0).padStart(7)} kB`
}
