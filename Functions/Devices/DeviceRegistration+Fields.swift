import API
import FunctionKit
import Notifications
import StoreLive

extension DeviceRegistration {
  /// Reads what an app sent.
  init(_ fields: Fields) throws(APIError) {
    self.init(
      token: try fields.required("token", .deviceToken), app: try fields.optional("app", .choice) ?? .feedbackKit,
      platform: try fields.required("platform", .choice), provider: try fields.optional("provider", .choice))
    appVersion = try fields.optional("appVersion", .text(0...20))
    osVersion = try fields.optional("osVersion", .text(0...200))
    environment = try fields.optional("environment", .choice)
    bundleID = try fields.optional("bundleId", .bundleID)
    installationID = try fields.optional("installationId", .text(1...255))
  }
}

extension FieldRule where Value == String {
  /// What an app is known by at Apple.
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

  /// A token as APNs (hexadecimal digits) and FCM give it; nobody promises its length, and an index of PostgreSQL takes
  /// 2,704 bytes.
  static var deviceToken: FieldRule {
    FieldRule("a device token: 1 to 2048 visible ASCII characters") { document in
      document.stringValue.flatMap { $0.isDeviceToken ? $0 : nil }
    }
  }
}

extension String {
  /// Whether it can be a token: 1 to 2048 visible ASCII characters.
  var isDeviceToken: Bool {
    (1...2_048).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
