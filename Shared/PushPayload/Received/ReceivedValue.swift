/// A value of a received payload, down to the depth of Apple's keys.
enum ReceivedValue: Decodable {
  case text(String)
  case integer(Int)
  case number(Double)
  case object([String: ReceivedValue])
  case other

  /// The levels are `aps`, its `alert` and `sound`, and their texts.
  private static let depth = 3

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if decoder.codingPath.count < Self.depth, let object = try? container.decode([String: ReceivedValue].self) {
      self = .object(object)
    } else {
      self = .other
    }
  }

  private init(_ value: Any, depth: Int) {
    switch value {
    case let text as String: self = .text(text)
    case let integer as Int: self = .integer(integer)
    case let number as Double: self = .number(number)
    case let object as [AnyHashable: Any] where depth < Self.depth:
      self = .object(Self.members(of: object, depth: depth))
    default: self = .other
    }
  }

  static func members(of object: [AnyHashable: Any], depth: Int) -> [String: ReceivedValue] {
    var members: [String: ReceivedValue] = [:]
    for (name, value) in object {
      guard let name = name.base as? String else { continue }
      members[name] = ReceivedValue(value, depth: depth + 1)
    }
    return members
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }

  var number: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  var members: [String: ReceivedValue] { if case .object(let members) = self { members } else { [:] } }

  /// The value, for one of the app's own keys.
  var own: PushPayload.Value? {
    switch self {
    case .text(let text): .string(text)
    case .integer(let integer): .integer(integer)
    default: nil
    }
  }
}
