import FoundationEssentials
import FunctionKit
import Notifications
import PushPayload

/// A row of `notifications` with all columns of the app's table.
struct NotificationRow: Decodable, Sendable {
  let entry: AppEntry
  let origin: String
  private let app: String
  private let type: String

  private enum CodingKeys: String, CodingKey {
    case id, app, type, origin, data
    case user = "user_id"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    _ = try values.decode(UUID.self, forKey: .user)
    type = try values.decode(String.self, forKey: .type)
    app = try values.decodeIfPresent(String.self, forKey: .app) ?? App.default.rawValue
    origin = try values.decodeIfPresent(String.self, forKey: .origin) ?? "app"
    entry = AppEntry(
      id: try values.decode(UUID.self, forKey: .id),
      columns: try decoder.singleValueContainer().decode([String: Scalar].self).compactMapValues(\.value),
      data: try values.decodeIfPresent([String: Scalar].self, forKey: .data)?.compactMapValues(\.value) ?? [:])
  }

  func kind() throws(FunctionError) -> Kind {
    guard let app = App(rawValue: app) else {
      throw FunctionError(.invalidEvent, "record.app has an unusable value.")
    }
    guard let kind = Kind.named(type, of: app) else {
      let kinds = app.profile.kinds.map(\.name).joined(separator: ", ")
      throw FunctionError(.invalidEvent, "record.type\(quotation) is no kind of \(app.rawValue): these are \(kinds).")
    }
    return kind
  }

  /// The type in brackets, if it looks like one: what else stands in a row is not repeated.
  private var quotation: String {
    let isName = (1...60).contains(type.utf8.count) && type.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") }
    return isName ? " (\(type))" : ""
  }
}

/// A text or number; `nil` for any other value.
private struct Scalar: Decodable {
  let value: PushPayload.Value?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let bool = try? container.decode(Bool.self) {
      value = .string("\(bool)")
    } else if let number = try? container.decode(Int.self) {
      value = .integer(number)
    } else {
      value = (try? container.decode(Double.self)).map { .string("\($0)") }
    }
  }
}
