import Formats
package import FoundationEssentials

/// The id of a row: a UUID, in lower case as PostgreSQL writes it.
package struct RowID: Codable, Hashable, Sendable, CustomStringConvertible {
  package let uuid: UUID

  package init(uuid: UUID) {
    self.uuid = uuid
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let uuid = UUID(text: try container.decode(String.self)[...]) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
    }
    self.uuid = uuid
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  package var description: String { uuid.lowercased }
}
