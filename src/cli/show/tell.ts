import {fitted} from '../../report/text/fitted.ts'

/** A text for people, on a stream; on a terminal its lines are broken between words. */
export function tell(name: 'stdout' | 'stderr', text: string): void {
  const stream = process[name]
  stream.write(stream.isTTY && stream.columns > 0 ? fitted(text, stream.columns) : text)
}
