import FunctionKit
import Glibc

/// What a person sees: data on stdout, complaints and logs on stderr.
enum Console {
  /// Prints a line on stdout.
  @discardableResult
  static func say(_ text: String) -> Int32 {
    write("\(text)\n", to: STDOUT_FILENO)
    return 0
  }

  /// Prints what went wrong and gives the exit status for it.
  static func complain(_ error: any Error) -> Int32 {
    write("runner: \(error)\n", to: STDERR_FILENO)
    switch error {
    case let error as FunctionError: return error.code.exitStatus
    case is ManifestError, is MigrationError: return FunctionError.Code.misconfigured.exitStatus
    default: return FunctionError.Code.failed.exitStatus
    }
  }

  static func help(to descriptor: Int32, status: Int32) -> Int32 {
    write(helpText, to: descriptor)
    return status
  }

  /// Writes all of it; a reader that has gone away is no matter.
  static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static let helpText = """
    The local runner of a bundle of functions.

    usage: runner COMMAND [options]

      up [--demo] [--watch]        serve, and play the demo story once; with --demo end after it
      serve [--port N] [--host A] [--migrate] [--no-services] [--watch] [--lease N]
                                   the gateway, row events, schedules and workers, until Ctrl-C;
                                   with --watch, functions.json and executables that change are followed;
                                   --lease: seconds until another runner takes the work of one that vanished (15)
      invoke NAME [--event FILE|-] [--sample] [--dry-run] [--event-id ID]
                                   run a function once, with an event from a file, stdin or its sample
      list [--json]                the functions and what triggers them
      migrate [--json]             bring the database to the present schema, and make the triggers
      pushes [--json] [--follow]   what the phones got
      demo [--json]                play the story on a running runner
      validate                     check functions.json
      doctor [--json]              check everything that has to be there

    Every command takes --project DIR: the folder of functions.json, else the nearest one upward from here.
    DATABASE_URL names the database; without it the runner keeps a PostgreSQL of its own under .runner/.

    """
}
