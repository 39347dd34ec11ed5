import FoundationEssentials
import FunctionKit
import Postgres

/// The clock that `runner clock` sets; the emulator follows it, too.
struct DomainClock {
  /// Seconds that it is ahead of this machine's.
  let offset: TimeInterval

  /// Reads it from the database; real time if that has none.
  init(_ environment: Environment) async {
    guard let url = try? environment.databaseURL() else {
      offset = 0
      return
    }
    let database = Connection(url: url, applicationName: "push doctor", statementTimeout: .seconds(5))
    let now = try? await database.query("SELECT runner.now() AS now").only().decode("now", as: Date.self)
    await database.close()
    // A smaller difference is that between two machines.
    let ahead = now?.timeIntervalSinceNow ?? 0
    offset = abs(ahead) < 60 ? 0 : ahead
  }

  var now: Date { .now.addingTimeInterval(offset) }
}
