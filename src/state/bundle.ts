import {createRequire} from 'node:module'
import {Script} from 'node:vm'

export interface Bundle {
  /** The name in stack traces. */
  readonly file: string
  /** A function of (module, exports, require), as the build writes it. */
  readonly source: string
  /** V8's code cache of an earlier evaluation. If V8 rejects it, the source is compiled again. */
  readonly codeCache?: Buffer
}

export interface Evaluated {
  readonly exports: object
  /** Returns the code that V8 has compiled so far, for use as `codeCache` of a later evaluation. */
  codeCache(): Buffer
}

/** Evaluates a CommonJS bundle that is not a file on disk. The bundle can only require Node's own modules. */
export function evaluateBundle({file, source, codeCache}: Bundle): Evaluated {
  const script = new Script(source, {filename: file, ...(codeCache && {cachedData: codeCache})})
  const evaluate = script.runInThisContext() as (
    module: {readonly exports: object},
    exports: object,
    require: NodeJS.Require,
  ) => void
  const module = {exports: {}}
  evaluate(module, module.exports, createRequire(process.execPath))
  return {exports: module.exports, codeCache: () => script.createCachedData()}
}
