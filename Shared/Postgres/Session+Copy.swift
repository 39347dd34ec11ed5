import CPostgres

extension Session {
  /// Sends rows to a `COPY … FROM STDIN` in the text format; returns how many the server took.
  func copy(_ command: String, _ rows: some Sequence<[String?]>) throws(PostgresError) -> Int {
    try beginIfNeeded()
    hasSent = true
    let (text, added) = withSettings(command)
    guard PQsendQuery(raw, text) == 1 else { throw lost() }
    guard var opening = try nextResult() else { throw lost() }
    if added > 0, !opening.isError {
      guard let next = try nextResult() else { throw lost() }
      opening = next
    }
    if opening.status == PGRES_COPY_IN {
      var chunk: [CChar] = []
      for row in rows {
        chunk += row.copyLine
        if chunk.count >= Self.chunkSize { try put(&chunk) }
      }
      try put(&chunk)
      guard PQputCopyEnd(raw, nil) == 1 else { throw lost() }
    }

    var failure = opening.isError ? PostgresError(opening, of: text) : nil
    var count = 0
    while let result = try nextResult() {
      if result.isError {
        failure = PostgresError(result)
      } else {
        count = Rows(result).affectedRows
      }
    }
    try finish(failure)
    return count
  }

  private static let chunkSize = 65_536

  /// Sends a chunk at once; otherwise libpq would keep all of them in memory.
  private func put(_ chunk: inout [CChar]) throws(PostgresError) {
    guard PQputCopyData(raw, chunk, Int32(truncatingIfNeeded: chunk.count)) == 1 else { throw lost() }
    chunk.removeAll(keepingCapacity: true)
    try settle { PQflush(raw) <= 0 }
  }
}

extension [String?] {
  /// Columns separated by tabs, `\\N` for NULL, and an escape before characters that would look like either.
  fileprivate var copyLine: [CChar] {
    var line: [CChar] = []
    for (index, column) in enumerated() {
      if index > 0 { line.append(CChar(bitPattern: UInt8(ascii: "\t"))) }
      guard let column else {
        line.append(contentsOf: "\\N".utf8.map { CChar(bitPattern: $0) })
        continue
      }
      for byte in column.utf8 {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
          line.append(CChar(bitPattern: UInt8(ascii: "\\")))
        default: break
        }
        line.append(CChar(bitPattern: byte))
      }
    }
    line.append(CChar(bitPattern: UInt8(ascii: "\n")))
    return line
  }
}
