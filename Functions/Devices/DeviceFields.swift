import API
import FunctionKit
import Notifications
import PersonLive

extension DeviceRegistration {
  /// Reads the body of a request.
  init(_ fields: Fields) throws(APIError) {
    let platform: Platform = try fields.required("platform", .choice)
    let provider: PushProvider? = try fields.optional("provider", .choice)
    self.init(
      token: try fields.required("token", .deviceToken(of: provider ?? platform.provider)),
      app: try fields.optional("app", .choice) ?? .default, platform: platform, provider: provider)
    appVersion = try fields.optional("appVersion", .statistics(20))
    osVersion = try fields.optional("osVersion", .statistics(200))
    environment = try fields.optional("environment", .choice)
    bundleID = try fields.optional("bundleId", .bundleID)
    installationID = try fields.optional("installationId", .text(1...255))
    locale = try fields.optional("locale", .locale)
  }

  /// The registration with the language that the request is sent in, unless it names a locale.
  func speaking(as request: APIRequest) -> Self {
    var registration = self
    if locale?.isEmpty != false {
      registration.locale = request.header("accept-language").flatMap(Language.accepted)?.tag
    }
    return registration
  }
}

extension FieldRule where Value == String {
  /// A text for statistics, of which this many characters (Unicode scalars) are kept.
  ///
  /// No device goes without pushes because of it.
  static func statistics(_ longest: Int) -> FieldRule {
    FieldRule("a text") { document in
      document.stringValue.map { text in
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\0" }.prefix(longest)))
      }
    }
  }

  /// A language and region, such as de-AT; blank for what is none.
  ///
  /// No device goes without pushes because of it.
  static var locale: FieldRule {
    FieldRule("a text") { document in document.stringValue.map { Language.tag($0) ?? "" } }
  }

  /// An app's bundle id.
  static var bundleID: FieldRule {
    FieldRule("a bundle id such as com.example.app") { document in
      document.stringValue.flatMap { text in
        let isValid = text.utf8.allSatisfy { byte in
          let character = Character(UnicodeScalar(byte))
          return character.isASCII && (character.isLetter || character.isNumber || ".-_".contains(character))
        }
        return isValid && (1...255).contains(text.utf8.count) ? text : nil
      }
    }
  }

  /// A token from APNs or FCM; its length has no documented limit, and an index of PostgreSQL holds 2,704 bytes.
  static func deviceToken(of provider: PushProvider) -> FieldRule {
    let sentence =
      switch provider {
      case .apns: "a device token of APNs: 8 to 200 hexadecimal digits, two for each byte"
      case .fcm: "a registration token of FCM: 8 to 2048 letters, digits and :_-"
      }
    return FieldRule(sentence) { document in
      document.stringValue.flatMap { $0.isDeviceToken(of: provider) ? $0 : nil }
    }
  }

  /// A token in any row, even one that an app itself inserted.
  static var anyDeviceToken: FieldRule {
    FieldRule("a device token: 1 to 2048 visible ASCII characters") { document in
      document.stringValue.flatMap { $0.isDeviceToken ? $0 : nil }
    }
  }
}

extension String {
  /// Whether it has 1 to 2048 visible ASCII characters.
  var isDeviceToken: Bool {
    (1...2_048).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  fileprivate func isDeviceToken(of provider: PushProvider) -> Bool {
    let characters = utf8.map { Character(UnicodeScalar($0)) }
    return switch provider {
    case .apns:
      (8...200).contains(characters.count) && characters.count.isMultiple(of: 2)
        && characters.allSatisfy { $0.isASCII && $0.isHexDigit }
    case .fcm:
      (8...2_048).contains(characters.count)
        && characters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":_-".contains($0)) }
    }
  }
}
