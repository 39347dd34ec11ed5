import CPostgres

/// The owner of a `PGresult`.
// libpq never changes a result after it has handed it out, and reading one from several threads is allowed
// (PostgreSQL documentation, 34.20); only `deinit` frees it.
final class QueryResult: @unchecked Sendable {
  let raw: OpaquePointer

  init(_ raw: OpaquePointer) {
    self.raw = raw
  }

  deinit {
    PQclear(raw)
  }

  var status: ExecStatusType { PQresultStatus(raw) }

  var isError: Bool { status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE || status == PGRES_NONFATAL_ERROR }

  /// After an error of this severity the server closes the session.
  var endsSession: Bool { ["FATAL", "PANIC"].contains(diagnostic(shim_diag_severity)) }

  var message: String { PQresultErrorMessage(raw).map { String(cString: $0).oneLine } ?? "" }

  /// The command that was carried out: `COMMIT`, `INSERT 0 1`.
  var tag: String { PQcmdStatus(raw).map { String(cString: $0) } ?? "" }

  func diagnostic(_ field: Int32) -> String? {
    PQresultErrorField(raw, field).map { String(cString: $0) }
  }
}

extension String {
  /// libpq's messages end with a newline, and those about several hosts have more of them.
  var oneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
