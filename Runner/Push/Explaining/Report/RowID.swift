import Formats
import FoundationEssentials
import Postgres

/// The id of a row; in JSON in lower case, as PostgreSQL writes it.
struct RowID: Encodable, Hashable, CustomStringConvertible {
  let uuid: UUID

  var description: String { uuid.lowercased }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Row {
  func id(_ column: String) throws(PostgresError) -> RowID { RowID(uuid: try decode(column)) }

  func optionalID(_ column: String) throws(PostgresError) -> RowID? { try optional(column).map(RowID.init) }
}
