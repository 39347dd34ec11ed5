import Formats
package import FoundationEssentials

/// JSON as this project writes and reads it: sorted keys, plain slashes, RFC 3339 times.
package enum JSONCoding {
  /// The value as one line of JSON.
  /// - Parameter time: writes a time.
  package static func encode(
    _ value: some Encodable, time: @escaping @Sendable (Date) -> String = RFC3339.string
  ) throws -> RawJSON {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(time(date))
    }
    return RawJSON(trusted: Array(try encoder.encode(value))[...])
  }

  /// The value that a document describes.
  ///
  /// - Throws: ``FunctionError`` with ``FunctionError/Code/invalidEvent`` and a sentence that names the field.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from document: RawJSON
  ) throws(FunctionError) -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = RFC3339.date(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 time")
      }
      return date
    }
    do {
      return try decoder.decode(type, from: Data(document.bytes))
    } catch {
      throw FunctionError(.invalidEvent, sentence(for: error), cause: error)
    }
  }

  private static func sentence(for error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(field(context.codingPath + [key])) is missing."
    case DecodingError.valueNotFound(let type, let context):
      "\(field(context.codingPath)) must be \(name(of: type)), not null."
    case DecodingError.typeMismatch(let type, let context):
      "\(field(context.codingPath)) must be \(name(of: type))."
    case DecodingError.dataCorrupted(let context):
      "\(field(context.codingPath)) has an unusable value."
    default:
      "The payload cannot be read."
    }
  }

  private static func field(_ path: [any CodingKey]) -> String {
    let names = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return names.isEmpty ? "The payload" : names.joined(separator: ".")
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [Any].Type: "an array"
    default: "an object"
    }
  }
}

// Foundation's own way to read an id is in `UUIDText.swift`. The types' synthesized initializers choose these for theirs.
extension KeyedDecodingContainer {
  /// Reads the 36 characters of an id.
  package func decode(_ type: UUID.Type, forKey key: Key) throws -> UUID {
    guard let id = UUID(text: try decode(String.self, forKey: key)[...]) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not an id")
    }
    return id
  }

  /// Reads the 36 characters of an id; `nil` for none.
  package func decodeIfPresent(_ type: UUID.Type, forKey key: Key) throws -> UUID? {
    try contains(key) && !decodeNil(forKey: key) ? decode(type, forKey: key) : nil
  }
}
