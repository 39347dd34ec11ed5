package import FunctionKit

extension RowChange {
  /// The row of an insertion into a table.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func inserted(into table: String) throws(FunctionError) -> Record {
    try expect(.insert, table)
    return try record.orMissing("record")
  }

  /// The row before and after an update in a table.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func updated(in table: String) throws(FunctionError) -> (old: Record, new: Record) {
    try expect(.update, table)
    return (try oldRecord.orMissing("old_record"), try record.orMissing("record"))
  }

  /// The row before and after an insert or update in a table; before an insert it is `nil`.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func insertedOrUpdated(in table: String) throws(FunctionError) -> (old: Record?, new: Record) {
    guard type == .update else { return (nil, try inserted(into: table)) }
    return try updated(in: table)
  }

  /// The row of a deletion from a table.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func deleted(from table: String) throws(FunctionError) -> Record {
    try expect(.delete, table)
    return try oldRecord.orMissing("old_record")
  }

  private func expect(_ operation: Operation, _ table: String) throws(FunctionError) {
    guard self.table == table else {
      throw FunctionError(.invalidEvent, "table must be \"\(table)\".")
    }
    guard type == operation else {
      throw FunctionError(.invalidEvent, "type must be \"\(operation.rawValue)\".")
    }
  }
}

extension Optional {
  fileprivate func orMissing(_ field: String) throws(FunctionError) -> Wrapped {
    guard let self else { throw FunctionError(.invalidEvent, "\(field) is missing.") }
    return self
  }
}
