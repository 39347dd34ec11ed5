import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive

extension ActivityRegistration {
  /// Reads the body of a request.
  init(_ fields: Fields) throws(APIError) {
    let app: App = try fields.required("app", .choice)
    let type: String = try fields.required("attributesType", .text(1...200))
    guard let rule = app.profile.activity else {
      throw .invalid("\(app.rawValue) has no Live Activities.")
    }
    guard type == rule.attributesType else {
      throw .invalid("attributesType must be \(rule.attributesType), which is that of \(app.rawValue).")
    }
    self.init(
      device: try fields.required("deviceId", .id), app: app, attributesType: type,
      token: try fields.required("token", .activityToken), subject: try Self.subject(fields, of: app))
  }

  /// The subject of a running activity; LockItIn may call it `proposalId`.
  private static func subject(_ fields: Fields, of app: App) throws(APIError) -> UUID? {
    let subject: UUID? = try fields.optional("subjectId", .id)
    guard app == .lockItIn, let proposal: UUID = try fields.optional("proposalId", .id) else { return subject }
    guard subject == nil || subject == proposal else { throw .invalid("subjectId and proposalId must be the same.") }
    return proposal
  }
}

extension FieldRule where Value == String {
  /// A token of ActivityKit, which may be longer than a device's.
  fileprivate static var activityToken: FieldRule {
    FieldRule("a token of ActivityKit: 8 to 1000 hexadecimal digits, two for each byte") { document in
      document.stringValue.flatMap { text in
        let characters = text.utf8.map { Character(UnicodeScalar($0)) }
        let isToken =
          (8...1_000).contains(characters.count) && characters.count.isMultiple(of: 2)
          && characters.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isToken ? text.lowercased() : nil
      }
    }
  }
}
