import CPostgres
import Glibc

/// The owner of a `PGresult`.
// libpq never changes a result after it has handed it out, and reading one from several threads is allowed
// (PostgreSQL documentation, 34.20); only `deinit` frees it.
final class QueryResult: @unchecked Sendable {
  let raw: OpaquePointer
  /// The positions of the columns by name, if there are many rows in which they are looked up.
  private let positions: [String: Int32]

  init(_ raw: OpaquePointer) {
    self.raw = raw
    guard PQntuples(raw) > 3 else {
      positions = [:]
      return
    }
    let names = (0..<PQnfields(raw)).map { ($0, PQfname(raw, $0).map { String(cString: $0) } ?? "") }
    positions = Dictionary(names.map { ($0.1, $0.0) }) { first, _ in first }
  }

  deinit {
    PQclear(raw)
  }

  /// The position of the first column with a name.
  ///
  /// It compares the names itself, because `PQfnumber` ignores the case of its argument and allocates memory.
  func position(of column: String) -> Int32? {
    if !positions.isEmpty { return positions[column] }
    return column.withCString { column in
      (0..<PQnfields(raw)).first { position in PQfname(raw, position).map { strcmp($0, column) == 0 } ?? false }
    }
  }

  var status: ExecStatusType { PQresultStatus(raw) }

  var isError: Bool { status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE || status == PGRES_NONFATAL_ERROR }

  var endsSession: Bool { Self.endsSession(raw) }

  /// Whether a result or notice has the severity after which the server closes the session.
  static func endsSession(_ raw: OpaquePointer?) -> Bool {
    PQresultErrorField(raw, shim_diag_severity).map { ["FATAL", "PANIC"].contains(String(cString: $0)) } ?? false
  }

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
