import System

/// The connections that wait for their clients; the one that has waited longest is first.
@RunnerLoop
struct WaitingClients {
  private var entries: [(connection: ClientConnection, phaseNumber: UInt)] = []
  private var first = 0

  /// - Parameter all: how many connections there are.
  mutating func add(_ connection: ClientConnection, of all: Int) {
    if entries.count > 4 * all + 64 {
      entries = entries[first...].filter { $0.connection.phaseNumber == $0.phaseNumber }
      first = 0
    }
    entries.append((connection, connection.phaseNumber))
  }

  /// The connection that has waited longest and still waits.
  mutating func next() -> ClientConnection? {
    while first < entries.count {
      let entry = entries[first]
      first += 1
      if entry.connection.phaseNumber == entry.phaseNumber { return entry.connection }
    }
    (entries, first) = ([], 0)
    return nil
  }
}
