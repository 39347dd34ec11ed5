import Postgres

extension Error {
  /// Whether another choice of rows may not have failed.
  var isOfRows: Bool {
    guard let error = self as? PostgresError else { return !(self is CancellationError) }
    if error.gaveWay { return true }
    switch error.code {
    case .timedOut: return !error.isOfNetwork
    case .decoding: return true
    case .sqlState(let state): return ["22", "23", "P0", "54"].contains { state.hasPrefix($0) }
    default: return false
    }
  }

  /// Whether it says nothing of the rows: somebody had locked them, or it took too long.
  var isOfMoment: Bool {
    guard let error = self as? PostgresError else { return self is CancellationError }
    return error.gaveWay || error.code == .timedOut
  }

  /// Whether a release apart that nobody has given up was stopped, or a statement of it, because of its time.
  var tookTooLong: Bool {
    guard let error = self as? PostgresError else { return self is CancellationError }
    return error.code == .cancelled || error.code == .timedOut && !error.isOfNetwork
  }
}
