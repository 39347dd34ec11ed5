import FoundationEssentials
import FunctionKit

/// JSON without the order of its members.
enum JSONTree: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([JSONTree])
  case object([String: JSONTree])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let array = try? value.decode([JSONTree].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSONTree].self))
    }
  }

  /// The payload that is on file for a kind.
  static func onFile(_ kind: String) throws -> JSONTree {
    let text = try Repository.text("Tests/FunctionTests/Payloads/\(kind).json")
    return try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
  }
}

extension Answer {
  /// The payloads of a rehearsal, by the person's name.
  var payloads: [Person: JSONTree] {
    get throws {
      var payloads: [Person: JSONTree] = [:]
      for entry in json["payloads"]?.elements ?? [] {
        guard let person = Person.allCases.first(where: { $0.id == entry["user"]?.stringValue }) else { continue }
        payloads[person] = try JSONDecoder().decode(JSONTree.self, from: Data(entry["payload"]?.bytes ?? [][...]))
      }
      return payloads
    }
  }
}
