import {Args} from '@oclif/core'

/**
 * Defines an argument of a command. Without `ignoreStdin`, oclif fills a missing argument from standard input
 * if a line arrives within 10 ms, and would consume a file that the command reads itself, or the list of a
 * `while read` loop.
 */
export const argument = Args.custom<string>({ignoreStdin: true})
