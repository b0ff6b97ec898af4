import {pythonFloat} from './float.ts'

/** The value that PyYAML resolves for a plain scalar that is not a string. */
export interface PythonWord {
  readonly type: 'null' | 'bool' | 'int' | 'float' | 'base60' | 'timestamp' | 'merge' | 'value'
  /**
   * The output of `yaml.dump` for it; undefined if PyYAML fails, or resolves a value that is not preserved.
   */
  readonly dumped: string | undefined
}

const NULL = /^(?:~|null|Null|NULL|)$/
const BOOL = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/
const TRUE = /^(?:yes|true|on)$/i
const FLOAT = /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$/
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/
const NAN = /^\.(?:nan|NaN|NAN)$/
const INT = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$/
const BASE60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
const BASE60_INT = /^[-+]?[1-9]/
const DATE = /^\d{4}-\d\d-\d\d$/
const TIMESTAMP =
  /^\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?$/

/** The first characters of the words that PyYAML resolves. */
const STARTS = /^[-+.0-9yYnNtTfFoO~<=]|^$/

/**
 * Returns the value that PyYAML resolves for a plain scalar; undefined for a string. PyYAML 6: resolver.py,
 * constructor.py and representer.py.
 */
export function pythonWord(text: string): PythonWord | undefined {
  if (!STARTS.test(text)) return undefined
  if (BOOL.test(text)) return {type: 'bool', dumped: TRUE.test(text) ? 'true' : 'false'}
  if (FLOAT.test(text)) return {type: 'float', dumped: pythonFloat(Number(text.replaceAll('_', '')))}
  if (INFINITE.test(text)) return {type: 'float', dumped: text.startsWith('-') ? '-.inf' : '.inf'}
  if (NAN.test(text)) return {type: 'float', dumped: '.nan'}
  if (INT.test(text)) return {type: 'int', dumped: integer(text.replaceAll('_', ''))}
  if (BASE60.test(text) && (text.includes('.') || BASE60_INT.test(text)))
    return {type: 'base60', dumped: undefined}
  if (text === '<<') return {type: 'merge', dumped: undefined}
  if (NULL.test(text)) return {type: 'null', dumped: 'null'}
  if (DATE.test(text) || TIMESTAMP.test(text)) return {type: 'timestamp', dumped: timestamp(text)}
  if (text === '=') return {type: 'value', dumped: undefined}
  return undefined
}

function integer(text: string): string | undefined {
  const digits = text.replace(/^[-+]/, '')
  if (/^0[bx]$/.test(digits)) return undefined
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits)
  return String(text.startsWith('-') ? -value : value)
}

const CANONICAL = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(?!0{6})\d{6})?([-+]\d\d:\d\d)?)?$/

/**
 * Returns the string itself if Python's `isoformat` returns it unchanged; undefined otherwise or for an
 * invalid date.
 */
function timestamp(text: string): string | undefined {
  const parts = CANONICAL.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone] = parts
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)))
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const real =
    Number(year) > 0 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  const inDay = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
  const zoneKept =
    zone === undefined || (zone !== '-00:00' && Number(zone.slice(1, 3)) < 24 && Number(zone.slice(4)) < 60)
  return real && inDay && zoneKept ? text : undefined
}
