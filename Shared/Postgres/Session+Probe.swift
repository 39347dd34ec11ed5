import CPostgres
import Glibc

extension Session {
  /// Whether the server still works on the request.
  ///
  /// Another session asks, because this one gets nothing before several statements have ended.
  func isServerWorking() -> Bool {
    let settings = Settings(
      connectTimeout: .seconds(2), statementTimeout: .seconds(2), idleInTransactionTimeout: nil, parameters: [])
    do throws(PostgresError) {
      let other = try Session(string.with("connect_timeout", "2"), settings: settings, signal: signal)
      other.begin(isCancellable: false)
      let rows = try other.query(
        """
        select from pg_stat_activity
        where pid = \(Int(PQbackendPID(raw))) and state = 'active' and wait_event is distinct from 'ClientRead'
        """)
      // It may have ended just now.
      var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
      return !rows.isEmpty || poll(&socket, 1, 0) > 0
    } catch {
      return false
    }
  }
}
